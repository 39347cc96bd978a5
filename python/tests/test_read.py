"""python -m clusterpool.read: what it makes of recordings, what it says, and what it refuses."""

import datetime
import importlib
import sys

import numpy as np
import pytest
import scipy.io
from clusterpool import _program
from clusterpool.read import Channel, Event, Recording, formats
from clusterpool.read.__main__ import main
from clusterpool.read.clock import on_one_clock
from clusterpool.read.recording import stretches
from clusterpool.read.times import since
from clusterpool.read.windows import Cutter, parse_length, until_next


def recording(path, seconds=4.0, wave=0.0, **more):
    """Write a MATLAB file of two sensors at 50 Hz; x has a wave of that many Hz."""
    path.parent.mkdir(parents=True, exist_ok=True)
    times, draw = np.arange(round(seconds * 50)) / 50, np.random.default_rng(sum(path.name.encode()))
    x = np.sin(2 * np.pi * wave * times) + draw.normal(0, 0.3, len(times))
    scipy.io.savemat(path, {"x": x, "y": draw.normal(size=len(times)), "fs": 50.0, **more})
    return path


def run(capsys, *line):
    code = main([str(one) for one in line])
    return code, *capsys.readouterr()


@pytest.fixture
def walks(tmp_path):
    """A folder for each class, with four recordings of unequal lengths."""
    for label, wave in (("rest", 0.0), ("walk", 2.0)):
        for at in range(4):
            recording(tmp_path / "all" / label / f"{label}{at}.mat", 4 + at / 10, wave)
    return tmp_path / "all"


def classes(data):
    return data["class_names"][data["labels"]].tolist()


def check(path):
    return _program.run(_program.find(), ["data", "check", path])[0]


def test_folders(walks, tmp_path, capsys):
    """Folders are classes; the program takes the file, trains on it, and predicts recordings without a class."""
    out = tmp_path / "mine.npz"
    code, said, _ = run(capsys, walks, "--out", out)
    data = np.load(out)
    assert (
        code == 0 and data["series"].shape == (8, 2, 215) and data["rate"] == 50 and list(data["sensor_names"]) == ["x", "y"]
    )
    assert classes(data) == ["rest"] * 4 + ["walk"] * 4 and data["sample_names"][5] == "walk1"
    assert np.isnan(data["series"][0, :, 200:]).all() and not np.isnan(data["series"][:, :, :200]).any()
    assert "rest0: 4 s at 50 Hz, 2 sensors" in said and "rest 4, walk 4" in said and "200 to 215 time points" in said
    assert "labels" in check(out)
    _program.run(_program.find(), ["train", "--fast", "--backend", "go", "--data", out, "--checkpoint", tmp_path / "run"])
    code, said, _ = run(
        capsys, recording(tmp_path / "new" / "a.mat", wave=2.0), "--label", "none", "--out", tmp_path / "new.npz"
    )
    assert code == 0 and "labels" not in np.load(tmp_path / "new.npz") and "ccp predict" in said
    assert (
        "a,walk,"
        in _program.run(
            _program.find(), ["predict", "--backend", "go", "--checkpoint", tmp_path / "run", tmp_path / "new.npz"]
        )[0]
    )


def test_windows_of_states(tmp_path, capsys):
    """The stretches of a channel of states are cut into windows; no window has two states, and a stretch is a group."""
    mode = np.repeat([1.0, 2.0, np.nan, 1.0], [100, 75, 15, 110])
    path = recording(tmp_path / "a.mat", 6, mode=mode)
    code, said, _ = run(capsys, path, "--label", "mode", "--window", "1s", "--out", tmp_path / "mine.npz")
    data = np.load(tmp_path / "mine.npz")
    assert "--label none --leave mode" in said
    assert code == 0 and classes(data) == ["1", "1", "2", "1", "1"] and list(data["sensor_names"]) == ["x", "y"]
    assert list(data["sample_names"]) == [f"a at {start:g} s" for start in (0, 1, 2, 3.8, 4.8)]
    assert list(data["groups"]) == ["a #0", "a #0", "a #1", "a #2", "a #2"] and "groups    3" in said
    x = scipy.io.loadmat(path)["x"].ravel()
    assert np.allclose(data["series"][3, 0], x[190:240], atol=1e-6)
    assert "labels" in check(tmp_path / "mine.npz")
    data = windowed(capsys, tmp_path, path, "--label", "mode", "--window", "50", "--step", "25")
    assert classes(data) == ["1"] * 3 + ["2"] * 2 + ["1"] * 3


def windowed(capsys, tmp_path, *line):
    code, said, refused = run(capsys, *line, "--overwrite", "--out", tmp_path / "mine.npz")
    assert code == 0, refused
    return np.load(tmp_path / "mine.npz")


def test_files_of_samples(tmp_path, capsys):
    """Files of several samples are groups, as each is of one person or day."""
    for at in range(2):
        scipy.io.savemat(
            tmp_path / f"s{at}.mat",
            {"X": np.random.default_rng(at).normal(size=(6, 2, 40)), "labels": list("ababab"), "fs": 10.0},
        )
    data = windowed(capsys, tmp_path, tmp_path / "s0.mat", tmp_path / "s1.mat")
    assert (
        classes(data) == list("ababab" * 2)
        and list(data["groups"]) == ["s0"] * 6 + ["s1"] * 6
        and data["sample_names"][7] == "s1 sample 1"
    )


