"""Writes an .npz for ccp from recordings of sensors: a CSV or npy file for each, in a folder for each class.

    python3 recordings.py RECORDINGS --out mine.npz --frames 40 --links links.csv --origin hip --test 'anna_*'
    ccp train --data mine.npz

RECORDINGS/wave/anna_1.csv   a line for each moment; a column for each value, headed sensor.axis: hip.x,hip.y,hip.z,head.x,...
RECORDINGS/wave/anna_2.npy   or an array [moments, sensors, axes]; its sensors are called 0, 1, 2, ...
links.csv                    a line for each pair of sensors that belong together: hip,head
"""
import argparse
import csv
import fnmatch
import itertools
import pathlib
import sys

import numpy as np


def read(path):
    """The sensors of a recording and its values, [moments, sensors, axes], without the moments that lack a value."""
    if path.suffix == ".npy":
        values = np.load(path).astype(float)
        sensors = [str(sensor) for sensor in range(values.shape[1])]
    else:
        with open(path, newline="") as file:
            columns = next(csv.reader(file))
            table = np.genfromtxt(file, delimiter=",", ndmin=2)
        sensors = list(dict.fromkeys(column.rsplit(".", 1)[0] for column in columns))
        axes = len(columns) // len(sensors)
        if [column.rsplit(".", 1)[0] for column in columns] != [s for s in sensors for _ in range(axes)]:
            sys.exit(f"{path}: its columns must be the axes of one sensor after another, as many of each: {columns}")
        values = table.reshape(len(table), len(sensors), axes)
    values = values[np.isfinite(values).all(axis=(1, 2))]
    if len(values) == 0:
        sys.exit(f"{path}: no moment has all its values")
    return sensors, values


def resample(values, frames):
    """The recording at `frames` moments spread evenly over it, linearly between its own."""
    flat = values.reshape(len(values), -1)
    moments = np.linspace(0, len(flat) - 1, frames)
    columns = [np.interp(moments, np.arange(len(flat)), column) for column in flat.T]
    return np.stack(columns, axis=1).reshape(frames, *values.shape[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=pathlib.Path, metavar="RECORDINGS")
    parser.add_argument("--out", default="mine.npz")
    parser.add_argument("--frames", type=int, default=40, help="moments of every signal")
    parser.add_argument("--links", type=pathlib.Path, help="pairs of sensors; without it each is linked with each")
    parser.add_argument("--origin", help="sensor whose first place becomes the origin")
    parser.add_argument("--test", help="pattern of the file names to test on, such as those of a person (default: a random fifth)")
    options = parser.parse_args()

    features, labels, test, known = [], [], [], None
    for path in sorted(p for p in options.recordings.glob("*/*") if p.suffix in (".csv", ".npy")):
        sensors, values = read(path)
        layout = (sensors, values.shape[2])
        if layout != (known := known or layout):
            sys.exit(f"{path}: {layout} are other sensors or axes than {known} of the recordings before")
        if options.origin:
            values = values - values[0, sensors.index(options.origin)]
        features.append(resample(values, options.frames))
        labels.append(path.parent.name)
        test.append(bool(options.test) and fnmatch.fnmatch(path.name, options.test))
    if not features:
        sys.exit(f"{options.recordings}: no .csv or .npy file in its folders")

    if options.links:
        with open(options.links, newline="") as file:
            links = [(sensors.index(a.strip()), sensors.index(b.strip())) for a, b in csv.reader(file)]
    else:
        links = list(itertools.combinations(range(len(sensors)), 2))
    # Node frame * sensors + sensor: the links in every frame, and every sensor with itself in the next one.
    count, last = len(sensors), options.frames - 1
    edges = [(frame * count + a, frame * count + b) for frame in range(options.frames) for a, b in links]
    edges += [(node, node + count) for node in range(last * count)]

    arrays = {
        "features": np.stack(features).reshape(len(features), options.frames * count, -1).astype(np.float32),
        "labels": np.array(labels),
        "edges": np.array(edges),
        "node_names": np.array([f"{sensor}@{frame}" for frame in range(options.frames) for sensor in sensors]),
    }
    if options.test:
        arrays["split"] = np.where(test, 2, 0)  # ccp holds out some of the training recordings for validation
    np.savez(options.out, **arrays)
    print(f"{options.out}: {len(features)} recordings of {count} sensors, {len(set(labels))} classes, {len(edges)} edges")


if __name__ == "__main__":
    main()
