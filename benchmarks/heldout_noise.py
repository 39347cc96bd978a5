"""Trains on noise, and checks that every held-out figure that ccp prints is chance, or absent.

    python benchmarks/heldout_noise.py --ccp build/ccp --out benchmarks/results/heldout-noise.csv
    python benchmarks/heldout_noise.py --ccp build/ccp --kinds knn-400 lone --seeds 5

kind         the samples to train on, whose classes are drawn by lot, all of one size
knn-400      64 samples of 400 nodes, whose graph joins those that are alike (--knn 4)
knn-2000     the same with 2,000 nodes
sensors-12   60 recordings of 12 sensors and 60 time points; ccp draws their links by correlation
sensors-40   the same with 40 sensors: `scattering`, `averages` and `links` go by such links
two-groups   60 recordings of two groups, which differ by an offset
class-groups 60 recordings of 12 groups of one class each, which differ by offsets
lone         20 classes of one sample each
few          40 recordings of three sensors
table        40 rows of a table of 30 columns, whose graph joins those that are alike (--knn 3)
gaps         60 recordings of six sensors, of which each lacks one in every recording: ccp fills it as all training samples let expect
network      48 recordings of three sensors of unlike scale, with the network, which reads frames and scale of all training samples
shifted      64 samples of 2,000 nodes (--knn 4), of which 20 are higher by 1.5 in one class; transforms=scattering. A figure is
             good if it is not above the accuracy on 300 test samples

For each kind and figure there is a line: in how many trainings it is there, its mean with two standard errors over the seeds, and
chance. An accuracy is good within two standard errors of chance; a loss is good unless it is more than two below chance. The exit
status is 1 if a figure is not good, or if `lone` has one. Needs numpy.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

KNN = ["--knn", "4"]


def labels_of(rng, n, classes=2):
    """As many samples of each class, in an order by lot."""
    return rng.permutation(np.arange(n) % classes)


def signals(rng, n, nodes, test=40):
    """Noise on nodes."""
    return dict(features=rng.normal(size=(n + test, nodes, 1)), labels=np.concatenate([labels_of(rng, n), labels_of(rng, test)]))


def recordings(rng, n, sensors, timepoints, test=40):
    """Noise of sensors that are mixed, so that some correlate."""
    mix = rng.normal(size=(sensors, sensors))
    series = np.einsum("nst,sr->nrt", rng.normal(size=(n + test, sensors, timepoints)), mix)
    return dict(series=series, labels=np.concatenate([labels_of(rng, n), labels_of(rng, test)]))


def two_groups(rng):
    """Two groups with classes of one size in each."""
    data = recordings(rng, 60, 3, 40)
    group = np.concatenate([np.arange(60) // 30, 2 + np.arange(40) // 20])
    data["labels"] = np.concatenate([labels_of(rng, int(size)) for size in np.bincount(group)])
    data["series"] += 2 * rng.normal(size=(4, 3, 1))[group]
    return dict(data, groups=np.char.add("site ", group.astype(str)))


def class_groups(rng):
    """Groups of which each has one class, as patients and healthy people have."""
    data = recordings(rng, 60, 3, 40)
    group = np.concatenate([np.arange(60) // 5, 12 + np.arange(40) // 5])
    data["labels"] = np.concatenate([labels_of(rng, 12), labels_of(rng, 8)])[group]
    data["series"] += rng.normal(size=(20, 3, 1))[group]
    return dict(data, groups=np.char.add("person ", group.astype(str)))


def lone(rng):
    """One training sample and two test samples of each of 20 classes."""
    return dict(recordings(rng, 20, 3, 40), labels=np.concatenate([rng.permutation(20), np.arange(40) % 20]))


def gaps(rng):
    """Recordings that lack a sensor each."""
    data = recordings(rng, 60, 6, 40)
    data["series"][np.arange(100), rng.integers(0, 6, 100)] = np.nan
    return data


def network(rng):
    """Recordings whose sensors are normalised each by itself, since they vary unlike."""
    data = recordings(rng, 48, 3, 40)
    data["series"] *= np.array([1, 30, 900])[:, None]
    return data


def shifted(rng):
    """A few nodes are higher in one class, which tells the classes apart and joins these nodes in the graph."""
    data = signals(rng, 64, 2000, 300)
    data["features"][:, :20, 0] += 1.5 * data["labels"][:, None]
    return data


KINDS = {
    "knn-400": (lambda rng: signals(rng, 64, 400), KNN),
    "knn-2000": (lambda rng: signals(rng, 64, 2000), KNN),
    "sensors-12": (lambda rng: recordings(rng, 60, 12, 60), []),
    "sensors-40": (lambda rng: recordings(rng, 60, 40, 60), []),
    "two-groups": (two_groups, []),
    "class-groups": (class_groups, []),
    "lone": (lone, []),
    "few": (lambda rng: recordings(rng, 40, 3, 50), []),
    "table": (lambda rng: signals(rng, 40, 30), KNN[:1] + ["3"]),
    "gaps": (gaps, []),
    "network": (network, ["--steps", "150"]),
    "shifted": (shifted, KNN + ["--set", "transforms=scattering"]),
}


def train(ccp, kind, seed, folder):
    """Returns the figures of a training: (name, accuracy, loss) of what was held out, and the accuracy on the test samples."""
    make, flags = KINDS[kind]
    data = make(np.random.default_rng([seed, sorted(KINDS).index(kind)]))
    n = len(data["labels"])
    train = {"lone": 20, "few": 40, "table": 40, "network": 48}.get(kind, 64 if "--knn" in flags else 60)
    for key in "features", "series":
        if key in data:
            data[key] = data[key].astype(np.float32)
    np.savez(folder / "noise.npz", **data, split=np.where(np.arange(n) < train, 0, 2).astype(np.uint8))
    run = folder / "run"
    fast = [] if kind == "network" else ["--fast"]
    subprocess.run([ccp, "train", "--data", folder / "noise.npz", *fast, "--seed", str(seed), "--checkpoint", run, "--overwrite", *flags],
                   check=True, capture_output=True)
    result = json.loads((run / "result.json").read_text())
    figures = [(m["name"], m["accuracy"], m["loss"]) for m in result["members"] if m.get("samples", m.get("loss"))]
    if "train" in result and kind != "network":  # whose is of the samples that it trains on
        figures.append(("train", result["train"]["accuracy"], result["train"]["loss"]))
    return figures, result["test"]["accuracy"]


def spread(values):
    """The mean, and two of its standard errors."""
    return float(np.mean(values)), 2 * float(np.std(values, ddof=1) / len(values) ** 0.5) if len(values) > 1 else float("inf")


def rows_of(kind, runs):
    """Yields a line for each figure of a kind."""
    found = collections.defaultdict(list)
    for figures, test in runs:
        for name, accuracy, loss in figures:
            found[name].append((accuracy, loss, test))
    classes = 20 if kind == "lone" else 2
    chance, chance_loss = 1 / classes, np.log(classes)
    for name, values in found.items():
        accuracy, loss, test = map(np.array, zip(*values))
        if kind == "shifted":
            chance = float(test.mean())
            (_, width), (mean_loss, loss_width) = spread(accuracy - test), spread(loss)
            good = accuracy.mean() <= chance + width
        else:
            (_, width), (mean_loss, loss_width) = spread(accuracy), spread(loss)
            good = kind != "lone" and abs(accuracy.mean() - chance) <= width and mean_loss >= chance_loss - loss_width
        yield dict(kind=kind, figure=name, seeds=len(runs), printed=len(values), accuracy=f"{100 * accuracy.mean():.1f}",
                   accuracy_2se=f"{100 * width:.1f}", chance=f"{100 * chance:.1f}", loss=f"{mean_loss:.4f}", loss_2se=f"{loss_width:.4f}",
                   chance_loss=f"{chance_loss:.4f}", good="yes" if good else "no")
    if not found:
        yield dict(kind=kind, figure="none", seeds=len(runs), printed=0, good="yes")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ccp", default="ccp")
    options.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options.add_argument("--seeds", type=int, default=25)
    options.add_argument("--first", type=int, default=1, help="the first seed")
    options.add_argument("--out", help="a file for the table, as CSV")
    o = options.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in o.kinds:
            runs = [train(o.ccp, kind, seed, pathlib.Path(folder)) for seed in range(o.first, o.first + o.seeds)]
            rows += rows_of(kind, runs)
            for row in rows:
                if row["kind"] == kind:
                    print(*row.values(), flush=True)
    if o.out:
        with open(o.out, "w", newline="") as f:
            table = csv.DictWriter(f, max(rows, key=len))
            table.writeheader()
            table.writerows(rows)
    sys.exit(any(row["good"] == "no" for row in rows))


if __name__ == "__main__":
    main()