def test_many_recordings_in_a_file(tmp_path, capsys):
    """The first recordings of a file of many are told of, and how many more there are."""
    samples = {"X": np.random.default_rng(0).normal(size=(40, 2, 30)), "labels": list("ab" * 20), "fs": 10.0}
    scipy.io.savemat(tmp_path / "a.mat", samples)
    _, said, _ = run(capsys, tmp_path / "a.mat", "--out", tmp_path / "mine.npz")
    assert "a sample 2: 3 s" in said and "a sample 3" not in said and "37 more recordings" in said
    assert "note: a: time goes" in said and "40 recordings, by scipy" in said


def test_streams_are_kept(tmp_path, capsys):
    """The file says where each window lay, and which stretch it is of; what has no class is one by --rest."""
    path, table = recording(tmp_path / "a.mat", 8), tmp_path / "labels.csv"
    table.write_text("onset,duration,description\n1,2,b\n3,2,a\n6.5,0.5,b\n")
    data = windowed(
        capsys, tmp_path, path, "--labels", table, "--window", "1s", "--step", "500ms", "--events", "a,b", "--rest", "still"
    )
    assert data["class_names"].tolist() == ["a", "b", "still"]
    assert data["stretches"].tolist() == [[0, 0, 1, 2], [0, 1, 3, 1], [0, 3, 5, 0], [0, 5, 6.5, 2], [0, 7, 8, 2]]
    assert classes(data) == ["still"] + ["b"] * 3 + ["a"] * 3 + ["still"] * 3
    assert data["windows"][1:4].tolist() == [[1, 1, 2], [1, 1.5, 2.5], [1, 2, 3]]
    assert "stretches" in check(tmp_path / "mine.npz")


def test_along_time(tmp_path, capsys):
    """A training on windows of stretches learns how classes follow each other; a whole recording is told window by window."""
    table = tmp_path / "labels.csv"
    for at in range(3):
        path, marks = tmp_path / f"s{at}.mat", np.arange(120.0) // 10 % 2 == 1
        recording(path, 120)
        content = scipy.io.loadmat(path, simplify_cells=True)
        content["x"] += np.repeat(marks, 50) * 3 * np.sin(np.arange(6000) / 4)
        scipy.io.savemat(path, {name: content[name] for name in ("x", "y", "fs")})
    lines = [f"s{at},{10 * part},{10 * part + 10},{'walk' if part % 2 else 'rest'}" for at in range(2) for part in range(12)]
    table.write_text("file,start,end,label\n" + "\n".join(lines) + "\n")
    windowed(capsys, tmp_path, tmp_path / "s0.mat", tmp_path / "s1.mat", "--labels", table, "--window", "2s", "--step", "1s")
    program, by = _program.find(), ["--backend", "go", "--checkpoint", tmp_path / "run"]
    _, told = _program.run(program, ["train", "--fast", "--data", tmp_path / "mine.npz", *by])
    assert any("along time" in line for line in told)
    windowed(capsys, tmp_path, tmp_path / "s2.mat", "--label", "none")
    words = ["predict", *by, "--window", "2s", "--step", "1s", tmp_path / "mine.npz"]
    rows = [line.split(",") for line in _program.run(program, words)[0].splitlines()]
    assert rows[0][:7] == ["name", "start", "end", "class", "probability", "filtered", "since"] and len(rows) == 1 + 119 + 1
    assert rows[1][:3] == ["s2", "0", "2"] and rows[119][:3] == ["s2", "118", "120"] and rows[120][:3] == ["s2", "0", "120"]
    assert [row[3] for row in rows[1:120:10]] == ["rest", "walk"] * 6


def test_tables(tmp_path, monkeypatch, capsys):
    """Two tables are written: of values, empty where one is missing, and of events, without what bad ones cover; of several recordings with their names."""
    x, states = (
        np.r_[np.arange(99.0) % 98, np.nan],
        np.repeat([1.0, 2.0, np.nan], [30, 40, 30]),
    )
    for name in "ab":
        scipy.io.savemat(tmp_path / f"{name}.mat", {"x": x, "mode": states, "fs": 10.0})
    monkeypatch.chdir(tmp_path)
    code, said, refused = run(capsys, "a.mat", "--label", "mode", "--out", "a.csv")
    assert code == 0 and "100 time points of 1 sensors: x" in said and "2 events: 1 1, 2 1" in said, refused
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[:3] == ["time,x", "0.0,0.0", "0.1,1.0"] and lines[-1] == "9.9," and len(lines) == 101
    assert (tmp_path / "a-events.csv").read_text().splitlines() == [
        "start,end,label",
        "0.0,3.0,1",
        "3.0,7.0,2",
    ]
    run(capsys, "a.mat", "b.mat", "--label", "mode", "--out", "both.csv")
    assert (tmp_path / "both-events.csv").read_text().splitlines()[2:4] == [
        "a,3.0,7.0,2",
        "b,0.0,3.0,1",
    ]
    _program.run(
        _program.find(),
        "data import both.csv --labels both-events.csv --window 1s --out both.npz".split(),
    )
    assert np.load("both.npz")["series"].shape[0] == 14
    code, _, refused = run(capsys, "b.mat", "--label", "mode", "--out", "a.csv")
    assert code == 1 and "--overwrite" in refused
    code, said, _ = run(capsys, "b.mat", "--label", "none", "--out", "b.csv")
    assert code == 0 and "b-events.csv is not written" in said and not (tmp_path / "b-events.csv").exists()
    code, _, refused = run(capsys, "b.mat", "--out", "new.csv", "--window", "2s")
    assert code == 1 and "--window" in refused and "new.csv" in refused
    labels = tmp_path / "labels.csv"
    labels.write_text("start,end,label\n0,3,p\n1,1,mark\n2,2.5,BAD\n4,6,q\n5,5,BAD\n")
    line = ["a.mat", "--labels", labels, "--out", "new.csv"]
    code, _, refused = run(capsys, *line)
    assert code == 1 and "'mark'" in refused and "'p'" in refused and "--events p,q" in refused
    assert run(capsys, *line, "--events", "p,q")[0] == 0
    assert (tmp_path / "new-events.csv").read_text().split() == [
        "start,end,label",
        "0.0,2.0,p",
        "2.5,3.0,p",
        "4.0,6.0,q",
    ]


