"""What was tried along links and was not kept.

    python benchmarks/links_tried.py masks             # ways to read stations that are off, of the kind air of ordered.py
    python benchmarks/links_tried.py flow FILE.npz     # the kind moving of generated.py, with what flows along the links of a node
    python benchmarks/links_tried.py time FILE.npz     # the same as signals, whose positions have the time as a third axis
    python benchmarks/links_tried.py moved FILE.npz    # the same with seven copies of each training recording, moved along the graph

masks prints, in means over two seeds, the test accuracies of ridge and of extremely randomised trees, and the trees' log-loss, on
statistics of each station and of each link. A third or six tenths of the stations are off for weeks; they are filled by the mean or by
linked stations, or else their features are put to the training mean (zero), to a value beyond all others (the trees' missing branch),
or to zero with the others made larger. Networks alone read the other three by ccp train --set transforms=none. Needs numpy, and for
masks scikit-learn.
"""
import sys

import numpy as np

from generated import moving
from ordered import air


def statistics(series, links):
    """Features of each station, `[samples, stations, features]`, and of each link."""
    quantiles = np.quantile(series, [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1], axis=2).transpose(1, 2, 0)
    centred = series - series.mean(2, keepdims=True)
    power = np.log(np.abs(np.fft.rfft(centred))[:, :, 1:7] ** 2 + 1e-3)
    level, deviation = series.mean(2), series.std(2)
    stations = np.concatenate([quantiles, level[..., None], deviation[..., None], power], 2)
    scaled, (a, b) = centred / (deviation[..., None] + 1e-6), links.T
    alike = (scaled[:, a] * scaled[:, b]).mean(2)
    return stations, np.stack([level[:, a] * level[:, b], level[:, b] - level[:, a], alike], 2)


def filled(series, train, links, by_links):
    """The series, where those that are missing are the stations' means or, by links, what linked stations have beyond theirs."""
    mean = np.nan_to_num(np.nanmean(series[train], axis=(0, 2)))  # a station may be off in all of them
    deviation = np.nan_to_num(np.nanstd(series[train], axis=(0, 2)), nan=1) + 1e-9
    scaled = (series - mean[:, None]) / deviation[:, None]
    known, values = ~np.isnan(scaled), np.nan_to_num(scaled)
    if by_links:
        linked = np.zeros((series.shape[1],) * 2)
        linked[links[:, 0], links[:, 1]] = linked[links[:, 1], links[:, 0]] = 1
        count = np.einsum("ij,njt->nit", linked, known.astype(float))
        values = np.where(known, values, np.einsum("ij,njt->nit", linked, values) / np.maximum(count, 1))
    return values * deviation[:, None] + mean[:, None]


def masks():
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.linear_model import RidgeClassifierCV
    from sklearn.metrics import log_loss

    results = {}
    for missing in 1 / 3, 0.6:
        for seed in 1, 2:
            data, whole = air(np.random.default_rng(seed), missing=missing), air(np.random.default_rng(seed), missing=0)
            train, test, labels, links = data["split"] == 0, data["split"] == 2, data["labels"], data["edges"]
            series = data["series"].astype(float)
            off = np.isnan(series).all(2)

            def standardised(series, mask):
                found = []
                for x, gone in zip(statistics(series, links), (off, off[:, links[:, 0]] | off[:, links[:, 1]])):
                    x = np.where(gone[..., None] & mask, np.nan, x)
                    mean, deviation = np.nan_to_num(np.nanmean(x[train], 0)), np.nan_to_num(np.nanstd(x[train], 0), nan=1)
                    found.append(((x - mean) / (deviation + 1e-6)).reshape(len(x), -1))
                return np.concatenate(found, 1)

            near = filled(series, train, links, True)
            masked = standardised(near, True)
            share = (~np.isnan(masked)).mean(1, keepdims=True)
            ways = {"mean": standardised(filled(series, train, links, False), False), "linked stations": standardised(near, False),
                    "zero": np.nan_to_num(masked), "missing branch": np.where(np.isnan(masked), -30, masked),
                    "zero, others larger": np.nan_to_num(masked) / np.maximum(share, 1e-3),
                    "all stations on": standardised(whole["series"].astype(float), False)}
            for way, x in ways.items():
                ridge = RidgeClassifierCV(np.logspace(0, 6, 13)).fit(x[train], labels[train]).score(x[test], labels[test])
                trees = ExtraTreesClassifier(300, random_state=0).fit(x[train], labels[train])
                p = trees.predict_proba(x[test]).clip(1e-6)
                loss = log_loss(labels[test], p / p.sum(1, keepdims=True))
                results.setdefault((missing, way), []).append((100 * ridge, 100 * trees.score(x[test], labels[test]), loss))
    for (missing, way), rows in results.items():
        ridge, trees, loss = np.mean(rows, 0)
        print(f"{missing:.0%} off, {way}: ridge {ridge:.1f}%, trees {trees:.1f}%, loss {loss:.3f}")


