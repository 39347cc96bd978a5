"""The classifier for sktime: ``pip install clusterpool[sktime]``."""

from typing import Any

from sktime.classification.base import BaseClassifier

from . import estimator


class CCPClassifier(BaseClassifier):
    """Classifier of panels of series, with sktime's interface and parameters of :class:`clusterpool.CCPClassifier`.

    Examples
    --------
    >>> from sktime.datasets import load_unit_test
    >>> from clusterpool.sktime import CCPClassifier
    >>> X, y = load_unit_test(split="train")
    >>> CCPClassifier(fast=True).fit(X, y).predict(X).shape
    (20,)
    """

    _tags = {"X_inner_mtype": ["pd-multiindex", "numpy3D"], "capability:random_state": True, "property:randomness": "derandomized",
             **{f"capability:{what}": True for what in ("multivariate", "unequal_length", "missing_values", "predict_proba")}}

    def __init__(self, fast: bool = False, graph: Any = None, params: Any = None, random_state: Any = None) -> None:
        self.fast, self.graph, self.params, self.random_state = fast, graph, params, random_state
        super().__init__()

    def _fit(self, X: Any, y: Any) -> "CCPClassifier":
        self.model_ = estimator.CCPClassifier(**self.get_params(deep=False)).fit(X, y)
        return self

    def _predict(self, X: Any) -> Any:
        return self.model_.predict(X)

    def _predict_proba(self, X: Any) -> Any:
        return self.model_.predict_proba(X)

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        return [{"fast": True}, {"fast": True, "params": {"transforms": "minirocket"}, "random_state": 3}]
