"""Classes of unequal sizes: accuracy, mean recall and log-loss of builds of ccp and of logistic regression, on drawn sets.

    VENV/bin/python benchmarks/suite/uneven.py table:102 table:103 table:104 table:105 series:1 series:2 series:3 --ccp BEFORE AFTER

A set is a kind and a seed. A table has 600 training and 2,000 test rows, of which 5% are rare. Series are 300 and 900 recordings of three
sensors and 80 time points, of which 10% are rare.
"""
import argparse
import pathlib
import subprocess
import tempfile

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score, log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


def table(rng):
    """Rare rows are shifted in three of eight columns."""
    n = 2600
    y = (rng.random(n) < 0.05).astype(int)
    x = rng.normal(size=(n, 8))
    x[:, 0] = np.exp(1.2 * x[:, 0])
    x[:, 3], x[:, 4] = rng.integers(0, 2, n), rng.poisson(3, n)
    x[y == 1, 1] += 1.6
    x[y == 1, 2] -= 1.3
    x[y == 1, 4] += rng.poisson(2, (y == 1).sum())
    return x[:, :, None], y, 600


def series(rng):
    """Rare recordings oscillate faster."""
    n, t = 1200, np.arange(80)
    y = (rng.random(n) < 0.1).astype(int)
    x = rng.normal(size=(n, 3, 80))
    x[:, 0] += 0.7 * np.sin(6 * rng.random(n)[:, None] + t * np.where(y, 0.5, 0.42)[:, None])
    return x, y, 300


def show(name, who, truth, p):
    predicted = p.argmax(1)
    print(f"{name} {who}: {100 * accuracy_score(truth, predicted):.1f}; {100 * balanced_accuracy_score(truth, predicted):.1f}; "
          f"{log_loss(truth, p):.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="+", help="table:SEED or series:SEED")
    parser.add_argument("--ccp", nargs="+", default=["ccp"], help="builds of the program")
    args = parser.parse_args()
    for name in args.sets:
        kind, seed = name.split(":")
        x, y, train = {"table": table, "series": series}[kind](np.random.default_rng(int(seed)))
        flat = x.reshape(len(x), -1)
        logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)).fit(flat[:train], y[:train])
        show(name, "logistic", y[train:], logistic.predict_proba(flat[train:]))
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            np.savez(at / "set.npz", series=x, labels=y, split=2 * (np.arange(len(y)) >= train))
            np.save(at / "test.npy", x[train:])
            for i, ccp in enumerate(args.ccp):
                run, predictions = at / f"run{i}", at / f"predictions{i}.csv"
                subprocess.run([ccp, "train", "--data", at / "set.npz", "--checkpoint", run], check=True, capture_output=True)
                subprocess.run([ccp, "predict", "--checkpoint", run, "--out", predictions, at / "test.npy"],
                               check=True, capture_output=True)
                show(name, ccp, y[train:], np.genfromtxt(predictions, delimiter=",", skip_header=1)[:, 3:])


if __name__ == "__main__":
    main()