def test_one_recording_of_each_class(tmp_path, capsys):
    """The windows in the last fifth of each are the test, a window apart."""
    for label, wave in (("a", 0.0), ("b", 2.0)):
        recording(tmp_path / label / "1.mat", 50, wave)
    data = windowed(capsys, tmp_path, tmp_path / "a", tmp_path / "b", "--window", "2s", "--step", "1s")
    begins = np.array([float(name.split()[2]) for name in data["sample_names"]])
    assert (
        set(begins[data["split"] == 2]) == {*range(40, 49)}
        and set(begins[data["split"] == 0]) == {*range(37)}
        and "groups" not in data
    )
    assert "labels" in check(tmp_path / "mine.npz")


def test_one_stretch_of_each_class(tmp_path, capsys):
    """Of one recording with a stretch for each class the ends of these are the test, so that the program trains on it."""
    path, table = recording(tmp_path / "a.mat", 100), tmp_path / "labels.csv"
    table.write_text("start,end,label\n0,40,still\n50,100,walk\n")
    line = [path, "--labels", table, "--window", "2s"]
    data = windowed(capsys, tmp_path, *line)
    assert "groups" not in data and np.count_nonzero(data["split"] == 2) == 4 + 5 and len(data["split"]) == 20 + 25 - 2
    ends = [name for name, split in zip(data["sample_names"], data["split"]) if split]
    assert ends[0] == "a at 32 s" and ends[4] == "a at 90 s"
    program, by = _program.find(), ["--backend", "go", "--checkpoint", tmp_path / "run"]
    _program.run(program, ["train", "--fast", "--data", tmp_path / "mine.npz", *by])
    data = windowed(capsys, tmp_path, *line, "--group", "a")
    assert "split" not in data and set(data["groups"]) == {"a"}  # as the user says
    _, said, _ = run(capsys, *line[:-1], "11s", "--out", tmp_path / "few.npz")
    assert "none can be held out" in said and "split" not in np.load(tmp_path / "few.npz")


def test_one_file_of_each_class(tmp_path, capsys):
    """Of files with samples of one class each the last fifth of these is the test; of moments, too."""
    for label in "ab":
        samples = np.random.default_rng(0).normal(size=(12, 2, 40))
        scipy.io.savemat(tmp_path / f"{label}.mat", {"X": samples, "labels": [label] * 12, "fs": 10.0})
        recording(tmp_path / f"long{label}.mat", 60)
    (tmp_path / "labels.csv").write_text(
        "file,start,label\n" + "".join(f"long{name},{at},{name}\n" for name in "ab" for at in range(2, 52, 5))
    )
    line = [tmp_path / "longa.mat", tmp_path / "longb.mat", "--labels", tmp_path / "labels.csv", "--window", "1s"]
    assert windowed(capsys, tmp_path, *line)["split"].tolist() == ([0] * 8 + [2] * 2) * 2
    run(capsys, tmp_path / "a.mat", tmp_path / "b.mat", "--out", tmp_path / "mine.npz", "--overwrite")
    assert np.load(tmp_path / "mine.npz")["split"].tolist() == ([0] * 10 + [2] * 2) * 2


def test_a_table_in_place_of_events(tmp_path, monkeypatch, capsys):
    """Stretches of the table count in place of the file's own events, but for bad ones; lines that cannot be meant are told of."""
    monkeypatch.chdir(tmp_path)
    for path in ("s1/rec.mat", "s2/rec.mat"):
        recording(tmp_path / path, 20)
    read = formats.read
    monkeypatch.setattr(
        "clusterpool.read.formats.read",
        lambda path: [(one.mark(0, 20, "all"), one.mark(2.5, 3, "bad blink"), one)[2] for one in read(path)],
    )
    table = tmp_path / "labels.csv"
    line = ["s1/rec.mat", "--labels", table, "--window", "1s", "--out", "mine.npz", "--overwrite"]
    table.write_text("start,end,label\n0,10,x\n10,20,y\n9000,9500,y\n")
    code, said, refused = run(capsys, *line)
    assert (
        code == 0
        and "x 8, y 9" in said
        and "less than one before the test 2" in said
        and "all 1" in said
        and "not used" in said
    ), refused
    assert "line 4 (from 9000 to 9500 s)" in said and "20 s" in said
    code, said, _ = run(capsys, "s2/rec.mat", *line)
    assert code == 0 and "name no file" in said and "each of the 2 files" in said
    table.write_text("start,end,label\n0,10,x\n10,2,y\n")
    code, _, refused = run(capsys, *line)
    assert code == 1 and "line 3" in refused and "ends at 2 s, before it begins at 10 s" in refused
    table.write_text("file,label\nrec.mat,x\n")
    code, _, refused = run(capsys, "s2/rec.mat", *line)
    assert code == 1 and "line 2" in refused and "s1/rec.mat" in refused and "s2/rec.mat" in refused
    table.write_text("file,label\ns1/rec.mat,x\ns2/rec,y\n")
    assert run(capsys, "s2/rec.mat", *line)[0] == 0 and "class_names" in np.load("mine.npz")


