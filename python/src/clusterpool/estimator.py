"""The classifier for scikit-learn."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import re
import shutil
import tempfile
import weakref
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d, validate_data

from . import _graph, _inputs, _program
from ._inputs import Samples
from ._process import Process, Refused, write
from ._program import CCPError
from ._progress import Progress

FILES = ["model.json", "graph.npz", "config.json", "result.json", "data.json", "history.csv"]  # of a checkpoint, beside best-*
OWN_FILE = "clusterpool.json"  # what the program's files do not say
FLAGS = {"lr": "learning_rate", "fc": "hidden", "hierarchy": "ccp_hierarchy"}  # flags of ccp train whose option has another name
BESIDE = {"grid", "parts", "bodies", "coordinates", "latitude", "longitude"}  # arrays of the data file that no parameter has
PROBABILITIES = {"name": "probabilities", "parameters": {"binary_data": True, "datatype": "FP64"}}
P_VALUES = {"name": "p_values", "parameters": {"binary_data": True}}
EARLY = [{"name": name, "parameters": {"binary_data": True}} for name in ("class", "decided")]


class CCPClassifier(ClassifierMixin, BaseEstimator):
    """Classifier of recordings of sensors, and of signals on a graph.

    It fits a ridge classifier on transforms of each sample and, unless ``fast``, trains a network of Convolutional Cluster
    Pooling, and keeps what predicts held-out training samples best. The program ``ccp``, which came with the package, does
    the computing in a process of its own.

    Parameters
    ----------
    fast : bool, default=False
        Leave the network out. Transforms alone take seconds, a network takes minutes.
    graph : object, default=None
        Which sensors are neighbours: a scipy sparse matrix, a matrix [sensors, sensors], a networkx graph, PyTorch
        Geometric's ``edge_index`` or ``(edge_index, edge_weight)`` or ``Data``, edges [E, 2] or with weights [E, 3], a frame
        of any of these, positions as a mapping from names or as ``{"coordinates": array}``, or an MNE montage. Nodes with
        names are matched to the columns of X or to ``sensor_names``, whatever their order; ``(graph, names)`` names the nodes
        of a graph that has none. Links lead one way in a networkx graph that is directed, and in
        ``{"edges": edges, "directed": True}``; else they have no direction.
    sensor_names : sequence of str, default=None
        Names of the sensors of an array X, in its order. A frame names its own.
    time : bool, default=None
        Whether samples are recordings in time. None takes [samples, sensors, timepoints], lists and frames of two levels as
        recordings and [samples, features] as values without time. True takes [samples, timepoints] as recordings of one
        sensor; False takes [samples, nodes, channels] as signals on ``graph``.
    rate : float, default=None
        Time points in a unit of time, of even recordings.
    times : array of shape (timepoints,), default=None
        The time of each time point, if all recordings share them.
    params : dict, default=None
        Options of ``ccp train``: ``{"epochs": 30, "validation": 0.2}``. All are in docs/options.md of the program.
    arrays : dict, default=None
        More arrays of the program's data file (docs/own-data.md): ``grid``, ``parts``, ``bodies``, or ``coordinates`` beside
        another graph.
    warm_start : bool, default=False
        Go on with a training that Ctrl-C has stopped, when ``fit`` is called again with the same data and settings.
    random_state : int, RandomState instance or None, default=None
        The program's seed. None is its own, 1, so that all fits agree.
    backend : str, default=None
        What computes: "go", or with a ``program`` that was built for it "xla:cpu" or "xla:cuda".
    verbose : bool, default=False
        Show the progress of a training, by tqdm if it is installed.
    program : str or path, default=None
        Another program ``ccp`` than the one that came with the package.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    n_features_in_ : int
        The number of sensors or features.
    feature_names_in_ : ndarray of str
        The names of the columns of a frame, if they are strings.
    members_ : list of dict
        What predicts, and what was tried: name, weight in the predictions, and if samples were held out to judge it by,
        their number and the accuracy and loss on them.
    hierarchy_ : list of dict
        The levels of the network's clusters, with the cluster of each node below; empty without a network.
    checkpoint_ : dict of str to bytes
        The files of the trained checkpoint.
    notes_ : list of str
        What is to be known of the data and the training. Reasons to doubt its accuracy are also given as warnings of the
        category CCPWarning by ``fit``.

    See Also
    --------
    clusterpool.aeon.CCPClassifier : The same for aeon.

    Examples
    --------
    >>> import numpy as np
    >>> from clusterpool import CCPClassifier
    >>> x = np.random.default_rng(0).normal(size=(60, 3, 40))  # [samples, sensors, timepoints]
    >>> y = np.array(["rest", "walk"] * 30)
    >>> x[y == "walk", 1] += 2 * np.sin(np.arange(40) / 2)
    >>> model = CCPClassifier(fast=True).fit(x[:40], y[:40])
    >>> model.score(x[40:], y[40:])
    1.0
    """

    _names: list[Hashable] | None  # of the training's sensors

    def __init__(
        self,
        fast: bool = False,
        *,
        graph: Any = None,
        sensor_names: Sequence[str] | None = None,
        time: bool | None = None,
        rate: float | None = None,
        times: Any = None,
        params: Mapping[str, Any] | None = None,
        arrays: Mapping[str, Any] | None = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
        backend: str | None = None,
        verbose: bool = False,
        program: str | os.PathLike[str] | None = None,
    ) -> None:
        self.fast = fast
        self.graph = graph
        self.sensor_names = sensor_names
        self.time = time
        self.rate = rate
        self.times = times
        self.params = params
        self.arrays = arrays
        self.warm_start = warm_start
        self.random_state = random_state
        self.backend = backend
        self.verbose = verbose
        self.program = program

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.input_tags.allow_nan = True
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        return {name: value for name, value in state.items() if name not in ("_process", "_unfinished")}

    def fit(self, X: Any, y: Any, groups: Any = None) -> CCPClassifier:
        """Train on all samples.

        Parameters
        ----------
        X : array, list of arrays or frame
            Recordings [samples, sensors, timepoints], or with channels behind; a list of arrays [sensors, timepoints] of
            unequal lengths; a frame with a column for each sensor and the index levels sample and time; or [samples,
            features], which with ``graph`` are signals on its nodes. NaN is a missing value, or follows the end of a shorter
            recording.
        y : array of shape (samples,)
            The classes. A series whose index names the samples of a frame is matched to them.
        groups : array of shape (samples,), default=None
            Whose each sample is. What the program holds out divides none. ``set_fit_request(groups=True)`` has scikit-learn
            route them.

        Returns
        -------
        CCPClassifier
            The object itself.
        """
        samples, y = self._training_samples(X, y)
        check_classification_targets(y)
        classes, labels = np.unique(y, return_inverse=True)
        if len(classes) < 2:
            raise ValueError(f"y has 1 class, {classes[0]!r}: a classifier needs at least 2")
        settings = {FLAGS.get(name, name): value for name, value in (self.params or {}).items()}
        settings.setdefault("seed", self._seed())
        if "fold" not in settings:
            settings.setdefault("split", "none")  # all samples train
        if self.fast:
            settings["model"] = "transforms"
        arrays = {"labels": labels, "class_names": [str(name) for name in classes], **self._arrays(samples)}
        if groups is not None:
            groups = np.unique(column_or_1d(groups), return_inverse=True)[1]
            check_consistent_length(labels, groups)
            arrays["groups"] = groups
        begun = self.__dict__.pop("_unfinished", None)
        folder = begun if begun is not None and self.warm_start else Folder()
        begun = None  # with it goes what is not gone on with
        name = "series" if self._is_recording(samples) else "features"
        try:
            self._train(folder, settings, lambda path: _inputs.write_npz(path, samples, name, arrays))
        except BaseException as error:
            (folder.path / "data.npz").unlink(missing_ok=True)
            if isinstance(error, KeyboardInterrupt) or (folder.path / "run").exists() and self.warm_start:
                self._unfinished = folder
            if isinstance(error, CCPError) and (folder.path / "run").exists() and self.warm_start:
                raise CCPError(f"{error}\nA training was interrupted, and warm_start=True goes on with it: give the same data and "
                               "settings, or warm_start=False to begin anew", error.code) from None
            raise
        self.classes_ = classes
        self._ready()
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array, list of arrays or frame
            Samples in a form that ``fit`` takes, with the training's sensors. Recordings may have other lengths.

        Returns
        -------
        ndarray of shape (samples, n_classes)
            The probabilities, in the order of ``classes_``.
        """
        return self._ask(X, [PROBABILITIES])["probabilities"]

    def p_values(self, X: Any) -> np.ndarray:
        """Return how well each sample suits each class: the share of held-out samples that suit their class no better.

        The p-value of a class is at most alpha in a share alpha of the samples of that class, if new samples are like the
        training's (conformal prediction [1]_). Where the largest of a sample is small, it is of none of the classes.

        Parameters
        ----------
        X : array, list of arrays or frame
            Samples, as ``predict_proba`` takes them.

        Returns
        -------
        ndarray of shape (samples, n_classes)
            The p-values, in the order of ``classes_``; NaN of a class of which no sample was held out.

        References
        ----------
        .. [1] Angelopoulos, A. N. and Bates, S., 2023. Conformal prediction: a gentle introduction. Foundations and Trends
           in Machine Learning, 16(4).
        """
        return self._ask(X, [P_VALUES])["p_values"]

    def predict_sets(self, X: Any, alpha: float = 0.1) -> np.ndarray:
        """Return the set of classes of each sample that holds its class in a share ``1 - alpha`` of new samples.

        Parameters
        ----------
        X : array, list of arrays or frame
            Samples, as ``predict_proba`` takes them.
        alpha : float, default=0.1
            The share of samples whose class may be missing, above 0 and below 1: of n held-out samples at least 1/(n+1).

        Returns
        -------
        ndarray of bool of shape (samples, n_classes)
            Whether each class is in the set, in the order of ``classes_``. A row without any suits none of the classes.
        """
        check_is_fitted(self)
        if not 0 < alpha < 1:
            raise ValueError(f"alpha is {alpha!r}, and must be above 0 and below 1, such as 0.05")
        p_values = self.p_values(X)
        held_out = self._held_out()
        if alpha * (held_out + 1) < 1 - 1e-9:
            raise ValueError(f"alpha={alpha:g} needs {int(np.ceil(1 / alpha - 1 - 1e-9))} held-out samples, and the training held out "
                             f"{held_out}: the least alpha possible is 1/{held_out + 1} = {1 / (held_out + 1):.4g}")
        return p_values > alpha + 1e-9

    def _held_out(self) -> int:
        """Return the number of held-out samples that p-values are by."""
        state = next(content for name, content in self.checkpoint_.items() if name.endswith("/state.json"))
        return len(json.loads(state)["conformal"]["scores"])

    def predict_early(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the class of each recording as soon as it is decided, and when that was.

        The training must have learned when a class is known: ``params={"early": "loss"}``, or ``"mean"``. A recording that still
        goes on may be given as far as it has come, again and again until it is decided: nothing after the decision has a part in it.

        Parameters
        ----------
        X : array, list of arrays or frame
            Recordings, as ``predict_proba`` takes them, whole or so far.

        Returns
        -------
        classes : ndarray of shape (samples,)
            The classes. Of a recording that is not decided it is the most probable so far. Before anything is known it is None, and a
            warning says so; the array is then one of objects.
        decided : ndarray of float of shape (samples,)
            How long each recording had lasted when its class was decided, in the unit of ``rate`` or ``times``, else in time points;
            NaN where it is not decided. Of a classifier that was loaded it is in the unit of the training's times: seconds if these
            were dates.
        """
        answer = self._ask(X, EARLY)
        classes, unknown = self.classes_[answer["class"]], answer["class"] < 0
        if unknown.any():
            classes = classes.astype(object)
            classes[unknown] = None
        return classes, answer["decided"]

    def _ask(self, X: Any, outputs: list[dict[str, Any]]) -> dict[str, np.ndarray]:
        """Return outputs of the program by their names, each with a row or a number for each sample."""
        check_is_fitted(self)
        samples = self._new_samples(X)
        recording = self._is_recording(samples)
        name = "series" if recording else "signals"
        found: dict[str, list[np.ndarray]] = {output["name"]: [] for output in outputs}
        for start, stop in samples.parts(1024):
            block = samples.block(start, stop)
            tensors = {name: block if block.dtype.name in ("float32", "float64") else block.astype(np.float64)}
            times = self._times_of(samples, start, stop, block.shape[2]) if recording else None
            if times is not None:
                tensors["times"] = times
            try:
                answer, about = self._process.ask(tensors, outputs)
            except Refused as refused:
                text = _placed(str(refused), start)
                raise CCPError(text if text.startswith(("the checkpoint", "the classifier")) else "X: " + text) from None
            for asked, part in answer.items():
                found[asked].append(part)
            for line in about:
                _program.warn("X: " + _placed(line, start))
        return {asked: np.concatenate(parts) for asked, parts in found.items()}

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of each sample.

        Parameters
        ----------
        X : array, list of arrays or frame
            Samples, as ``predict_proba`` takes them.

        Returns
        -------
        ndarray of shape (samples,)
            The classes.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def explain(self, X: Any) -> np.ndarray:
        """Return how much each sensor, at each frame of a recording, contributed to the predicted class.

        Parameters
        ----------
        X : array, list of arrays or frame
            Samples, as ``predict_proba`` takes them.

        Returns
        -------
        ndarray of shape (samples, nodes) or (samples, sensors, frames)
            The contributions to the logit of the predicted class. Frames are even parts of a recording.
        """
        check_is_fitted(self)
        with self._run_folder(X, None) as folder:
            self._command("explain", "--checkpoint", folder.path / "run", "--data", folder.path / "data.npz", "--split", "all",
                          "--samples", 0, "--out", folder.path / "why")
            return self._contributions(folder.path / "why" / "contributions.csv", folder.samples)

    def report(self, path: str | os.PathLike[str], X: Any = None, y: Any = None) -> None:
        """Write a page for a browser: learning curves, clusters and, of samples that are given, mistakes and what mattered.

        Parameters
        ----------
        path : str or path
            The file, whose name ends in .html.
        X, y : samples and their classes, default=None
            Samples to test on, as ``fit`` takes them.
        """
        check_is_fitted(self)
        if (X is None) != (y is None):
            raise ValueError("X and y belong together: give both, samples to test on and their classes, or none")
        with self._run_folder(X, y) as folder:
            data = ["--data", folder.path / "data.npz"] if X is not None else []
            self._command("report", "--checkpoint", folder.path / "run", *data, "--out", pathlib.Path(path).absolute(), "--overwrite")

    def to_onnx(self, path: str | os.PathLike[str]) -> None:
        """Write the classifier as an ONNX model, or as a C file if the name ends in .c.

        Parameters
        ----------
        path : str or path
            The file, which is replaced if it is there.
        """
        check_is_fitted(self)
        with self._run_folder(None, None) as folder:
            self._command("export", "--checkpoint", folder.path / "run", "--out", pathlib.Path(path).absolute(), "--overwrite")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the checkpoint into a new folder, for ``load`` and for the commands of the program.

        Parameters
        ----------
        path : str or path
            The folder, which must be empty or missing.
        """
        check_is_fitted(self)
        if pathlib.Path(path).exists() and os.listdir(path):
            raise FileExistsError(f"{os.fspath(path)} is not empty: name a new folder, since its files would be mixed with the "
                                  "checkpoint's")
        write(self.checkpoint_, path)
        names = self._names
        about = {"classes": self.classes_.tolist(), "sensor_names": names and [str(name) for name in names], "time": self.time,
                 "frame": hasattr(self, "feature_names_in_")}
        pathlib.Path(path, OWN_FILE).write_text(json.dumps(about) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, path: str | os.PathLike[str], **parameters: Any) -> CCPClassifier:
        """Return a fitted classifier of a folder that ``save`` or ``ccp train`` wrote.

        Parameters
        ----------
        path : str or path
            The folder.
        **parameters : dict
            Parameters of the classifier.

        Returns
        -------
        CCPClassifier
            The classifier. Of a folder of ``ccp train``, its classes are strings.
        """
        folder = pathlib.Path(path)
        own = folder / OWN_FILE
        about = json.loads(own.read_text(encoding="utf-8")) if own.exists() else {}
        model = cls(**{"time": about.get("time"), **parameters})
        model._take(folder)
        model.classes_ = np.array(about.get("classes") or model._about["spec"]["class_names"])
        names = about.get("sensor_names")
        model._names = names
        model.n_features_in_ = len(model._form["sensors"]) if model._form else model._about["spec"]["nodes"]
        if about.get("frame"):
            model.feature_names_in_ = np.array(names, dtype=object)
        model._ready()
        return model

    # Samples

    def _training_samples(self, X: Any, y: Any) -> tuple[Samples, np.ndarray]:
        """Return the samples to train on and their classes, and set what later samples are compared with."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self.__dict__.pop("feature_names_in_", None)
        if _inputs.is_long_frame(X):
            samples = _inputs.from_long_frame(X)
            y = _in_order(y, samples.ids)
            names = self._names = list(samples.names or [])
            if all(isinstance(name, str) for name in names):
                self.feature_names_in_ = np.array(names, dtype=object)
        elif _inputs.is_list_of_recordings(X, self.time):
            samples = _inputs.from_list(X)
            self._names = self._given_names(samples.shape[1])
        else:
            X, y = validate_data(self, self._with_sensor(X), y, dtype="numeric", ensure_all_finite="allow-nan", allow_nd=True)
            frame_names = getattr(self, "feature_names_in_", None)
            self._names = list(frame_names) if frame_names is not None else self._given_names(X.shape[1])
            if self.sensor_names is not None and list(self.sensor_names) != list(self._names):
                raise ValueError("sensor_names differs from the columns of X, which name the sensors: leave it out, and name the nodes "
                                 "of a graph in the graph")
            return Samples(self._shaped(X), names=self._names), y
        y = column_or_1d(y, warn=True)
        check_consistent_length(samples.values, y)
        self.n_features_in_ = samples.shape[1]
        return samples, y

    def _new_samples(self, X: Any) -> Samples:
        """Return samples to predict, which have the training's sensors."""
        if _inputs.is_long_frame(X):
            samples = _inputs.from_long_frame(X, self._names)
        elif _inputs.is_list_of_recordings(X, self.time):
            samples = _inputs.from_list(X)
        else:
            X = validate_data(self, self._with_sensor(X), reset=False, dtype="numeric", ensure_all_finite="allow-nan", allow_nd=True)
            return Samples(self._shaped(X), names=self._names)
        if samples.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {samples.shape[1]} sensors, but {type(self).__name__} is expecting {self.n_features_in_} "
                             "features as input")
        return samples

    def _given_names(self, count: int) -> list[Hashable] | None:
        if self.sensor_names is None:
            return None
        if len(self.sensor_names) != count or len(set(self.sensor_names)) < count:
            raise ValueError(f"sensor_names has {len(set(self.sensor_names))} different names, and X has {count} sensors: name each")
        return list(self.sensor_names)

    def _with_sensor(self, X: Any) -> Any:
        """Return X with an axis for its one sensor, if ``time`` says that its columns are time points."""
        _inputs.check_rows(X)
        if self.time is not True or getattr(X, "ndim", 2) != 2:
            return X
        return check_array(X, dtype="numeric", ensure_all_finite="allow-nan")[:, np.newaxis, :]

    def _shaped(self, X: np.ndarray) -> np.ndarray:
        if X.dtype == np.float16:
            X = X.astype(np.float32)
        return X[:, :, np.newaxis] if X.ndim == 2 and not self._has_graph() else X

    def _has_graph(self) -> bool:
        """Report whether samples without time are signals on a graph, and not rows of a table."""
        if hasattr(self, "_about"):
            return self._form is None or self._form.get("longest") != 1
        return self.graph is not None or "knn" in (self.params or {})

    def _is_recording(self, samples: Samples) -> bool:
        if hasattr(self, "_about"):
            return self._form is not None
        if self.time is False or len(samples.shape) == 2:
            if not self._has_graph():
                raise ValueError("time=False takes X as signals on a graph, and there is none: give graph=, or params={'knn': 8}")
            return False
        return True

    def _arrays(self, samples: Samples) -> dict[str, Any]:
        """Return what the data file has beside samples, classes and groups."""
        sensors, recording = samples.shape[1], self._is_recording(samples)
        arrays: dict[str, Any] = {}
        for name, value in (self.arrays or {}).items():
            if name not in BESIDE:
                raise ValueError(f"arrays has {name!r}, and takes {', '.join(sorted(BESIDE))}: what belongs to samples is X, y and "
                                 "groups, a graph is graph=, and names, rate and times are parameters of their own")
            arrays[name] = np.asarray(value)
        if self.graph is not None:
            arrays.update(_graph.arrays_of(self.graph, sensors, samples.names))
        if samples.names is not None:
            arrays["sensor_names" if recording else "node_names"] = [str(name) for name in samples.names]
        if recording:
            times = self._times_of(samples, 0, len(samples), samples.shape[2])
            if self.rate is not None and self.times is None and samples.times is None:
                arrays["rate"] = float(self.rate)
            elif times is not None:
                arrays["times"] = times
        return arrays

    def _times_of(self, samples: Samples, start: int, stop: int, timepoints: int) -> np.ndarray | None:
        """Return the times of some samples: their own, or those that the parameters give."""
        if samples.times is not None:
            return samples.times_of(start, stop, timepoints)
        if self.times is not None:
            times = np.asarray(self.times, dtype=np.float64)
            if times.shape != (samples.shape[2],):
                raise ValueError(f"times has shape {times.shape}, and X has {samples.shape[2]} time points: give the times "
                                 f"({samples.shape[2]},) that all recordings share, or a frame with the times of each")
            return times[:timepoints]
        if self.rate is not None and timepoints > 1:
            return np.arange(timepoints) / self.rate
        return None

    # The program

    def _seed(self) -> int:
        if self.random_state is None or isinstance(self.random_state, (int, np.integer)):
            return 1 if self.random_state is None else int(self.random_state)
        return int(check_random_state(self.random_state).randint(1 << 31))

    def _command(self, command: str, *arguments: object) -> str:
        return _program.run(_program.find(self.program), [command, *arguments, *self._on()])[0]

    def _on(self) -> list[str]:
        """Return the flag that says what computes. The program of the package has pure Go alone."""
        backend = self.backend or ("go" if self.program is None else None)
        return ["--backend", backend] if backend else []

    def _train(self, folder: Folder, settings: Mapping[str, Any], write_data: Any) -> None:
        program = _program.find(self.program)
        run, data = folder.path / "run", folder.path / "data.npz"
        write_data(data)
        pairs = [f"{name}={_text(value)}" for name, value in settings.items()]
        progress = Progress(bool(self.verbose))
        try:
            lean = {"GOGC": "30"} if self.fast else {}  # a quarter less memory; transforms leave little to collect
            _, said = _program.run(program, ["train", "--data", data, "--checkpoint", run, *self._on(), *pairs], progress.line, lean)
        finally:
            progress.close()
        self.__dict__.pop("_about", None)
        self._take(run)
        told = [text for text in said if re.match(r"\s*((data|note|question|warning): |resuming )", text)]
        self.notes_ = [text.strip() for text in told]
        for text in self.notes_:
            level, _, words = text.partition(": ")
            if level in ("warning", "question"):
                _program.warn(words)

    def _take(self, run: pathlib.Path) -> None:
        """Take a run's checkpoint. The state that a training resumes from, last-*, stays behind."""
        paths = [run / name for name in FILES] + sorted(run.glob("best-*/*"))
        checkpoint = {path.relative_to(run).as_posix(): path.read_bytes() for path in paths if path.exists()}
        for name in ("model.json", "result.json"):
            if name not in checkpoint:
                raise CCPError(f"{run} is not the folder of a finished training: it has no {name!r}")
        self.checkpoint_ = checkpoint
        self._about = json.loads(checkpoint["model.json"])
        self._form = self._about["spec"].get("recording")
        self.members_ = json.loads(checkpoint["result.json"]).get("members", [])
        self.hierarchy_ = self._clusters() if self._about["spec"]["levels"] else []

    def _clusters(self) -> list[dict[str, Any]]:
        """Return the levels of the network's clusters; none if the transforms predict alone."""
        with self._run_folder(None, None) as folder:
            try:
                written = self._command("clusters", "--checkpoint", folder.path / "run", "--json", "--out", folder.path / "clusters")
            except CCPError as error:
                if "predict alone, without a network" in str(error):
                    return []
                raise
            levels = json.loads(written)["levels"]
            for level in levels:
                with open(folder.path / "clusters" / f"level_{level['level']}_memberships.csv", newline="", encoding="utf-8") as file:
                    best: dict[int, tuple[float, int]] = {}
                    for row in csv.DictReader(file):
                        share = float(row["weight"]), int(row["cluster"])
                        best[int(row["node"])] = max(best.get(int(row["node"]), (-1.0, -1)), share)
                level["cluster_of"] = np.array([best.get(node, (0.0, -1))[1] for node in range(level["nodes"])])
            return levels

    def _ready(self) -> None:
        self._process = Process(self.checkpoint_, self.program, self._on())

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "checkpoint_" in self.__dict__:
            self._ready()

    def _run_folder(self, X: Any, y: Any) -> Folder:
        """Return a folder with the checkpoint as run and, if there are samples, data.npz of them, all to test on."""
        folder = Folder()
        write(self.checkpoint_, folder.path / "run")
        if X is None:
            return folder
        samples = self._new_samples(X)
        folder.samples = len(samples)
        labels = self.predict(X) if y is None else _in_order(y, samples.ids)
        places = {name: place for place, name in enumerate(self.classes_.tolist())}
        unknown = [label for label in np.asarray(labels).tolist() if label not in places]
        if unknown:
            raise ValueError(f"y has {unknown[0]!r}, which is none of the classes of the training, {', '.join(map(repr, places))}")
        recording = self._is_recording(samples)
        arrays = {"labels": [places[label] for label in np.asarray(labels).tolist()],
                  "class_names": self._about["spec"]["class_names"]}
        times = self._times_of(samples, 0, len(samples), samples.shape[2]) if recording else None
        if times is not None:
            arrays["times"] = times
        if self._names is not None:
            arrays["sensor_names" if recording else "node_names"] = [str(name) for name in self._names]
        _inputs.write_npz(folder.path / "data.npz", samples, "series" if recording else "features", arrays)
        return folder

    def _contributions(self, path: pathlib.Path, count: int) -> np.ndarray:
        """Read the contributions of samples: of a recording's nodes, frame by frame and sensor by sensor."""
        found = np.zeros((count, self._about["spec"]["nodes"]))
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):  # of those that are not 0
                found[int(row["sample"]), int(row["node"])] = float(row["contribution"])
        if self._form is None or self._form["frames"] == 1:
            return found
        return np.ascontiguousarray(found.reshape(count, self._form["frames"], -1).transpose(0, 2, 1))


