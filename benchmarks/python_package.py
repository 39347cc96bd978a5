"""Measure the Python package clusterpool beside the program that it holds, in processor seconds and bytes.

    VENV/bin/pip install python/dist/clusterpool-*.whl
    VENV/bin/python benchmarks/python_package.py equal suite/*.npz     # do predict_proba, and ccp train and predict, agree?
    VENV/bin/python benchmarks/python_package.py overhead suite/*.npz  # what fit adds to ccp train on the same file
    VENV/bin/python benchmarks/python_package.py single                # 1,000 predictions of one sample beside one of 1,000
    VENV/bin/python benchmarks/python_package.py memory                # the peak while 20,000 x 6 x 400 float32 are fitted, on Linux

The files are data sets of docs/own-data.md with labels and split, such as those of benchmarks/suite/make.py. Transforms alone are trained
(fast=True), in pure Go. With CLUSTERPOOL_PROGRAM another program than the package's own is measured.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile
import threading
import warnings

import numpy as np
from clusterpool import CCPClassifier, CCPWarning, _program

GRAPH = {"edges", "weights", "adjacency", "coordinates"}
SHARED = GRAPH | {"class_names", "sensor_names", "rate"}  # arrays without a row for each sample


def ccp(*arguments, **environment):
    """Run a command of the program in pure Go, and return its standard output."""
    line = [_program.find(), *map(str, arguments), "--offline", "--backend", "go"]
    return subprocess.run(line, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          env={**os.environ, **environment}).stdout


def as_python_has_it(data, rows):
    """Return samples of a data file as X and y, and what the estimator is told beside them."""
    x = data["series"] if "series" in data else data["features"]
    if "series" in data and x.ndim == 2:
        x = x[:, np.newaxis]
    if "lengths" in data:
        x = x.astype(np.promote_types(x.dtype, np.float32))
        for recording, length in zip(x, data["lengths"]):
            recording[:, length:] = np.nan
    settings = {"graph": {name: data[name] for name in GRAPH & set(data)} or None}
    if "rate" in data:
        settings["rate"] = float(data["rate"])
    if "series" not in data:
        settings["time"] = False
    return x[rows], data["labels"][rows], settings


def equal(path):
    """Compare the probabilities of the test samples by both ways."""
    with np.load(path) as file:
        data = dict(file)
    train, test = data["split"] == 0, data["split"] == 2
    with tempfile.TemporaryDirectory() as folder:
        run, new = pathlib.Path(folder, "run"), pathlib.Path(folder, "new.npz")
        ccp("train", "--data", path, "--fast", "--checkpoint", run)
        np.savez(new, **{name: value if name in SHARED else value[test] for name, value in data.items()
                         if name not in ("labels", "split", "class_names")})
        lines = ccp("predict", "--checkpoint", run, new, "--json").splitlines()
        names = json.loads((run / "model.json").read_text())["spec"]["class_names"]
    x, y, settings = as_python_has_it(data, train)
    model = CCPClassifier(fast=True, **settings).fit(x, y)
    x, y, _ = as_python_has_it(data, test)
    found = model.predict_proba(x)
    columns = [str(data["class_names"][c]) if "class_names" in data else str(c) for c in model.classes_]
    want = np.array([[json.loads(line)["probabilities"][name] for name in columns] for line in lines])
    assert sorted(columns) == sorted(names)
    accuracy = np.mean(model.classes_[found.argmax(axis=1)] == y)
    print(f"{pathlib.Path(path).stem}: accuracy {accuracy:.4f}, largest difference {abs(found - want).max():g}", flush=True)


def seconds_of(what):
    """Return the processor seconds of this process and of its children that ``what()`` took."""
    def used():
        own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        return np.array([own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime])
    before = used()
    what()
    return used() - before


def overhead(path):
    """Compare fit with ccp train on the same training samples, three times in turn."""
    with np.load(path) as file:
        data = dict(file)
    x, y, settings = as_python_has_it(data, data["split"] == 0)
    rows = []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as folder:
            file, run = pathlib.Path(folder, "data.npz"), pathlib.Path(folder, "run")
            arrays = {name: data[name] for name in SHARED & set(data) - {"class_names"}}
            np.savez(file, **{"series" if "series" in data else "features": x}, labels=y, **arrays)
            command = seconds_of(lambda: ccp("train", "--data", file, "--split", "none", "--fast", "--checkpoint", run, GOGC="30"))
        fit = seconds_of(lambda: CCPClassifier(fast=True, **settings).fit(x, y))
        rows.append((command[1], fit[0], fit[1] - command[1]))
    program, python, more = (statistics.median(column) for column in zip(*rows))
    print(f"{pathlib.Path(path).stem} {x.shape}: ccp train {program:.2f} s; fit adds {python:.2f} s in Python, {more:+.2f} s in the "
          "program", flush=True)


def single():
    """Compare 1,000 predictions of one sample with one of 1,000 samples."""
    for shape in [(6, 100), (1, 150), (6, 400)]:
        draw, wave = np.random.default_rng(0), np.sin(np.arange(shape[1]) / 4)
        x = draw.normal(size=(1060, *shape)).astype(np.float32)
        x[1::2, 0] += wave
        model = CCPClassifier(fast=True).fit(x[:60], np.arange(60) % 2)
        new = x[60:]
        model.predict_proba(new[:64])  # starts the process
        whole, singles = [], []
        for _ in range(3):
            for times, ask in [(whole, lambda: model.predict_proba(new)),
                               (singles, lambda: [model.predict_proba(new[i:i + 1]) for i in range(len(new))])]:
                before = ticks(model._process.pid)
                times.append(seconds_of(ask)[0] + ticks(model._process.pid) - before)
        print(f"{shape}: 1,000 calls {statistics.median(singles):.2f} s, one call {statistics.median(whole):.2f} s, "
              f"ratio {statistics.median(singles) / statistics.median(whole):.2f}", flush=True)


def ticks(pid):
    """Return the processor seconds of a process that goes on, on Linux."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bytes_of(pid):
    """Return the memory of a process on Linux. What several share counts in parts."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # it has ended
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def children():
    """Return the processes that this one has started."""
    listed = pathlib.Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [pid for file in listed for pid in file.read_text().split()]


def memory(transforms):
    """Measure the most memory of Python and the program together, every 50 ms."""
    draw, y = np.random.default_rng(0), np.arange(20_000) % 2
    x = draw.standard_normal((len(y), 6, 400), dtype=np.float32)
    x[1::2, 1] += np.sin(np.arange(400) / 5).astype(np.float32)
    model = CCPClassifier(fast=True, params={"transforms": transforms})
    peak, ended = (0, 0, 0), threading.Event()

    def watch():
        nonlocal peak
        while not ended.wait(0.05):
            python, program = bytes_of(os.getpid()), sum(map(bytes_of, children()))
            peak = max(peak, (python + program, python, program))

    before = bytes_of(os.getpid())
    watching = threading.Thread(target=watch)
    watching.start()
    model.fit(x, y)
    ended.set()
    watching.join()
    megabytes = [f"{value / 1e6:.0f}" for value in (x.nbytes, before, *peak)]
    print("array {} MB, Python before {} MB; peak {} MB, of it Python {} MB and the program {} MB".format(*megabytes),
          f"= {peak[0] / x.nbytes:.2f} times the array")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["equal", "overhead", "single", "memory"])
    parser.add_argument("files", nargs="*", help="data sets, for equal and overhead")
    parser.add_argument("--transforms", default="auto", help="those that memory is measured with; values take a tenth of the time")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", CCPWarning)
    if arguments.what == "single":
        single()
    elif arguments.what == "memory":
        memory(arguments.transforms)
    else:
        for path in arguments.files:
            {"equal": equal, "overhead": overhead}[arguments.what](path)


if __name__ == "__main__":
    main()
