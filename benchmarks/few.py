"""Draws small training sets from the training samples of data sets, to see what few samples need.

    VENV/bin/python benchmarks/few.py --samples 24 48 96 --seeds 1 2 --out FOLDER FILE.npz…
    VENV/bin/python benchmarks/few.py --quarter --seeds 1 2 --out FOLDER FILE.npz…

Each file that it writes has some training samples of FILE.npz as its training, in whole groups or with as many of each class as there
were, and at most 400 of the others as its test. --quarter holds out a quarter of at most 3,000. No test sample of FILE.npz is in any, so
that what is chosen by these files has not seen it. A set with too few samples is left out. benchmarks/pace.py trains on the files.
"""

import argparse
import pathlib

import numpy as np

PER_SAMPLE = {"series", "features", "labels", "split", "groups", "sample_names"}


def by_class(labels, wanted, random):
    """Returns positions of about so many samples: of each class its share, and at least two."""
    kept = []
    for label in np.unique(labels):
        of_class = random.permutation(np.flatnonzero(labels == label))
        kept.extend(of_class[:max(2, round(wanted * len(of_class) / len(labels)))])
    return np.array(kept)


def by_group(groups, wanted, random):
    """Returns positions of whole groups, until they have so many samples."""
    kept = []
    for group in random.permutation(np.unique(groups)):
        if len(kept) >= wanted:
            break
        kept.extend(np.flatnonzero(groups == group))
    return np.array(kept)


def draw(data, wanted, most, random):
    """Returns the arrays of a set with so many training samples and at most so many test samples, or None."""
    training = np.flatnonzero(data["split"] == 0)
    if wanted is None:
        training = random.permutation(training)[:3000]
        wanted = 0.75 * len(training)
    elif len(training) < 2 * wanted:
        return None
    labels = data["labels"][training]
    if wanted < 2 * len(np.unique(labels)):
        return None
    kept = by_group(data["groups"][training], wanted, random) if "groups" in data else by_class(labels, wanted, random)
    known = np.isin(labels, np.unique(labels[kept]))
    known[kept] = False
    train, test = np.sort(training[kept]), np.sort(random.permutation(training[known])[:most])
    samples = np.concatenate([train, test])
    drawn = {name: array[samples] if name in PER_SAMPLE else array for name, array in data.items()}
    drawn["split"] = np.repeat(np.uint8([0, 2]), [len(train), len(test)])
    return drawn


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", nargs="+", type=int, default=[])
    parser.add_argument("--quarter", action="store_true")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    for file in asked.files:
        data = dict(np.load(file))
        for seed in asked.seeds:
            for wanted in asked.samples + [None] * asked.quarter:
                random = np.random.default_rng([seed, wanted or 0])
                drawn = draw(data, wanted, 400 if wanted else len(data["labels"]), random)
                if drawn is not None:
                    np.savez(asked.out / f"{file.stem}-{wanted or 'quarter'}-{seed}.npz", **drawn)


if __name__ == "__main__":
    main()