def frames(data):
    """The series of the kind moving at half the time points, as a network reads them."""
    return (data["series"][:, :, :59:2] + data["series"][:, :, 1::2]) / 2


def flow(path):
    """What flows along the links of a node in each direction of the plane: x_i(t) x_j(t+1) - x_j(t) x_i(t+1), turned, in the mean."""
    data = moving(np.random.default_rng(1))
    values, links, places = frames(data), data["edges"], data["coordinates"]
    channels = [values]
    for axis in 0, 1:
        turn = np.sign(places[links[:, 1], axis] - places[links[:, 0], axis])
        a, b = values[:, links[:, 0]] / values.std(), values[:, links[:, 1]] / values.std()
        along = (a[:, :, :-1] * b[:, :, 1:] - b[:, :, :-1] * a[:, :, 1:]) * turn[None, :, None]
        sums = np.zeros_like(values)
        for end in 0, 1:
            np.add.at(sums[:, :, :-1].transpose(1, 0, 2), links[:, end], along.transpose(1, 0, 2))
        channels.append(sums / np.maximum(np.bincount(links.ravel(), minlength=len(places)), 1)[None, :, None])
    np.savez(path, **{**data, "series": np.stack(channels, 3).astype(np.float32)})


def time(path):
    """Signals on sensors at frames, whose third coordinate is the frame, a mean link apart from the next."""
    data = moving(np.random.default_rng(1))
    values, links, places = frames(data), data["edges"], data["coordinates"]
    samples, sensors, count = values.shape
    apart = np.linalg.norm(places[links[:, 0]] - places[links[:, 1]], axis=1).mean()
    positions = np.concatenate([np.column_stack([places, np.full(sensors, t * apart)]) for t in range(count)])
    node = np.arange(sensors)
    edges = [links + t * sensors for t in range(count)]
    edges += [np.stack([node + t * sensors, node + (t + 1) * sensors], 1) for t in range(count - 1)]
    np.savez(path, features=values.transpose(0, 2, 1).reshape(samples, -1, 1).astype(np.float32), labels=data["labels"],
             split=data["split"], edges=np.concatenate(edges), coordinates=positions)


def moved(path, copies=7, farthest=0.4):
    """Each training recording also at other places: a node has what the node nearest to it has, less a displacement drawn by lot."""
    data, rng = moving(np.random.default_rng(1)), np.random.default_rng(2)
    places, train = data["coordinates"], np.flatnonzero(data["split"] == 0)
    series, labels = [data["series"]], [data["labels"]]
    for _ in range(copies):
        there = np.empty((len(train), *data["series"].shape[1:]), np.float32)
        for at, sample in enumerate(train):
            displacement = rng.uniform(-farthest, farthest, 2)
            nearest = ((places[:, None] - displacement - places) ** 2).sum(-1).argmin(1)
            there[at] = data["series"][sample, nearest]
        series.append(there)
        labels.append(data["labels"][train])
    labels = np.concatenate(labels)
    split = np.concatenate([data["split"], np.zeros(len(labels) - len(data["split"]), np.uint8)])
    np.savez(path, **{**data, "series": np.concatenate(series), "labels": labels, "split": split})


if __name__ == "__main__":
    if sys.argv[1:] == ["masks"]:
        masks()
    elif len(sys.argv) == 3 and sys.argv[1] in ("flow", "time", "moved"):
        {"flow": flow, "time": time, "moved": moved}[sys.argv[1]](sys.argv[2])
    else:
        sys.exit(__doc__)