class Folder:
    """A temporary folder, which is removed with this object."""

    def __init__(self) -> None:
        self.path = pathlib.Path(tempfile.mkdtemp(prefix="clusterpool-"))
        self.samples = 0  # of its data.npz
        self._remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)

    def __enter__(self) -> Folder:
        return self

    def __exit__(self, *error: object) -> None:
        self._remove()


def _placed(text: str, start: int) -> str:
    """Return a sentence of the program about a sample of a part, with the sample's place in the whole."""
    text = re.sub(r"^and (\d+) other signals$", r"and \1 other samples", text)
    return re.sub(r"^(recording|signal|unusable signal) (\d+)", lambda found: f"sample {int(found[2]) + start}", text)


def _in_order(y: Any, ids: list[Hashable] | None) -> Any:
    """Return classes in the order of a frame's samples. They are matched by their index if it names just these."""
    index = getattr(y, "index", None)
    if ids is None or index is None or not hasattr(y, "loc") or getattr(index, "nlevels", 1) != 1:
        return y
    if len(index) == len(ids) and set(index) == set(ids):
        return y.loc[ids].to_numpy()
    if list(index) == list(range(len(index))):
        return y
    raise ValueError(f"y has the index {_graph._few(index)}, and the samples of X are {_graph._few(ids)}: name them alike, or give "
                     "y.to_numpy() in the order of the samples")


def _text(value: Any) -> str:
    """Return an option's value as the program reads it."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value)).lower()
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text(part) for part in value)
    return str(value)
