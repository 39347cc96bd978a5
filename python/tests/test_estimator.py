"""The estimator in scikit-learn's tools, its errors and its methods."""
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator

from clusterpool import CCPClassifier, CCPError, CCPWarning, _program


def test_check_estimator():
    results = check_estimator(CCPClassifier(fast=True), on_skip=None)  # the first failure is an exception
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert len(results) > 50 and skipped <= {"check_array_api_input"}, skipped


def test_groups_are_routed(recordings):
    """To the outer folds, the inner ones and the program, which divides none in what it holds out."""
    x, y, groups = recordings
    given = []

    class Told(CCPClassifier):
        def fit(self, X, y, groups=None):
            given.append(groups)
            return super().fit(X, y, groups=groups)

    with sklearn.config_context(enable_metadata_routing=True), pytest.warns(UserWarning, match="time points"):
        search = GridSearchCV(Told(fast=True).set_fit_request(groups=True), {"params": [{"transforms": "minirocket"}, {"transforms": "values"}]},
                              cv=GroupKFold(2), error_score="raise")
        found = cross_validate(search, x, y, params={"groups": groups}, cv=GroupKFold(2), return_estimator=True, error_score="raise")
    assert found["test_score"].mean() > 0.9
    assert len(given) == 10 and all(len(set(g)) <= 5 for g in given)
    assert list(found["estimator"][0].classes_) == ["rest", "walk"]
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        CCPClassifier(fast=True).fit(x, y, groups=groups[:5])


def test_every_sample_trains(recordings):
    """The data file has no test, so that the program finds no copies of samples in it."""
    x, y, groups = recordings
    model = CCPClassifier(fast=True).fit(x, y, groups)
    assert json.loads(model.checkpoint_["result.json"])["test_samples"] == 0
    assert not any("same" in note or "twice" in note for note in model.notes_), model.notes_
    assert any("groups" in member for member in model.members_)


def test_pickle_clone_pipeline(whole):
    """A pickle holds the checkpoint, and goes to another process. A pipeline and a clone are as good."""
    x, y = whole
    model = make_pipeline(FunctionTransformer(np.asarray), CCPClassifier(fast=True, random_state=3)).fit(x, y)
    probabilities = model.predict_proba(x)
    assert probabilities.shape == (40, 2) and abs(probabilities.sum(axis=1) - 1).max() < 1e-12 and model.score(x, y) > 0.9
    assert (pickle.loads(pickle.dumps(model)).predict_proba(x) == probabilities).all()
    assert (clone(model).fit(x, y).predict_proba(x) == probabilities).all()
    assert json.loads(model[-1].checkpoint_["result.json"])["seed"] == 3
    line = "import pickle, sys; model, x = pickle.load(sys.stdin.buffer); sys.stdout.buffer.write(model.predict_proba(x).tobytes())"
    out = subprocess.run([sys.executable, "-c", line], input=pickle.dumps((model[-1], x)), stdout=subprocess.PIPE, check=True).stdout
    assert (np.frombuffer(out).reshape(40, 2) == probabilities).all()


def test_cross_validation_in_two_processes(whole):
    x, y = whole
    alone = cross_val_predict(CCPClassifier(fast=True), x, y, cv=2, method="predict_proba")
    assert (cross_val_predict(CCPClassifier(fast=True), x, y, cv=2, method="predict_proba", n_jobs=2) == alone).all()
    assert cross_val_score(CCPClassifier(fast=True), x, y == "walk", cv=2, n_jobs=2, error_score="raise").mean() > 0.9


