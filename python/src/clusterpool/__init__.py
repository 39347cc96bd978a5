"""Classify recordings of sensors, and signals on a graph."""

from ._program import CCPError, CCPWarning
from .estimator import CCPClassifier

__all__ = ["CCPClassifier", "CCPError", "CCPWarning"]
__version__ = "0.2.0.dev0"
