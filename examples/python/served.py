"""A classifier behind `ccp serve` as one of scikit-learn, for its scores, curves and inspection.

    ccp serve --checkpoint runs/mine-ccp-1 &
    python3 -c 'import numpy as np; from served import Served; x = np.load("new.npy").transpose(0, 2, 1); print(Served("mine").fit(x).predict(x))'  # x: [samples, timepoints, sensors]
"""
import json
import urllib.error
import urllib.request

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Served(ClassifierMixin, BaseEstimator):
    """A trained model of the server: fit trains nothing, and asks for the names of the classes."""

    def __init__(self, model="digits", address="http://127.0.0.1:8080"):
        self.model, self.address = model, address

    def fit(self, X, y=None):
        classes = self._infer(X[:1], {})["shape"][1]
        scores = self._infer(X[:1], {"classification": classes})["data"]  # of each class "score:index:name"
        names = dict(score.split(":", 2)[1:] for score in scores)
        self.classes_ = np.array([names[str(k)] for k in range(classes)])
        return self

    def predict_proba(self, X):
        """Returns probabilities [samples, classes] of X [samples, nodes], [samples, nodes, channels], or [samples, timepoints, sensors]."""
        output = self._infer(X, {})
        probabilities = np.reshape(output["data"], output["shape"])
        return probabilities / probabilities.sum(axis=1, keepdims=True)  # of 32 bits

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _infer(self, X, parameters):
        X = np.asarray(X, np.float32)
        given = {"name": "signals", "datatype": "FP32", "shape": X.shape, "data": X.ravel().tolist()}
        body = {"inputs": [given], "outputs": [{"name": "probabilities", "parameters": parameters}]}
        try:
            with urllib.request.urlopen(f"{self.address}/v2/models/{self.model}/infer", json.dumps(body).encode()) as answer:
                return json.load(answer)["outputs"][0]
        except urllib.error.HTTPError as wrong:
            raise ValueError(wrong.read().decode()) from None