def test_save_and_load(whole, tmp_path):
    x, y = whole
    labels = np.where(y == "walk", 7, -1)
    model = CCPClassifier(fast=True, sensor_names=["a", "b", "c"]).fit(x, labels)
    model.save(tmp_path / "run")
    again = CCPClassifier.load(tmp_path / "run")
    assert again.classes_.tolist() == [-1, 7] and (again.predict_proba(x) == model.predict_proba(x)).all()
    with pytest.raises(FileExistsError, match="not empty"):
        model.save(tmp_path / "run")
    with pytest.raises(CCPError, match="finished training: it has no 'model.json'"):
        CCPClassifier.load(tmp_path / "none")
    (tmp_path / "run" / "clusterpool.json").unlink()  # as ccp train writes it
    assert CCPClassifier.load(tmp_path / "run").classes_.tolist() == ["-1", "7"]
    np.savez(tmp_path / "new.npz", series=x)
    out = subprocess.run([_program.find(), "predict", "--backend", "go", "--json", "--checkpoint", tmp_path / "run", tmp_path / "new.npz"],
                         check=True, capture_output=True, text=True).stdout
    rows = [json.loads(line)["probabilities"] for line in out.splitlines()]
    assert [[row["-1"], row["7"]] for row in rows] == model.predict_proba(x).tolist()  # to the last digit


def test_labels_keep_their_type():
    """Also if their order as text is another, and if some take what they hold for ends of lines. A gap of a table is filled."""
    draw, y = np.random.default_rng(0), np.array([2, 10, -1] * 14)
    x = draw.normal(size=(42, 4))
    x[:, 1] += 3 * y
    x[4, 2] = np.nan
    model = CCPClassifier(fast=True).fit(x, y)
    assert model.classes_.tolist() == [-1, 2, 10] and model.predict(x).dtype == y.dtype and model.score(x, y) > 0.9
    parted = np.array(["a\x85b", "c\nd", "e\u2028f"])[np.unique(y, return_inverse=True)[1]]
    assert CCPClassifier(fast=True).fit(x, parted).score(x, parted) > 0.9
    truth = CCPClassifier(fast=True).fit(x, y > 5)
    assert truth.predict(x).dtype == bool


def test_methods(whole, tmp_path):
    """A network on a few clusters: what mattered, the report, the clusters, ONNX."""
    x, y = whole
    settings = {"transforms": "none", "levels": ["4x8/4", "1x8/4"], "fc": [8], "epochs": 20, "lr": 0.01}
    model = CCPClassifier(params=settings, sensor_names=["hip", "hand", "head"]).fit(x, y)
    why = model.explain(x[:4])
    assert why.shape == (4, 3, 30)
    mean = abs(why).sum(axis=2).mean(axis=0)
    assert mean.argmax() == 1, mean  # the wave is at the hand
    levels = model.hierarchy_
    assert [level["clusters"] for level in levels] == [4, 1] and levels[0]["cluster_of"].shape == (90,)
    assert set(levels[0]["cluster_of"]) == {0, 1, 2, 3}
    model.report(tmp_path / "page.html", x[:10], y[:10])
    assert "hand" in (tmp_path / "page.html").read_text(encoding="utf-8")
    model.report(tmp_path / "page.html")
    model.to_onnx(tmp_path / "model.onnx")
    assert (tmp_path / "model.onnx").stat().st_size > 1000
    with pytest.raises(ValueError, match="'run', which is none of the classes of the training, 'rest', 'walk'"):
        model.report(tmp_path / "page.html", x[:1], ["run"])


def test_methods_without_network(whole):
    x, y = whole
    fast = CCPClassifier(fast=True).fit(x, y)
    assert fast.hierarchy_ == [] and fast.explain(x[:2]).shape == (2, 3, 30)
    assert {"minirocket", "hydra"} <= {member["name"] for member in fast.members_}
    assert all({"weight", "accuracy", "loss", "samples"} <= set(member) for member in fast.members_)