def test_what_gives_no_sample(tmp_path, capsys):
    """Recordings without an event, or whose windows are all left out, are told of, and make no group; so is a single class."""
    paths = [recording(tmp_path / f"p{at}.mat", 30) for at in range(3)]
    (tmp_path / "labels.csv").write_text("file,start,end,label\np0,0,10,a\np0,10,20,b\np0,20,30,a\np1,0,1,a\np2,0,9,BAD\n")
    line = [*paths, "--labels", tmp_path / "labels.csv", "--window", "2s", "--out", tmp_path / "mine.npz", "--overwrite"]
    _, said, _ = run(capsys, *line)
    assert "1 of 3 recordings give no sample, as there is no event of a class in them: p2" in said
    assert "1 of 3 recordings give no sample, as all of their windows are left out: p1" in said
    assert set(np.load(tmp_path / "mine.npz")["groups"]) == {"p0 #0", "p0 #1", "p0 #2"} and "in 2 classes" in said
    _, said, _ = run(capsys, *line, "--events", "b")
    assert "in 1 class," in said and "one class, b" in said and "--rest" in said and "data check" not in said


def test_table_of_labels(tmp_path, capsys):
    """A table has the classes and groups of files, or stretches of them."""
    paths = [recording(tmp_path / f"p{at}.mat") for at in range(4)]
    table = tmp_path / "labels.csv"
    table.write_text("file;label;group\n" + "".join(f"p{at}.mat;{'ab'[at % 2]};{'uv'[at // 2]}\n" for at in range(4)))
    data = windowed(capsys, tmp_path, *paths, "--labels", table, "--window", "2s")
    assert classes(data) == list("aabbaabb") and list(data["groups"]) == list("uuuuvvvv")
    assert list(windowed(capsys, tmp_path, *paths, "--labels", table, "--group", "p([0-9])")["groups"]) == list("0123")
    table.write_text("file,start,end,label\np0,0,2,a\np0,2,4,b\np1,1,3,a\n")
    data = windowed(capsys, tmp_path, *paths[:2], "--labels", table, "--window", "1s")
    assert classes(data) == list("aabbaa") and list(data["groups"]) == ["p0"] * 4 + ["p1"] * 2
    assert list(data["sample_names"][[3, 4]]) == ["p0 at 3 s", "p1 at 1 s"]
    code, _, refused = run(capsys, *paths, "--labels", table, "--window", "1s", "--out", tmp_path / "new.npz")
    assert code == 1 and "no line for" in refused and "p2.mat,CLASS" in refused


def test_times(tmp_path, capsys):
    """Recordings of unlike rates keep their times; one that nobody gave a rate has none, or the one that is said."""
    for at in range(4):
        recording(tmp_path / "a" / f"fast{at}.mat")
        scipy.io.savemat(
            recording(tmp_path / "b" / f"slow{at}.mat"),
            {"x": np.sin(np.arange(100.0) * (at + 1)), "y": np.arange(100.0) % 7, "fs": 25.0},
        )
    data = windowed(capsys, tmp_path, tmp_path / "a", tmp_path / "b")
    assert (
        "rate" not in data
        and np.allclose(data["times"][5, :100], np.arange(100) / 25)
        and np.isnan(data["times"][5, 100:]).all()
    )
    assert "times" in check(tmp_path / "mine.npz")
    for at in "ab":
        scipy.io.savemat(tmp_path / at / "none.mat", {"x": np.arange(60.0) % 50})
    untimed = [tmp_path / at / "none.mat" for at in "ab"]
    assert not {"rate", "times"} & set(windowed(capsys, tmp_path, *untimed))
    assert windowed(capsys, tmp_path, *untimed, "--rate", "10", "--window", "2s")["series"].shape == (6, 1, 20)
    code, _, refused = run(capsys, *untimed, tmp_path / "a" / "fast0.mat", "--take", "x", "--out", tmp_path / "new.npz")
    assert code == 1 and "none.mat" in refused and "--rate" in refused


