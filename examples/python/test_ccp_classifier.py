"""Tests of ccp_classifier.py, by pytest or as a program. ccp must be on the PATH, or CCP name it.

    python3 examples/python/test_ccp_classifier.py [NAME…]
"""
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import numpy as np
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

from ccp_classifier import CCPClassifier, CCPError


def made(params=None, **other):
    return CCPClassifier(params, **{"fast": True, "backend": "go", "program": os.environ.get("CCP", "ccp"), **other})


def recordings():
    """40 of three sensors from ten people; who walks has a wave at the second sensor. One has a gap, one is shorter."""
    draw, which = np.random.default_rng(0), np.arange(40)
    x = draw.normal(size=(40, 3, 30))
    x[which % 2 == 1, 1] += 2 * np.sin(np.arange(30) / 2)
    x[3, 1, 4:7] = x[5, :, 20:] = np.nan
    return x, np.array(["rest", "walk"])[which % 2], which // 2 % 10


def refused(kind, text, call):
    try:
        call()
    except kind as error:
        assert re.search(text, str(error)), f"{error!r} does not say {text!r}"
        return error
    raise AssertionError(f"no {kind.__name__}")


def test_check_estimator():
    results = check_estimator(made(), on_skip=None)  # the first failure is an exception
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert len(results) > 50 and skipped <= {"check_array_api_input"}, skipped


def test_nested_cross_validation_with_groups():
    """Metadata routing brings groups to the outer folds, the inner ones and the program, which divides none in what it holds out."""
    x, y, groups = recordings()
    given = []

    class Told(CCPClassifier):
        def fit(self, X, y, groups=None):
            given.append(groups)
            return super().fit(X, y, groups=groups)

    warnings.filterwarnings("ignore", "X: .*|.*time points, the training's recordings", UserWarning)  # one recording is shorter
    with sklearn.config_context(enable_metadata_routing=True):
        model = Told(fast=True, backend="go", program=made().program).set_fit_request(groups=True)
        search = GridSearchCV(model, {"params": [{"transforms": "minirocket"}, {"transforms": "values"}]},
                              cv=GroupKFold(2), error_score="raise")
        found = cross_validate(search, x, y, params={"groups": groups}, cv=GroupKFold(2), return_estimator=True, error_score="raise")
    assert found["test_score"].mean() > 0.9, found
    assert [len(set(g)) for g in given] == [2, 3, 2, 3, 5] * 2 or all(len(set(g)) <= 5 for g in given) and len(given) == 10, given
    for fitted in found["estimator"]:
        assert fitted.best_estimator_.checkpoint_ and list(fitted.classes_) == ["rest", "walk"]
    data = np.repeat([0, 1], 20)
    refused(ValueError, "inconsistent numbers of samples", lambda: made().fit(x, y, groups=data[:5]))


def test_pickle_clone_pipeline():
    """A pickle holds the checkpoint: the folders of the training are gone. A pipeline and a clone are as good."""
    x, y, _ = recordings()
    model = make_pipeline(FunctionTransformer(np.asarray), made(random_state=3)).fit(x, y)
    probabilities = model.predict_proba(x)
    assert probabilities.shape == (40, 2) and abs(probabilities.sum(axis=1) - 1).max() < 1e-12 and model.score(x, y) > 0.9
    assert (pickle.loads(pickle.dumps(model)).predict_proba(x) == probabilities).all()
    assert (clone(model).fit(x, y).predict_proba(x) == probabilities).all()
    assert b'"seed": 3' in model[-1].checkpoint_["config.json"]
    assert cross_val_score(made(), x, y == "walk", cv=2, error_score="raise").mean() > 0.9
    with tempfile.TemporaryDirectory() as folder:
        model[-1].save(folder)
        assert (CCPClassifier.from_checkpoint(folder, backend="go", program=made().program).predict_proba(x) == probabilities).all()
        refused(FileExistsError, "not empty", lambda: model[-1].save(folder))  # the checkpoints would be mixed
        refused(CCPError, "finished training: it has no 'result.json'", lambda: CCPClassifier.from_checkpoint(folder + "/none"))


def test_labels_and_tables():
    """Labels keep their type, also if their order as text is another. A gap of a table is filled; a graph's nodes make signals."""
    draw, y = np.random.default_rng(0), np.array([2, 10, -1] * 14)
    x = draw.normal(size=(42, 4))
    x[:, 1] += 3 * y
    x[4, 2] = np.nan
    model = made().fit(x, y)
    assert list(model.classes_) == [-1, 2, 10] and model.predict(x).dtype == y.dtype and model.score(x, y) > 0.9
    assert b'"recording"' in model.checkpoint_["model.json"]
    parted = np.array(["a\x85b", "c\nd", "e\u2028f"])[np.unique(y, return_inverse=True)[1]]  # some take these for ends of lines
    assert made().fit(x, parted).score(x, parted) > 0.9
    ring = {"edges": [(i, (i + 1) % 4) for i in range(4)]}
    settings = {"transforms": "none", "levels": ["4x8/4", "1x8/4"], "fc": [8], "epochs": 40, "lr": 0.01}
    model, whole = made(settings, fast=False, arrays=ring), np.nan_to_num(x)
    assert model.fit(x, y).score(x, y) > 0.8
    assert model.fit(whole, y).score(whole, y) > 0.8 and b'"recording"' not in model.checkpoint_["model.json"]