def test_errors_and_warnings(recordings):
    """The program's sentences arrive as exceptions and warnings of Python."""
    x, y, _ = recordings

    def refused(kind, text, call):
        with pytest.raises(kind) as caught:
            call()
        assert re.search(text, str(caught.value)), caught.value
        return caught.value

    assert refused(CCPError, r'^--set: there is no option "lerning_rate"; did you mean learning_rate\?.*all$',
                   lambda: CCPClassifier(params={"lerning_rate": 1}).fit(x, y)).code == 2
    silent = np.where(np.arange(40)[:, None, None] == 2, np.nan, x)
    refused(CCPError, r"^X: series\[2\]: no sensor has a value", lambda: CCPClassifier(fast=True).fit(silent, y))
    refused(FloatingPointError, "^diverged: ", lambda: CCPClassifier(params={"l2": 1e39, "transforms": "none", "levels": "4x8/4"}).fit(x, y))
    refused(FileNotFoundError, "no program 'nowhere'", lambda: CCPClassifier(program="nowhere").fit(x, y))
    refused(ValueError, "seed", lambda: CCPClassifier(random_state=np.random.default_rng(0)).fit(x, y))
    refused(ValueError, "1 class", lambda: CCPClassifier().fit(x, np.zeros(40)))
    for name in ("lengths", "split", "labels", "edges", "rate"):
        refused(ValueError, f"arrays has '{name}'.*belongs to samples", lambda: CCPClassifier(arrays={name: [1]}).fit(x, y))
    model = CCPClassifier(fast=True).fit(x, y)
    refused(ValueError, "expecting 3 features", lambda: model.predict(x[:, :2]))
    many = np.concatenate([np.nan_to_num(x)] * 30 + [silent[:3]])  # in the second part of a request
    refused(CCPError, r"^X: sample 1202: no sensor has a value", lambda: model.predict(many))
    with pytest.warns(CCPWarning, match="sample 0: .*is it in another unit"):
        model.predict(1000 * x)


def test_nothing_happens_unless_it_is_asked_for(whole, capfd):
    """No output of a training and a prediction, nothing at the import."""
    x, y = whole
    CCPClassifier(fast=True).fit(x, y).predict(x)
    assert capfd.readouterr() == ("", "")
    CCPClassifier(fast=True, verbose=True).fit(x, y)
    assert "held-out" in capfd.readouterr().out
    loaded = subprocess.run([sys.executable, "-c", "import clusterpool, sys; print({'aeon', 'networkx', 'tqdm'} & set(sys.modules))"],
                            capture_output=True, text=True, check=True).stdout
    assert loaded == "set()\n"


def test_the_console_script_is_the_program():
    script = pathlib.Path(sys.executable).with_name("ccp")
    if not script.exists():
        pytest.skip("the package is not installed in this environment")
    out = subprocess.run([script, "version"], capture_output=True, text=True, check=True).stdout
    assert out == subprocess.run([_program.find(), "version"], capture_output=True, text=True, check=True).stdout
    path = os.pathsep.join([str(script.parent), os.environ["PATH"]])
    for typed in ("ccp", str(script)):  # what it says to type next is no path within the package
        line = [typed, "data", "check", "digits", "--offline"]
        said = subprocess.run(line, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}).stdout
        assert "try: ccp train" in said
    assert subprocess.run([script, "nonsense"], capture_output=True).returncode == 2


def test_doubts_about_the_accuracy_are_warnings(whole):
    """What tells a class by how it was recorded is seen by who never looks at notes_."""
    x, y = np.repeat(whole[0], 2, axis=0), np.repeat(whole[1], 2)
    x += np.random.default_rng(1).normal(0, 0.5, x.shape)
    x[y == "walk"] = np.round(x[y == "walk"], 1)
    with pytest.warns(CCPWarning, match="rounding") as given:
        model = CCPClassifier(fast=True).fit(x, y)
    assert any("rounding" in str(one.message) and one.filename == __file__ for one in given)
    assert any(note.startswith("warning: ") and "rounding" in note for note in model.notes_)