@pytest.mark.parametrize(
    ("line", "facts"),
    [
        (["missing.mat"], ["missing.mat", "no such file"]),
        (["table.csv"], ["table.csv", "ccp data import"]),
        (["a.dat"], ["a.dat", ".hea", ".cfg"]),
        (["a.foo"], ["a.foo", ".edf", ".tdms"]),
        (["a.mat"], ["classes", "--labels", "--label none"]),
        (["a.mat", "--label", "mode"], ["'mode'", "x, y"]),
        (["a.mat", "--label", "none", "--step", "1s"], ["--step", "--window"]),
        (["a.mat", "--label", "none", "--window", "9s"], ["shorter than a window 1", "200 time points"]),
        (["a.mat", "--label", "none", "--take", "z"], ["a.mat", "'z'", "x, y"]),
        (["a.mat", "--label", "none", "--rate", "5"], ["a.mat", "--rate"]),
        (["a.mat", "broken.mat", "--label", "none"], ["broken.mat", "scipy"]),
        (["a.mat", "other.mat", "--label", "none"], ["other.mat", "a.mat", "emg"]),
        (["a.mat", "--label", "none", "--out", "there.npz"], ["there.npz", "--overwrite"]),
    ],
)
def test_refusals(line, facts, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    recording(tmp_path / "a.mat")
    scipy.io.savemat("other.mat", {"emg": np.arange(200.0), "fs": 50.0})
    (tmp_path / "broken.mat").write_bytes(b"not at all")
    (tmp_path / "there.npz").write_bytes(b"mine")
    code, _, refused = run(capsys, *line, *([] if "--out" in line else ["--out", "new.npz"]))
    assert code == 1 and all(fact in refused for fact in facts), refused
    assert not (tmp_path / "new.npz").exists() and (tmp_path / "there.npz").read_bytes() == b"mine"


@pytest.mark.parametrize("ending", [ending for one in formats.FORMATS for ending in one.endings])
def test_content(ending, tmp_path, capsys):
    """What a file is called does not make it of that format; an empty one is told, too."""
    of, path = formats.format_of(tmp_path / f"a{ending}"), tmp_path / f"a{ending}"
    try:
        importlib.import_module(f"clusterpool.read.{of.module}")
    except ModuleNotFoundError:
        pytest.skip(f"{of.name} needs {of.packages}")
    for content, facts in [(b"", ["empty"]), (b"propTDS", ["prop"]), (b"TDSm\x0e\0\0\0" + bytes(99), ["TDMS"])]:
        path.write_bytes(content)
        code, _, refused = run(capsys, path, "--label", "none", "--out", tmp_path / "new.npz")
        if of.name in ("MATLAB", "miniSEED") and b"prop" in content:
            facts = ["cannot read it"]
        assert code == 1 and path.name in refused and all(fact in refused for fact in facts), refused
        assert content[:4] != b"TDSm" or ending == ".tdms" or "correct its ending" in refused


def test_missing_library(tmp_path, monkeypatch, capsys):
    """What is not installed is named with the extra that brings it."""
    (tmp_path / "a.tdms").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "nptdms", None)
    monkeypatch.delitem(sys.modules, "clusterpool.read.tdms", raising=False)
    code, _, refused = run(capsys, tmp_path / "a.tdms", "--out", tmp_path / "new.npz")
    assert code == 1 and "npTDMS" in refused and "pip install 'clusterpool[tdms]'" in refused


def test_sensors_that_some_lack(tmp_path, capsys):
    recording(tmp_path / "a" / "1.mat", emg=np.zeros(200))
    recording(tmp_path / "b" / "2.mat")
    code, said, _ = run(capsys, tmp_path / "a", tmp_path / "b", "--out", tmp_path / "mine.npz")
    assert code == 0 and list(np.load(tmp_path / "mine.npz")["sensor_names"]) == ["x", "y"]
    assert "emg" in said and "2.mat lacks it" in said


def test_seconds_without_times(tmp_path, capsys):
    """A length in s has no meaning for files without times, and so have stretches in s; time points have one."""
    table, path = tmp_path / "labels.csv", tmp_path / "none.mat"
    scipy.io.savemat(path, {"x": np.arange(60.0) % 50})
    table.write_text("file,start,end,label\nnone,0,20,a\nnone,30,50,b\n")
    line = [path, "--label", "none", "--overwrite", "--out", tmp_path / "mine.npz"]
    for flag in (["--window", "2s"], ["--window", "20", "--step", "1m"], ["--window", "20", "--offset", "-500ms"]):
        code, _, refused = run(capsys, *line, *flag)
        facts = ["none.mat", " ".join(flag[-2:]).replace("1m", "60s").replace("-500ms", "-0.5s"), "--rate", "time points"]
        assert code == 1 and all(fact in refused for fact in facts), refused
    code, _, refused = run(capsys, path, *line[3:], "--labels", table, "--window", "10")
    assert code == 1 and "labels.csv" in refused and "--rate" in refused
    assert windowed(capsys, tmp_path, *line[:3], "--window", "20")["series"].shape == (3, 1, 20)
    data = windowed(capsys, tmp_path, path, "--labels", table, "--window", "10", "--rate", "1")
    assert classes(data) == list("aabb")


