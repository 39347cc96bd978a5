"""Read the files of recorders, each by its format's own library, into data sets: python -m clusterpool.read --help."""

from .formats import read
from .recording import Channel, Event, Recording

__all__ = ["Channel", "Event", "Recording", "read"]