def test_checkpoint_of_the_examples():
    examples = pathlib.Path(__file__).resolve().parent.parent
    model = CCPClassifier.from_checkpoint(examples / "digits", backend="go", program=made().program)
    assert list(model.predict(np.load(examples / "digits.npy"))) == list("0123456789")


def test_errors_and_warnings():
    """The program's sentences arrive as exceptions and warnings of Python."""
    x, y, _ = recordings()
    assert refused(CCPError, r'^--set: there is no option "lerning_rate"; did you mean learning_rate\?.*all$',
                   lambda: made({"lerning_rate": 1}).fit(x, y)).code == 2
    refused(CCPError, r"^X: series\[2\]: no sensor has a value",
            lambda: made().fit(np.where(np.arange(40)[:, None, None] == 2, np.nan, x), y))
    refused(FloatingPointError, "^diverged: ", lambda: made({"l2": 1e39, "transforms": "none", "levels": "4x8/4"}, fast=False).fit(x, y))
    refused(FileNotFoundError, "no program 'nowhere'", lambda: made(program="nowhere").fit(x, y))
    refused(ValueError, "seed", lambda: made(random_state=np.random.default_rng(0)).fit(x, y))
    refused(ValueError, "1 class", lambda: made().fit(x, np.zeros(40)))
    model = made().fit(x, y)
    refused(ValueError, "expecting 3 features", lambda: model.predict(x[:, :2]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.predict(1000 * x)
    assert any("is it in another unit?" in str(warning.message) for warning in caught), caught


def test_times_of_training_and_prediction():
    """Times that all recordings share are those of prediction, too. The program's own prediction by them is the same."""
    draw, y = np.random.default_rng(0), np.arange(48) % 2
    times = np.cumsum(np.tile([1, 1, 1, 5], 13))[:50] / 10
    x = np.sin(np.array([2, 3])[y, None, None] * (times + draw.uniform(0, 9, (48, 1, 1)))) + draw.normal(0, 0.2, (48, 1, 50))
    model = made({"transforms": "power"}, arrays={"times": times}).fit(x[:32], y[:32])
    probabilities = model.predict_proba(x)
    assert (probabilities.argmax(axis=1) == y).all(), probabilities
    with tempfile.TemporaryDirectory() as folder:
        np.savez(folder + "/new.npz", series=x, times=times)
        model.save(folder + "/run")
        lines = subprocess.run([model.program, "predict", "--backend", "go", "--checkpoint", folder + "/run", folder + "/new.npz"],
                               check=True, capture_output=True, text=True).stdout.splitlines()
        other = CCPClassifier.from_checkpoint(folder + "/run", arrays={"times": times}, backend="go", program=model.program)
        assert (other.predict_proba(x) == probabilities).all()
    assert abs(np.array([line.split(",")[3:] for line in lines[1:]], float) - probabilities).max() < 1e-6
    refused(ValueError, r"'times'\] has shape \(50,\), and X has 40 time points: give the times \(40,\)", lambda: model.predict(x[:, :, :40]))


def test_arrays_of_samples():
    """What belongs to samples has no place in arrays: it is refused with what the user gave, not with the sizes of the program's file."""
    x, y, groups = recordings()
    for name, value, text in [
        ("lengths", np.full(40, 30), r"'lengths', of shape \(40,\), which belongs to samples: let shorter recordings of X end in NaN"),
        ("groups", groups, r"'groups', of shape \(40,\), .*: give fit\(X, y, groups=...\)"),
        ("split", np.zeros(40), "'split'"), ("sample_names", [str(i) for i in range(40)], "'sample_names'"), ("labels", y, "'labels'"),
        ("times", np.tile(np.arange(30), (40, 1)), r"'times'\] has shape \(40, 30\), and X has 30 time points: give the times \(30,\)"),
        ("times", np.arange(29), r"'times'\] has shape \(29,\)"),
        ("sensor_names", ["a", "b"], "has the length 2, and X has 3 sensors"), ("adjacency", np.ones((4, 4)), "has the length 4, and X has 3"),
    ]:
        refused(ValueError, text, lambda: made(arrays={name: value}).fit(x, y))


def test_interrupt():
    """Ctrl-C ends the program and leaves no file."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has its background jobs ignore it
    x, y, _ = recordings()
    tempfile.tempdir = own = tempfile.mkdtemp()  # where no other program has files
    model = made({"epochs": 100000, "transforms": "none"}, fast=False)
    children = []

    def interrupt():
        while not children:
            time.sleep(0.05)
            children.extend(pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if parent(pid) == os.getpid())
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGINT)

    def parent(pid):
        try:
            return int(pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return None

    threading.Thread(target=interrupt, daemon=True).start()
    refused(KeyboardInterrupt, "", lambda: model.fit(x, y))
    assert not any(parent(pid) == os.getpid() for pid in children), children
    assert not hasattr(model, "checkpoint_") and not os.listdir(own)
    os.rmdir(own)
    tempfile.tempdir = None


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_") and (len(sys.argv) == 1 or name in sys.argv[1:]):
            begin = time.monotonic()
            test()
            print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