def test_line(tmp_path, capsys):
    """What the help says can be written so; lengths and rates of nothing are refused, and a missing folder before files are read."""
    path, table = recording(tmp_path / "a.mat"), tmp_path / "labels.csv"
    table.write_text("file,start,end,label\na,1,1,p\na,2,2,q\n")
    data = windowed(capsys, tmp_path, path, "--labels", table, "--window", "1s", "--offset", "-0.2s")
    assert list(data["sample_names"]) == ["a at 0.8 s", "a at 1.8 s"]
    assert list(windowed(capsys, tmp_path, path, "--labels", table, "--window", "1s", "--offset", "-.2s")["sample_names"])
    for flag in (
        ["--window", "0s"],
        ["--window", "1s", "--step", "0"],
        ["--window", "-1s"],
        ["--rate", "0"],
        ["--rate", "nan"],
    ):
        with pytest.raises(SystemExit) as ended:
            run(capsys, path, "--out", tmp_path / "new.npz", *flag)
        assert ended.value.code == 2 and flag[-2] in capsys.readouterr().err
    code, said, refused = run(capsys, path, "--label", "none", "--out", tmp_path / "nowhere" / "new.npz")
    assert code == 1 and not said and f"no folder {tmp_path / 'nowhere'}" in refused


def test_counters(tmp_path, capsys):
    """A sensor that rises in every recording may be the time, and is refused; an axis may rise, and so may what the user names."""
    wave = np.sin(np.arange(50.0))
    for label in "ab":
        hip = {"x": np.arange(50.0), "y": wave}
        stamps = {"clock": ord(label) * 100 + np.arange(50.0) / 50, "late": np.r_[np.nan, np.arange(49.0)]}
        scipy.io.savemat(
            recording(tmp_path / label / "1.mat"),
            {"x": wave, "rises": wave if label == "a" else stamps["clock"], "hip": hip} | stamps,
        )
    line = [tmp_path / "a", tmp_path / "b", "--out", tmp_path / "new.npz"]
    code, _, refused = run(capsys, *line)
    facts = ["clock, late rises", "9700 to 9700.98", str(tmp_path / "a" / "1.mat"), "--leave 'clock,late'", "--take"]
    assert code == 1 and all(fact in refused for fact in facts), refused
    assert run(capsys, *line, "--leave", "clock,late")[0] == 0
    assert run(capsys, *line, "--overwrite", "--take", "x,clock")[0] == 0
    assert run(capsys, *line, "--overwrite", "--label", "none")[0] == 0


def test_no_sensor_in_common(tmp_path, capsys):
    """Files of which each has a sensor of each other one, and none that all have, are refused."""
    for label, names in (("a", "xy"), ("b", "yz"), ("c", "xz")):
        (tmp_path / label).mkdir()
        scipy.io.savemat(tmp_path / label / "1.mat", {"fs": 9.0} | {name: np.arange(9.0) for name in names})
    code, _, refused = run(capsys, *(tmp_path / label for label in "abc"), "--out", tmp_path / "mine.npz")
    assert code == 1 and str(tmp_path / "c" / "1.mat") in refused and "x, z" in refused and "x, y" in refused


def test_what_readers_share():
    """Channels of one clock keep one array of times; what is lost is missing, of numbers and of texts."""
    made, times = Recording("", []), np.arange(4) / 10
    made.add("a", times, np.arange(4), "V")
    made.add("b", times.copy(), np.arange(4), lost=np.array([0, 1, 0, 0], bool))
    made.add("mode", times + 1, np.array(["on", "on", "off", "off"]), lost=np.array([0, 0, 0, 1], bool))
    made.add_columns(["c", "d"], times[:3], np.arange(6.0).reshape(3, 2), ["m", "s"])
    made.add(" ", times, np.arange(4.0), None)  # as libraries have a unit that is not known
    a, b, mode, c, d, e = made.channels
    assert (e.name, e.unit) == ("channel 5", "")
    assert b.times is times and mode.times is not times and d.times is c.times
    assert a.values.dtype.kind == "i" and np.array_equal(b.values, [0, np.nan, 2, 3], equal_nan=True)
    assert mode.values.tolist() == ["on", "on", "off", ""] and (c.unit, d.unit) == ("m", "s")
    assert d.values.tolist() == [1, 3, 5]
    made.mark(1, 2, "go")
    made.mark(3, 3, "")
    assert made.events == [Event(1, 2, "go")]
    made.mark(4, 4, "lap")
    made.mark(5, 5, "lap")
    assert made.end("lap", 6) and not made.end("go", 7) and not made.end("rest", 7)
    assert made.events[1:] == [Event(4, 4, "lap"), Event(5, 6, "lap")]


def test_values_that_come_twice():
    """Of two values at one time the first in the file counts, and a note says how many are left out."""
    made, times = Recording("", []), np.array([0, 1, 2, 2.4, 1, 3])
    made.add_ahead(["x", "y"], times, np.arange(12.0).reshape(6, 2), 1.0, "g")
    assert [one.values.tolist() for one in made.channels] == [[0, 2, 4, 10], [1, 3, 5, 11]] and made.channels[1].unit == "g"
    assert made.channels[0].times.tolist() == [0, 1, 2, 3] and "x, y: 2 values" in made.notes[0]
    made.add_ahead(["z"], times[:3], np.zeros((3, 1)), 1.0)
    assert len(made.notes) == 1


def test_times_in_seconds():
    dates = np.datetime64("2024-05-31T12:00") + np.arange(3) * np.timedelta64(250, "ms")
    assert since(dates, dates[0]).tolist() == since(dates - dates[0], np.timedelta64(0)).tolist() == [0, 0.25, 0.5]
    other = np.array([datetime.timedelta(days=at) for at in range(2)])  # as years of 365 days are counted
    assert since(other, other[0]).tolist() == [0, 86400]
    assert since(np.array([3, 4]), 3, "ms").tolist() == [0, 0.001] and since(np.array([3, 4]), 3, "frames").tolist() == [
        0,
        1,
    ]