def test_sets_hold_the_class_as_often_as_asked(tmp_path):
    """Sets and p-values are those of ccp predict --coverage; a sample of no class has small ones."""
    draw, y = np.random.default_rng(0), np.arange(400) % 2
    x = draw.normal(size=(400, 2, 30))
    x[y == 1, 1] += 0.5 * np.sin(np.arange(30) / 2)
    model = CCPClassifier(fast=True).fit(x[:160], y[:160])
    sets, p = model.predict_sets(x[160:], alpha=0.2), model.p_values(x[160:])
    assert 0.65 < sets[np.arange(240), y[160:]].mean() < 0.95
    assert ((p > 0.2 + 1e-9) == sets).all() and (p.max(axis=1) == p[np.arange(240), model.predict_proba(x[160:]).argmax(axis=1)]).all()
    model.save(tmp_path / "run")
    np.savez(tmp_path / "new.npz", series=x[160:200])
    lines = subprocess.run([_program.find(), "predict", "--checkpoint", tmp_path / "run", tmp_path / "new.npz", "--json", "--coverage", "0.8",
                            "--backend", "go"], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    for row, values, line in zip(sets, p, map(json.loads, lines)):
        assert line["set"] == [str(c) for c in model.classes_[row]] and list(line["p_values"].values()) == values.tolist()
    with pytest.raises(ValueError, match=r"alpha=0.001 needs 999 held-out samples, and the training held out 160: .* 1/161"):
        model.predict_sets(x, alpha=0.001)
    with pytest.raises(ValueError, match="alpha is 1"):
        model.predict_sets(x, alpha=1)
    model = CCPClassifier(fast=True).fit(x[:2], y[:2])
    with pytest.raises(CCPError, match="^the checkpoint has no scores of held-out samples"):
        model.p_values(x)


def test_early():
    """The class of a recording is decided at one time, whether it has ended or goes on, and not before anything is known."""
    draw = np.random.default_rng(0)
    y = np.array(["falls", "rises"] * 50)
    x = 0.3 * draw.normal(size=(100, 1, 40))
    x[:, 0, 12:] += np.where(y == "rises", 2, -2)[:, None]
    model = CCPClassifier(fast=True, params={"early": "loss", "transforms": "values"}, rate=10).fit(x[:60], y[:60])
    classes, decided = model.predict_early(x[60:])
    assert (classes == y[60:]).all() and (decided > 1.2).all() and (decided < 4).all()
    assert np.allclose(decided * 10, np.round(decided * 10), rtol=0, atol=1e-12)
    so_far = np.full((40, 1, 40), np.nan)
    for row, end in zip(range(40), np.round(decided * 10).astype(int)):
        so_far[row, :, :end] = x[60 + row, :, :end]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # once it is decided, the length says nothing
        again, same = model.predict_early(so_far)
    assert (again == classes).all() and (same == decided).all()
    with pytest.warns(CCPWarning, match="goes on$"):
        model.predict_early(x[60:, :, :15])  # after one look
    with pytest.warns(CCPWarning, match="goes on, and before time point"):
        early, none = model.predict_early(x[60:, :, :3])
    assert np.isnan(none).all() and early.tolist() == [None] * 40
    so_far[7, :, 3:] = np.nan
    with pytest.warns(CCPWarning, match="sample 7: .* before time point"):
        some, _ = model.predict_early(so_far)
    assert some[7] is None and some[8] == classes[8]
    holed = x[60:].copy()
    holed[:, :, 30:39] = np.nan  # more than the training had, and later than most decisions
    holed[3] = np.nan
    with pytest.raises(CCPError, match="no.* measured"):
        model.predict(holed)
    with pytest.warns(CCPWarning, match="sample 3: nothing can be read of it so far"):
        some, again = model.predict_early(holed)
    soon = decided < 3
    assert soon.sum() > 30 and some[3] is None and np.isnan(again[3])
    soon[3] = False
    assert (some[soon] == classes[soon]).all() and (again[soon] == decided[soon]).all()
    with pytest.raises(CCPError, match="^the classifier was not trained to decide early"):
        CCPClassifier(fast=True, params={"transforms": "values"}).fit(x[:60], y[:60]).predict_early(x)
