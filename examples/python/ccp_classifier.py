"""A classifier for scikit-learn that trains and predicts by the program ccp, through files in a temporary folder; no server.

    from ccp_classifier import CCPClassifier
    model = CCPClassifier(fast=True).fit(x, y)        # x [samples, sensors, timepoints], or [samples, features]
    model.predict_proba(new), model.score(test_x, test_y)

It needs numpy, scikit-learn 1.6 or later and ccp on the PATH, and is one file to copy. The trained checkpoint is part of the
object, so pickles go to other processes and machines that have the program. scikit-learn's check_estimator passes whole.
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d, validate_data

# Arrays of the program's file that belong to samples, which no new sample would have, and what takes their place.
OF_SAMPLES = {"series": "X holds the recordings", "features": "X holds the signals", "labels": "y holds them", "class_names": "y names them",
              "lengths": "let shorter recordings of X end in NaN", "groups": "give fit(X, y, groups=...)",
              "split": "fit trains on all samples, and params={'validation': 0.2} holds some out", "sample_names": "the rows of X number them"}
FLAGS = {"lr": "learning_rate", "fc": "hidden", "hierarchy": "ccp_hierarchy"}  # flags of ccp train whose option has another name


class CCPError(ValueError):
    """The program refused data or settings; the text is its own sentence. code is its exit code."""

    def __init__(self, sentence, code=1):
        super().__init__(sentence, code)
        self.code = code

    def __str__(self):
        return self.args[0]


class CCPClassifier(ClassifierMixin, BaseEstimator):
    """Transforms and, unless fast, a network of Convolutional Cluster Pooling, between which held-out training samples decide.

    Parameters
    ----------
    params : dict, optional
        Options of `ccp train` (docs/options.md): {"epochs": 30, "ccp_dropout": 0.2, "validation": 0.2}; also by the names
        of its flags, such as lr.
    fast : bool
        Leave the network out, so that transforms predict alone; it takes seconds.
    arrays : dict, optional
        What the data file holds beside recordings, labels and groups (docs/own-data.md): {"edges": [[0, 1], [1, 2]]} of
        sensors, or "coordinates", "rate", "sensor_names", or "times" [timepoints] that all recordings share, in prediction,
        too. With a graph, or the option knn, [samples, features] is a signal on the graph's nodes; else it is a table.
    random_state : int, RandomState or None
        The program's seed. None is its own, 1, so that all fits agree.
    backend : str, optional
        As of the program: go, xla:cpu, xla:cuda.
    program : str
        The program, or its path.
    verbose : bool
        Show the program's progress.

    Attributes
    ----------
    classes_ : the sorted labels. checkpoint_ : the files of the trained checkpoint, names to bytes.
    n_features_in_ : sensors, or features.
    """

    def __init__(self, params=None, *, fast=False, arrays=None, random_state=None, backend=None, program="ccp", verbose=False):
        self.params = params
        self.fast = fast
        self.arrays = arrays
        self.random_state = random_state
        self.backend = backend
        self.program = program
        self.verbose = verbose

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = True
        return tags

    @classmethod
    def from_checkpoint(cls, folder, **parameters):
        """Returns a fitted classifier from a folder that `ccp train` made. Its classes are strings, as in the checkpoint."""
        return cls(**parameters)._take(pathlib.Path(folder))

    def save(self, folder):
        """Writes the checkpoint into a new folder, for `ccp serve`, `ccp explain` and the other commands."""
        check_is_fitted(self)
        if pathlib.Path(folder).exists() and os.listdir(folder):
            raise FileExistsError(f"{folder} is not empty: name a new folder, since its files would be mixed with the checkpoint's")
        for name, content in self.checkpoint_.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def fit(self, X, y, groups=None):
        """Trains on all samples. X is [samples, sensors, timepoints], the same with axes behind, or [samples, features]; NaN is
        a gap, or follows the end of a shorter recording. groups [samples] says whose each sample is: what the program holds
        out divides none. `set_fit_request(groups=True)` has scikit-learn route them.
        """
        X, y = validate_data(self, X, y, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", allow_nd=True)
        check_classification_targets(y)
        classes, labels, counts = np.unique(y, return_inverse=True, return_counts=True)
        if len(classes) < 2:
            raise ValueError(f"y has 1 class, {classes[0]!r}: a classifier needs at least 2")
        settings = {FLAGS.get(name, name): value for name, value in (self.params or {}).items()}
        settings.setdefault("seed", self._seed())
        if self.fast:
            settings["model"] = "transforms"
        arrays = self._checked(X)
        graph = X.ndim == 2 and ("knn" in settings or set(arrays) & {"edges", "coordinates", "latitude", "adjacency", "indptr"})
        # The program's file has test samples, which train nothing. A copy of one sample of each class will do, as scikit-learn tests.
        first = np.unique(labels, return_index=True)[1]
        index = np.concatenate([np.arange(len(X)), first])
        arrays.update({"features" if graph else "series": self._shaped(X, graph)[index], "labels": labels[index],
                       "class_names": [str(name) for name in classes], "split": np.repeat([0, 2], [len(X), len(first)])})
        if groups is not None:
            groups = np.unique(column_or_1d(groups), return_inverse=True)[1]
            check_consistent_length(X, groups)
            arrays["groups"] = np.concatenate([groups, np.full(len(first), groups.max() + 1)])
        with tempfile.TemporaryDirectory(prefix="ccp-") as folder:
            data, run = pathlib.Path(folder, "data.npz"), pathlib.Path(folder, "run")
            np.savez(data, **arrays)
            pairs = [f"{name}={_text(value)}" for name, value in settings.items()]
            self._run("train", "--data", data, "--checkpoint", run, *pairs)
            self._take(run)
        self.classes_ = classes
        return self

    def predict_proba(self, X):
        """Returns probabilities [samples, classes] of X, which has the shape of the training's; recordings may have other lengths."""
        check_is_fitted(self)
        if hasattr(self, "n_features_in_"):
            X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", allow_nd=True)
        else:  # from_checkpoint: the program compares the shapes
            X = check_array(X, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan", allow_nd=True)
        graph = "recording" not in json.loads(self.checkpoint_["model.json"])["spec"]
        arrays = {name: value for name, value in self._checked(X).items() if name in ("rate", "times")}
        arrays["features" if graph else "series"] = self._shaped(X, graph)
        with tempfile.TemporaryDirectory(prefix="ccp-") as folder:
            data, run = pathlib.Path(folder, "data.npz"), pathlib.Path(folder, "run")
            np.savez(data, **arrays)
            self.save(run)
            rows = csv.reader(io.StringIO(self._run("predict", "--checkpoint", run, data)))
            next(rows)  # name, class, probability, then the classes
            probabilities = np.array([row[3:] for row in rows], dtype=np.float64)
        return probabilities / probabilities.sum(axis=1, keepdims=True)  # of 32 bits

    def predict(self, X):
        """Returns the most probable class of each sample of X."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def _checked(self, X):
        """Returns arrays that fit X. What belongs to samples is refused, and so are times of other time points than those of X."""
        arrays = dict(self.arrays or {})
        for name, instead in OF_SAMPLES.items():
            if name in arrays:
                raise ValueError(f"arrays has {name!r}, of shape {np.shape(arrays[name])}, which belongs to samples: {instead}")
        timepoints = X.shape[2] if X.ndim > 2 else 1
        if "times" in arrays and np.shape(arrays["times"]) != (timepoints,):
            raise ValueError(f"arrays['times'] has shape {np.shape(arrays['times'])}, and X has {timepoints} time points: give the times "
                             f"({timepoints},) that all recordings share, or resample them to even time points and give 'rate'")
        for name in ("sensor_names", "node_names", "coordinates", "adjacency"):
            if name in arrays and len(arrays[name]) != X.shape[1]:
                raise ValueError(f"arrays[{name!r}] has the length {len(arrays[name])}, and X has {X.shape[1]} sensors or features")
        return arrays

    def _seed(self):
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return 1 if self.random_state is None else self.random_state
        return check_random_state(self.random_state).randint(1 << 31)

    @staticmethod
    def _shaped(X, graph):
        return X[:, :, np.newaxis] if X.ndim == 2 and not graph else X

    def _take(self, run):
        """Takes a run's checkpoint. The state that a training resumes from, last-*, stays behind."""
        try:
            names = ["model.json", "graph.npz", "config.json", "result.json", "data.json", "history.csv"]
            paths = [run / name for name in names] + sorted(run.glob("best-*/*"))
            self.checkpoint_ = {path.relative_to(run).as_posix(): path.read_bytes() for path in paths if path.exists()}
            self.checkpoint_["result.json"]
            self.classes_ = np.array(json.loads(self.checkpoint_["model.json"])["spec"]["class_names"])
        except KeyError as missing:
            raise CCPError(f"{run} is not the folder of a finished training: it has no {missing}") from None
        return self

    def _run(self, command, *args):
        """Runs a command of the program, which ends with this process's interest in it, and returns its standard output."""
        program = shutil.which(self.program)
        if program is None:
            raise FileNotFoundError(f"no program {self.program!r}: put ccp on the PATH, or give its path as program=")
        line = [program, command, *(str(arg) for arg in args)] + (["--backend", self.backend] if self.backend else [])
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8",
                                   errors="replace")  # a path in a message may be of any bytes
        said = []

        def listen():
            for text in process.stderr:
                said.append(text.rstrip())
                if self.verbose:
                    print(text, end="", flush=True)

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            out = process.stdout.read()
            code = process.wait()
        except BaseException:  # Ctrl-C above all
            process.kill()
            process.wait()
            raise
        finally:
            listener.join()
            process.stdout.close()
            process.stderr.close()
        if code:
            errors = [at for at, text in enumerate(said) if text.startswith("ccp: ")]
            said = [text for text in said[errors[-1]:] if text and not text.startswith("See `ccp ")] if errors else said[-5:]
            sentence = re.sub(r"\S*\bccp-\w+\Wdata\.npz", "X", "\n".join(said).removeprefix("ccp: "))
            if code == 4:
                raise MemoryError(sentence)
            if code == 3:
                raise FloatingPointError(sentence)
            if code in (1, 2):
                raise CCPError(sentence, code)
            raise RuntimeError(f"ccp {command} ended with code {code}: {sentence}")
        for text in said:
            if text.startswith("warning: ") and not text.startswith("warning: test accuracy"):  # of fit's copies
                warnings.warn(text.removeprefix("warning: "), stacklevel=3)
        return out


def _text(value):
    """Returns an option's value as the program reads it."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text(part) for part in value)
    return str(value)
