"""The classifier for aeon: ``pip install clusterpool[aeon]``."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from aeon.classification.base import BaseClassifier

from . import estimator


class CCPClassifier(BaseClassifier):
    """Classifier of collections of time series by transforms and Convolutional Cluster Pooling.

    It is :class:`clusterpool.CCPClassifier` with aeon's interface: the same parameters, in whose documentation they are, and
    the same predictions. ``model_`` is that classifier, with its methods ``explain``, ``report``, ``save`` and ``to_onnx``.

    Parameters
    ----------
    fast : bool, default=False
        Leave the network out. Transforms alone take seconds, a network takes minutes.
    graph : object, default=None
        Which channels are neighbours.
    sensor_names : sequence of str, default=None
        Names of the channels, by which nodes of ``graph`` with names are matched.
    rate : float, default=None
        Time points in a unit of time.
    times : array of shape (timepoints,), default=None
        The time of each time point, if all series share them.
    params : dict, default=None
        Options of ``ccp train``.
    random_state : int, RandomState instance or None, default=None
        The program's seed; None is 1.
    backend : str, default=None
        What computes.
    verbose : bool, default=False
        Show the progress of a training.
    program : str or path, default=None
        Another program ``ccp`` than the package's own.

    Attributes
    ----------
    n_classes_ : int
        The number of classes.
    classes_ : ndarray of shape (n_classes_,)
        The classes.
    model_ : clusterpool.CCPClassifier
        The classifier that was trained.

    References
    ----------
    .. [1] Porrello, A., Abati, D., Calderara, S. and Cucchiara, R., 2019. Classifying signals on irregular domains via
       convolutional cluster pooling. AISTATS.

    Examples
    --------
    >>> from aeon.datasets import load_unit_test
    >>> from clusterpool.aeon import CCPClassifier
    >>> X, y = load_unit_test(split="train")
    >>> model = CCPClassifier(fast=True).fit(X, y)
    >>> model.predict(X[:3]).shape
    (3,)
    """

    _tags = {
        "X_inner_type": ["np-list", "numpy3D"],
        "capability:multivariate": True,
        "capability:unequal_length": True,
        "capability:missing_values": True,
        "algorithm_type": "hybrid",
    }

    def __init__(
        self,
        fast: bool = False,
        graph: Any = None,
        sensor_names: Sequence[str] | None = None,
        rate: float | None = None,
        times: Any = None,
        params: Mapping[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
        backend: str | None = None,
        verbose: bool = False,
        program: str | os.PathLike[str] | None = None,
    ) -> None:
        self.fast = fast
        self.graph = graph
        self.sensor_names = sensor_names
        self.rate = rate
        self.times = times
        self.params = params
        self.random_state = random_state
        self.backend = backend
        self.verbose = verbose
        self.program = program
        super().__init__()

    def _fit(self, X: Any, y: np.ndarray) -> CCPClassifier:
        self.model_ = estimator.CCPClassifier(**self.get_params(deep=False)).fit(X, y)
        return self

    def _predict(self, X: Any) -> np.ndarray:
        return self.model_.predict(X)

    def _predict_proba(self, X: Any) -> np.ndarray:
        return self.model_.predict_proba(X)

    @classmethod
    def _get_test_params(cls, parameter_set: str = "default") -> dict[str, Any]:
        return {"fast": True}
