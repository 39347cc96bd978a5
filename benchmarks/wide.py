"""Measure how the program grows with the columns and the classes of a table.

    go build -o ccp ./cmd/ccp && VENV/bin/python benchmarks/wide.py --ccp ./ccp --out wide.csv     # VENV has numpy

For each size it makes a table of normal values around a centre for each class, and runs `ccp data check` and `ccp train --fast`. A row
of the CSV has the processor seconds and the peak memory in MB of both, the test accuracy, and that of the nearest training sample.
Columns grow in 60 samples of three classes, as `series` of one time point and as `features` with --knn 4. Classes grow with six training
and two test samples each, of 6 columns. --columns and --classes choose the sizes.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def table(columns, classes, each, test):
    """Return values, labels and split of a table with so many samples of a class, the last `test` of them for the test."""
    rng = np.random.default_rng(1)
    labels = np.tile(np.arange(classes), each)
    centres = rng.normal(size=(classes, columns)).astype(np.float32)
    values = centres[labels] + rng.normal(scale=0.1, size=(len(labels), columns)).astype(np.float32)
    split = np.zeros(len(labels), np.int8)
    split[-test * classes:] = 2
    return values, labels, split


def nearest(values, labels, split):
    """Return the accuracy of the class of the nearest training sample."""
    known, classes, right = values[split == 0].astype(float), labels[split == 0], 0
    squares = (known ** 2).sum(1)
    tests = np.flatnonzero(split == 2)
    for some in np.array_split(tests, 1 + len(tests) * len(known) // 20_000_000):
        found = (squares - 2 * values[some].astype(float) @ known.T).argmin(1)
        right += (classes[found] == labels[some]).sum()
    return float(right / len(tests))


# The system counts the memory of the program that starts another as the other's, so that a small one starts it.
STARTER = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print()
print(json.dumps([status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss]))
"""


def measured(command):
    """Run a command. Return its output, its processor seconds and its peak memory in MB."""
    output = subprocess.run([sys.executable, "-S", "-c", STARTER, *map(str, command)], stdout=subprocess.PIPE, text=True, check=True).stdout
    output, last = output.rstrip().rsplit("\n", 1)
    status, seconds, peak = json.loads(last)
    if status:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {status}")
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
    return output.rstrip(), seconds, peak * unit / 1e6


def row(ccp, form, columns, classes, each, test):
    values, labels, split = table(columns, classes, each, test)
    options = ["--knn", min(4, columns - 1)] if form == "features" else []
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "table.npz"
        np.savez(file, **{form: values if form == "features" else values[:, :, None]}, labels=labels, split=split)
        base = nearest(values, labels, split)
        found = {"form": form, "columns": columns, "classes": classes, "samples": len(labels), "file_mb": file.stat().st_size / 1e6}
        del values
        _, found["check_seconds"], found["check_mb"] = measured([ccp, "data", "check", file, *options])
        line, found["train_seconds"], found["train_mb"] = measured(
            [ccp, "train", "--data", file, *options, "--fast", "--checkpoint", pathlib.Path(folder) / "run", "--json"])
        found |= {"test": json.loads(line.splitlines()[-1])["test"]["accuracy"], "nearest": base}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in found.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ccp", default="./ccp", help="the program")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="the CSV, to which rows are added")
    parser.add_argument("--columns", type=int, nargs="*", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--classes", type=int, nargs="*", default=[2, 100, 1_000, 5_000])
    args = parser.parse_args()
    sizes = [(form, columns, 3, 20, 2) for form in ("series", "features") for columns in args.columns]
    sizes += [("features", 6, classes, 8, 2) for classes in args.classes]
    for size in sizes:
        found, new = row(args.ccp, *size), not args.out.exists()
        with args.out.open("a", newline="") as out:
            writer = csv.DictWriter(out, found, lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerow(found)
        print(found, flush=True)


if __name__ == "__main__":
    main()
