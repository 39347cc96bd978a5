"""Measure decisions before a recording ends (ccp train --early, docs/streams.md) on recordings with a split.

    python3 benchmarks/early.py ours --ccp ./ccp --out FILE.csv suite/ERing.npz ucr/ECG200.npz …
    VENV/bin/python benchmarks/early.py teaser --out FILE.csv ucr/ECG200.npz …
    python3 benchmarks/early.py table FILE.csv

ours trains transforms alone three times: plainly, with --early and with --early=mean, or as --trainings says. A row has the accuracy on the
test samples as they are decided and at the end, the mean share of a recording that is seen, the harmonic mean of the accuracy and the share
that is not, and the processor seconds of the training, the program's start and the test included. --splits 5 adds five splits drawn anew,
each class in the sizes of the file's own.

table prints what --early loses and sees on each set: on the file's own split, and the mean and the standard deviation of drawn ones.

teaser does the same with aeon's TEASER, WEASEL inside (its defaults, seed 0, one thread), at 20 evenly spaced numbers of time points: its own
default is n/1, n/2, n/3 …, none of which lies between half and whole. Its accuracy at the end is that of its last classifier. It takes
recordings of one sensor.

Rows are appended to FILE.csv. Packages: numpy 2.3.5, for teaser aeon 1.6.0 with scikit-learn 1.9.1.
"""
import argparse
import collections
import csv
import json
import math
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

import conformal
import numpy as np

COLUMNS = ["set", "split", "method", "train", "test", "timepoints", "accuracy", "at_end", "seen", "harmonic_mean", "seconds"]
LOOKS = 20
FLAGS = {"plain": [], "loss": ["--early"], "mean": ["--early=mean"]}


def processor_seconds(of):
    used = resource.getrusage(of)
    return used.ru_utime + used.ru_stime


def load(path):
    with np.load(path) as file:
        data = dict(file)
    return data["series"], data["labels"], data["split"]


def resplit(path, seed, out):
    """Write a data set of which the split is drawn anew."""
    data = conformal.load(path)
    train_on, _ = conformal.drawn(data, seed)
    data["split"] = np.full(len(data["labels"]), 2, np.int32)
    data["split"][train_on] = 0
    np.savez(out, **data)


def by_split(program, path, trainings, splits):
    """Yield rows of trainings on the file's own split and on those drawn anew."""
    for row in ours(program, path, trainings):
        yield dict(split="own", **row)
    for seed in range(1, splits + 1):
        with tempfile.TemporaryDirectory() as folder:
            resplit(path, seed, folder + "/drawn.npz")
            for row in ours(program, folder + "/drawn.npz", trainings):
                yield dict(split=seed, **row)


def ours(program, path, trainings):
    """Yield rows of trainings."""
    for method in trainings:
        flags = FLAGS[method]
        with tempfile.TemporaryDirectory() as folder:
            before = processor_seconds(resource.RUSAGE_CHILDREN)
            line = [program, "train", "--data", path, "--fast", "--checkpoint", folder + "/run", "--json", "--offline", "--backend", "go"]
            out = subprocess.run(line + flags, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
            seconds = processor_seconds(resource.RUSAGE_CHILDREN) - before
        result = json.loads(out)
        test = result["early"]["test"] if flags else {"accuracy": result["test"]["accuracy"], "at_end": result["test"]["accuracy"],
                                                      "seen": 1, "harmonic_mean": 0}
        yield dict(method=" ".join(["ccp", *flags]), seconds=seconds, **{name: test[name] for name in ("accuracy", "at_end", "seen", "harmonic_mean")})


def teaser(path):
    """Yield the row of aeon's TEASER."""
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"):
        os.environ[variable] = "1"
    from aeon.classification.early_classification import TEASER
    series, labels, split = load(path)
    x, y = series.reshape(len(series), -1, series.shape[2]).astype(float), labels.astype(str)
    n = x.shape[2]
    points = sorted({math.ceil(n * i / LOOKS) for i in range(1, LOOKS + 1)})
    points = [at for at in points if at >= 4]
    before = processor_seconds(resource.RUSAGE_SELF)
    model = TEASER(random_state=0, n_jobs=1, classification_points=points)
    model.fit(x[split == 0], y[split == 0])
    mean, accuracy, seen = model.score(x[split == 2], y[split == 2])
    seconds = processor_seconds(resource.RUSAGE_SELF) - before
    at_end = np.mean(model.estimators_[-1].predict(x[split == 2]) == y[split == 2])
    yield dict(split="own", method="TEASER", accuracy=accuracy, at_end=at_end, seen=seen, harmonic_mean=mean, seconds=seconds)


def table(path):
    """Print what --early loses, in points, and the share that it sees."""
    own, drawn = {}, collections.defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["method"] != "ccp --early":
                continue
            figures = 100 * (float(row["at_end"]) - float(row["accuracy"])), float(row["seen"])
            if row["split"] == "own":
                own[row["set"], row["train"]] = figures
            else:
                drawn[row["set"], row["train"]].append(figures)
    print("| set (training) | own split: lost, seen | drawn: lost, seen |\n| --- | --- | --- |")
    means = []
    for key, (lost, seen) in own.items():
        line = f"| {key[0]} ({key[1]}) | {lost:.1f} {seen:.2f} |"
        if drawn[key]:
            every_lost, every_seen = zip(*drawn[key])
            means.append((lost, seen, statistics.mean(every_lost), statistics.mean(every_seen)))
            line += f" {means[-1][2]:.1f} ± {statistics.stdev(every_lost):.1f}, {means[-1][3]:.2f} |"
        print(line)
    own_lost, own_seen, lost, seen = (statistics.mean(column) for column in zip(*means))
    print(f"| mean of {len(means)} sets | {own_lost:.2f} {own_seen:.3f} | {lost:.2f} {seen:.3f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["ours", "teaser", "table"])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--ccp", default="./ccp")
    parser.add_argument("--trainings", nargs="+", choices=FLAGS, default=list(FLAGS))
    parser.add_argument("--splits", type=int, default=0)
    parser.add_argument("--out")
    asked = parser.parse_args()
    if asked.which == "table":
        table(*asked.files)
        return
    if not asked.out:
        parser.error("--out names the file that rows are appended to")
    out = pathlib.Path(asked.out)
    begun = out.exists()
    with out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if not begun:
            writer.writeheader()
        for path in asked.files:
            series, _, split = load(path)
            about = dict(set=pathlib.Path(path).stem, train=int((split == 0).sum()), test=int((split == 2).sum()),
                         timepoints=series.shape[2])
            rows = teaser(path) if asked.which == "teaser" else by_split(asked.ccp, path, asked.trainings, asked.splits)
            for row in rows:
                rounded = {name: f"{value:.4g}" if isinstance(value, float) else value for name, value in row.items()}
                writer.writerow(about | rounded)
                file.flush()


if __name__ == "__main__":
    main()