def test_one_clock():
    """Slower channels are interpolated between their values and not over a hole; whole numbers keep their last value."""
    fast, slow = np.arange(40) / 10, np.r_[0.5, 1, 1.5, 3.5]
    made = Recording(
        "", [Channel("a", fast, np.sin(fast)), Channel("b", slow, 2 * slow), Channel("c", slow, np.array([1, 2, 3, 4]))]
    )
    table = on_one_clock(made)
    assert table.step == pytest.approx(0.1) and np.array_equal(table.values[:, 0], np.sin(fast))
    inside = (fast >= 0.5) & (fast <= 1.5) | (fast >= 3.5)
    assert np.array_equal(~np.isnan(table.values[:, 1]), inside) and np.allclose(
        table.values[inside, 1], 2 * np.minimum(fast[inside], 3.5)
    )
    assert (
        table.values[[4, 5, 9, 10, 14, 15, 35, 37], 2].tolist()[1:] == [1, 1, 2, 2, 3, 4, 4]
        and np.isnan(table.values[[4, 20, 30], 2]).all()
    )
    assert any("b (0.5 s), c (0.5 s)" in note for note in made.notes)


def test_gaps_are_no_other_clock():
    """A channel that merely has a gap is put on no clock of another, and a slow one ends with the others."""
    fast, slow = np.arange(100) / 10, np.arange(10.0)
    gap = np.delete(fast, slice(40, 60))
    made = Recording("", [Channel(name, times, times.copy()) for name, times in (("a", fast), ("b", gap), ("c", slow))])
    table = on_one_clock(made)
    assert len(made.notes) == 1 and made.notes[0].startswith("c (1 s):")
    assert np.isnan(table.values).sum(axis=0).tolist() == [0, 20, 0] and (table.values[90:, 2] == 9).all()


def test_pauses():
    """An even clock with a pause has NaN there; an uneven one keeps its times."""
    times = np.r_[0:1:0.1, 1.5:2:0.1]
    table = on_one_clock(Recording("", [Channel("a", times, np.arange(15.0))]))
    assert (
        len(table.times) == 20
        and np.flatnonzero(np.isnan(table.values[:, 0])).tolist() == [10, 11, 12, 13, 14]
        and table.values[15, 0] == 10
    )
    rounded = np.cumsum(np.tile([0.0100000, 0.0100001, 0.0100001], 30_000))  # whose median step is off by 3 ms over all
    assert on_one_clock(Recording("", [Channel("a", rounded, np.zeros(len(rounded)))])).step > 0
    uneven = np.cumsum(np.random.default_rng(0).uniform(0.05, 0.2, 50))
    table = on_one_clock(Recording("", [Channel("a", uneven, np.arange(50.0))]))
    assert table.step == 0 and np.array_equal(table.times, uneven)
    late = on_one_clock(
        Recording("", [Channel("a", np.arange(20) / 10, np.arange(20.0)), Channel("b", 100 + np.arange(2.0), np.zeros(2))])
    )
    assert np.isnan(late.values[:, 1]).all()


def test_cutter():
    """Windows lie inside of lasting events, one begins at each moment; counts are whole numbers of time points."""
    table = on_one_clock(Recording("", [Channel("a", np.arange(3000) / 300, np.arange(3000.0))]))
    cutter = Cutter(parse_length("100ms"))
    _, cut = cutter.cut(
        table,
        [
            Event(0.1, 0.7, "a"),
            Event(1, 1, "b"),
            Event(9.95, 9.95, "b"),
            Event(2, 2.05, "c"),
            Event(3, 4, "a"),
            Event(3.05, 3.3, "d"),
            Event(5, 5, "e"),
        ],
        [Event(5.05, 5.2, "BAD blink")],
    )
    assert {one.where.stop - one.where.start for one in cut} == {30} and [
        one.where.start for one in cut if one.label == "a"
    ][:6] == [30, 60, 90, 120, 150, 180]
    assert [(one.where.start, one.label) for one in cut if one.label in "bcde"] == [(300, "b")]
    assert [one.where.start for one in cut if one.label == "a"][6:] == [990, 1020, 1050, 1080, 1110, 1140, 1170]
    assert dict(cutter.lost) == {
        "beyond the recording": 1,
        "of stretches shorter than a window": 1,
        "with a part of two classes": 5,
        "marked as bad": 1,
    }
    _, early = Cutter(parse_length("1s"), offset=parse_length("-200ms")).cut(table, [Event(1, 1, "b")])
    assert [(one.where.start, one.where.stop) for one in early] == [(240, 540)]
    lasting = until_next([Event(1, 1, "a"), Event(3, 3, "b")])
    assert [(one.start, one.end) for one in lasting] == [(1, 3), (3, np.inf)]


def test_lost_classes(tmp_path, capsys):
    """A class of which no window is left is an error that names it."""
    path, table = recording(tmp_path / "a.mat"), tmp_path / "labels.csv"
    table.write_text("file,start,end,label\na,0,2,long\na,2,2.5,short\na,3,4,long\n")
    code, _, refused = run(capsys, path, "--labels", table, "--window", "1s", "--out", tmp_path / "new.npz")
    assert code == 1 and "short" in refused and "--events" in refused
    table.write_text("start,end,label\n0,4,over\n1,1,A\n2,2,N\n3,3,N\n")
    code, _, refused = run(capsys, path, "--labels", table, "--window", "1s", "--out", tmp_path / "new.npz")
    assert code == 1 and "over lasts over 3 of the events" in refused and "--events A,N leaves" in refused
    table.write_text("file,start,end,label\na,0,2,long\na,2,2.5,short\na,3,4,long\n")
    data = windowed(capsys, tmp_path, path, "--labels", table, "--window", "1s", "--events", "long")
    assert classes(data) == ["long"] * 3


def test_stretches_of_texts():
    channel = Channel("mode", np.arange(6.0), np.array([b"a", b"a", b"", b"b ", b"b", b"a"]))
    assert [(one.start, one.end, one.label) for one in stretches(channel)] == [(0, 2, "a"), (3, 5, "b"), (5, 6, "a")]


def test_axes(tmp_path, capsys):
    """hip.x, hip.y, hip.z are axes of a sensor, if all sensors have them."""
    for label in "ab":
        (tmp_path / label).mkdir()
        scipy.io.savemat(
            tmp_path / label / "1.mat", {"hip": {axis: np.arange(9.0) + at for at, axis in enumerate("xyz")}, "fs": 1.0}
        )
    data = windowed(capsys, tmp_path, tmp_path / "a", tmp_path / "b")
    assert (
        data["series"].shape == (2, 1, 9, 3)
        and list(data["sensor_names"]) == ["hip"]
        and np.array_equal(data["series"][0, 0, 4], [4, 5, 6])
    )


def test_what_is_told_of_sensors(tmp_path, capsys):
    """Lines of files count sensors as the summary does, and units stand with the sensors that have them."""
    recording(tmp_path / "a.mat")
    made = Recording("", [Channel(f"hip.{axis}", np.arange(9.0), np.arange(9.0) % 4, "m") for axis in "xyz"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("clusterpool.read.matlab.read", lambda path: [made])
        _, said, _ = run(capsys, tmp_path / "a.mat", "--label", "none", "--out", tmp_path / "mine.npz")
        assert "9 s at 1 Hz, 1 sensor of 3 axes" in said and "1: hip (m)" in said
        made.channels.append(Channel("Temp", np.arange(9.0), np.arange(9.0) % 4, "degC"))
        _, said, _ = run(capsys, tmp_path / "a.mat", "--label", "none", "--out", tmp_path / "other.npz")
    assert "4: hip.x, hip.y, hip.z (m), Temp (degC)" in said


def test_take(tmp_path, capsys):
    """Sensors come in the order that is asked for; the name of one stands for all its axes."""
    path = tmp_path / "a.mat"
    hip = {axis: np.arange(9.0) + at for at, axis in enumerate("xyz")}
    scipy.io.savemat(path, {"hip": hip, "emg": np.zeros(9), "fs": 1.0})
    line = [path, "--label", "none", "--take"]
    assert list(windowed(capsys, tmp_path, *line, "emg,hip")["sensor_names"]) == ["emg", "hip.x", "hip.y", "hip.z"]
    assert list(windowed(capsys, tmp_path, *line, "hip.z,emg")["sensor_names"]) == ["hip.z", "emg"]
    assert windowed(capsys, tmp_path, *line, "hip", "--leave", "hip.z")["series"].shape == (1, 1, 9, 2)


def test_names_that_come_twice(tmp_path, monkeypatch):
    (tmp_path / "a.mat").write_bytes(b"any")
    twice = Recording("", [Channel("T8-P8", np.arange(2.0), np.zeros(2)) for _ in range(2)])
    monkeypatch.setattr("clusterpool.read.matlab.read", lambda path: [twice])
    assert [one.name for one in formats.read(tmp_path / "a.mat")[0].channels] == ["T8-P8", "T8-P8#2"]


def test_what_was_left_out_of_a_file_without_numbers(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.mat").write_bytes(b"any")
    empty = Recording("", [])
    empty.leave_out("group 0", "its values have no time")
    monkeypatch.setattr("clusterpool.read.matlab.read", lambda path: [empty])
    code, _, refused = run(capsys, tmp_path / "a.mat", "--label", "none", "--out", tmp_path / "new.npz")
    assert code == 1 and "no channel of numbers" in refused and "group 0" in refused and "no time" in refused


def test_table_of_formats():
    """No two formats share an ending, and each extra is one of the wheel."""
    endings = [ending for one in formats.FORMATS for ending in one.endings]
    assert len(set(endings)) == len(endings)
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        extras = set(metadata("clusterpool").get_all("Provides-Extra"))
    except PackageNotFoundError:
        pytest.skip("the source tree has no metadata")
    assert {one.extra for one in formats.FORMATS if one.extra} | {"read"} <= extras


@pytest.mark.parametrize("text", ["", "2", "x", "1m30s", "-0.2s"])
def test_lengths(text):
    wanted = {"2": (2, False), "1m30s": (90, True), "-0.2s": (-0.2, True)}.get(text)
    if wanted is None:
        with pytest.raises(Exception, match="1m30s"):
            parse_length(text)
    else:
        assert (parse_length(text).amount, parse_length(text).in_seconds) == wanted
