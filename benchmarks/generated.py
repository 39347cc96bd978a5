"""Writes data sets whose classes a model can tell only if it looks at the graph, at the order of its sensors, or past a
nuisance that other groups have otherwise.

    python benchmarks/generated.py KIND FILE.npz [SEED]         # writes a set
    python benchmarks/generated.py KIND --baseline [SEED]       # test accuracies of ridge on raw values and of the kind's baseline

kind         the classes                                                       the baseline, and its accuracy by seeds 1 and 2
waves        from which of six directions a wave crosses ten sensors           products of sensors at lags, logistic: 100, 100
orders       in which of six orders 16 sensors fire                            the same: 100, 100
incidents    extent and course of incidents anywhere on 1,500 roads            quantiles of values averaged along links, ridge: 92, 91
frequencies  the frequency, on the graph, of noise on 300 nodes                the same: 99, 98
regions      in which of eight regions of 400 nodes heat has its source        values averaged along links, ridge: 52, 57
wear         five degrees of tool wear, by vibration; other tools in the test  forest on quantiles and powers of bands: 78, 78
lengths      six exercises of 900 to 2,600 time points; other people           the same: 96, 90
counts       five kinds of days, by the counts of 20 stations                  support vector machine: 50, 53
factors      which two of eight groups of nodes rise and fall together         products of linked nodes, logistic: 50, 52
moving       whether pulses run to the right, to the left or both ways      quantiles of differences at lags, forest: 100, 98
relations    which of six pathways is inverted                              products of linked nodes, logistic: 72, 72
mixing       which two of six sources that reach all sensors keep in step   products of sensors at lags, logistic: 100, 95
distant      whether ends of long links are alike, unlike or neither   quantiles over thirds of links by length, forest: 97, 99
noise        drawn by lot, in groups of ten samples                            none: what ccp prints of held-out samples is chance

Training and test are drawn alike, but for the groups. Needs numpy, and for the baselines scikit-learn.
"""
import sys

import numpy as np


def parts(n, test):
    """The split: the last samples are for the test."""
    return np.where(np.arange(n) < n - test, 0, 2).astype(np.uint8)


def nearest(positions, k):
    """Links of each node with its k nearest, each once."""
    order = np.argsort(((positions[:, None] - positions) ** 2).sum(-1), axis=1)[:, 1:k + 1]
    pairs = np.stack([np.repeat(np.arange(len(positions)), k), order.ravel()], 1)
    return np.unique(np.sort(pairs, axis=1), axis=0)


def walk(edges, nodes):
    """The lazy random walk on a graph: each step keeps half, and averages the neighbours for the other half."""
    adjacency = np.zeros((nodes, nodes), np.float32)
    adjacency[edges[:, 0], edges[:, 1]] = adjacency[edges[:, 1], edges[:, 0]] = 1
    return (np.eye(nodes, dtype=np.float32) + adjacency / np.maximum(adjacency.sum(1, keepdims=True), 1)) / 2


def waves(rng, n=480, sensors=10, timepoints=100):
    """A plane wave crosses a disc in one of six directions. Its frequency, its phase and each sensor's gain vary, so that
    only the sensors' delays tell the direction."""
    angles = np.arange(sensors) * 2.4  # positions on a spiral, which cover a disc evenly
    positions = np.sqrt((np.arange(sensors) + 0.5) / sensors)[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)
    labels = np.arange(n) % 6
    way = np.pi / 3 * labels
    delays = 4 * (np.cos(way)[:, None] * positions[:, 0] + np.sin(way)[:, None] * positions[:, 1])
    times = np.arange(timepoints) - delays[:, :, None] - rng.uniform(0, 50, (n, 1, 1))
    series = rng.uniform(0.5, 1.5, (n, sensors, 1)) * np.sin(2 * np.pi * times / rng.uniform(14, 26, (n, 1, 1)))
    series += 0.7 * rng.normal(size=series.shape)
    return dict(series=series.astype(np.float32), labels=labels, split=parts(n, n // 3), coordinates=positions)


def orders(rng, n=480, timepoints=400):
    """A cascade runs over a grid of 4 x 4 sensors along its rows, its columns or a spiral, forwards or backwards: all 16 fire
    once in each class. Start, pace, strengths and widths vary, and sensors also fire by themselves."""
    rows = np.arange(16).reshape(4, 4)
    snake = rows.copy()
    snake[1::2] = snake[1::2, ::-1]
    spiral = np.array([0, 1, 2, 3, 7, 11, 15, 14, 13, 12, 8, 4, 5, 6, 10, 9])
    paths = [path for line in (snake.ravel(), snake.ravel() % 4 * 4 + snake.ravel() // 4, spiral) for path in (line, line[::-1])]
    rank = np.array([np.argsort(path) for path in paths])
    labels = np.arange(n) % 6
    fire = rng.uniform(10, 220, (n, 1)) + rng.uniform(6, 11, (n, 1)) * rank[labels] + rng.normal(0, 1.5, (n, 16))
    alone = rng.uniform(0, timepoints, (n, 16))
    times, series = np.arange(timepoints), 0.5 * rng.normal(size=(n, 16, timepoints))
    for at in fire, alone:
        width = rng.uniform(3, 6, (n, 16, 1))
        series += rng.uniform(0.7, 1.6, (n, 16, 1)) * np.exp(-((times - at[:, :, None]) / width) ** 2)
    right, down = np.stack([rows[:, :-1], rows[:, 1:]], -1), np.stack([rows[:-1], rows[1:]], -1)
    links = np.concatenate([right.reshape(-1, 2), down.reshape(-1, 2)])
    return dict(series=series.astype(np.float32), labels=labels, split=parts(n, 180), edges=links,
                coordinates=np.argwhere(rows >= 0) * 1.0)


def incidents(rng, n=400, nodes=1500, timepoints=6):
    """Speeds on a planar road graph of degree 2.5 fall around a node drawn by lot: near it, farther or farthest, and there
    is more or less of it with time. Depth, hour and the roads' own speeds vary."""
    positions = rng.uniform(size=(nodes, 2))
    pairs = nearest(positions, 6)
    pairs = pairs[np.argsort(np.hypot(*(positions[pairs[:, 0]] - positions[pairs[:, 1]]).T))]
    component, used = np.arange(nodes), np.zeros(len(pairs), bool)
    for k, (i, j) in enumerate(pairs):  # the shortest spanning tree, and the shortest of the other pairs
        if component[i] != component[j]:
            component[component == component[j]], used[k] = component[i], True
    used[np.flatnonzero(~used)[:nodes * 5 // 4 - used.sum()]] = True
    edges = pairs[used]
    step = walk(edges, nodes)
    labels = np.arange(n) % 6
    spread = np.zeros((n, nodes, timepoints), np.float32)
    near, at = np.array([1, 10, 100])[labels // 2], rng.integers(0, nodes, n)
    for i in range(n):
        heat = np.eye(nodes, dtype=np.float32)[at[i]]
        for t in range(timepoints):
            for _ in range(near[i] if t == 0 else 0):
                heat = heat @ step
            spread[i, :, t] = heat / heat.max()
    course = np.linspace(1, 0.2, timepoints)
    course = np.where(labels[:, None] % 2, course, course[::-1])
    series = -rng.uniform(4, 7, (n, 1, 1)) * spread * course[:, None]
    series += rng.normal(0, 0.3, (n, nodes, timepoints)) + rng.normal(0, 0.5, (n, 1, 1))
    series = 50 + rng.normal(0, 10, (nodes, 1)) + rng.uniform(2, 4, (nodes, 1)) * series
    return dict(series=series.astype(np.float32), labels=labels, split=parts(n, 300), edges=edges, coordinates=positions)


def frequencies(rng, n=320, nodes=300):
    """Noise on a graph in one of four bands of its Laplacian, of any strength, under a smooth trend and beside white noise."""
    positions = rng.uniform(size=(nodes, 2))
    edges = nearest(positions, 5)
    step = walk(edges, nodes)
    degree = np.bincount(edges.ravel(), minlength=nodes) ** 0.5
    values, vectors = np.linalg.eigh(degree[:, None] * step / degree)  # symmetric: the walk's frequencies
    labels = np.arange(n) % 4
    band = np.exp(-((np.linspace(0, 1, nodes) - np.linspace(0.2, 0.8, 4)[labels][:, None]) / 0.06) ** 2)
    signals = (rng.normal(size=(n, nodes)) * band) @ vectors.T
    signals /= signals.std(1, keepdims=True)
    trend = rng.normal(size=(n, 12)) @ vectors[:, -12:].T * (nodes / 12) ** 0.5
    signals += rng.uniform(1, 3, (n, 1)) * trend
    signals = np.exp(rng.uniform(-0.6, 0.6, (n, 1))) * (signals + 0.05 * rng.normal(size=signals.shape))
    return dict(features=signals.astype(np.float32), labels=labels, split=parts(n, 200), edges=edges, coordinates=positions)


def regions(rng, n=700, nodes=400, count=8):
    """Heat has spread from a node along the links. The class is the region of that node, under strong noise."""
    positions = rng.uniform(size=(nodes, 2))
    edges = nearest(positions, 5)
    step = walk(edges, nodes)
    centres = positions[:1]
    for _ in range(count - 1):  # each as far from those before as can be
        centres = np.vstack([centres, positions[((positions[:, None] - centres) ** 2).sum(-1).min(1).argmax()]])
    region = ((positions[:, None] - centres) ** 2).sum(-1).argmin(1)
    labels = np.arange(n) % count
    signals = np.stack([np.eye(nodes)[rng.choice(np.flatnonzero(region == label))] for label in labels])
    steps = rng.integers(4, 25, n)
    for k in range(25):
        signals = np.where((k < steps)[:, None], signals @ step, signals)
    signals /= np.linalg.norm(signals, axis=1, keepdims=True)
    signals = rng.uniform(2, 4.2, (n, 1)) * signals + rng.normal(size=signals.shape)
    return dict(features=signals.astype(np.float32), labels=labels, split=parts(n, 300), edges=edges, coordinates=positions)


def wear(rng, tools=24, each=20, timepoints=1000):
    """Vibration of a mill in 3 axes. A worn tool rings more, in a band that is its own, and cuts less evenly; speed, gains
    and directions vary."""
    n = tools * each
    tool, labels, t = np.arange(n) // each, np.arange(n) % 5, np.arange(timepoints)
    ring, damp = rng.uniform(0.19, 0.25, tools)[tool], rng.uniform(0.025, 0.035, tools)[tool]
    gain = np.exp(rng.normal(0, 0.15, (tools, 3)))[tool]
    speed, phase = rng.uniform(0.01, 0.02, n), rng.uniform(0, 2 * np.pi, (n, 3, 6))
    harmonics = np.arange(1, 7)
    height = np.exp(rng.normal(0, 0.4, (n, 3, 6))) / harmonics
    drift = np.cumsum(rng.normal(0, 0.02, (n, timepoints)), axis=1)
    turn = 2 * np.pi * speed[:, None] * t + drift
    series = sum(height[:, :, k, None] * np.sin((k + 1) * turn[:, None] + phase[:, :, k, None]) for k in range(6))
    frequency = np.fft.rfftfreq(timepoints)
    band = np.exp(-((frequency - ring[:, None]) / damp[:, None]) ** 2)
    noise = np.fft.irfft(np.fft.rfft(rng.normal(size=(n, 3, timepoints))) * band[:, None], timepoints)
    noise /= noise.std(-1, keepdims=True)
    burst = 1 + 0.2 * labels[:, None] * np.sin(turn)  # a worn edge rings once in a turn
    series += 0.15 * np.exp(0.5 * labels + rng.normal(0, 0.15, n))[:, None, None] * noise * burst[:, None]
    series = gain[:, :, None] * (series + 0.3 * rng.normal(size=series.shape))
    return dict(series=series.astype(np.float32), labels=labels, groups=np.char.add("tool ", tool.astype(str)),
                split=np.where(tool < tools * 2 // 3, 0, 2).astype(np.uint8), sensor_names=np.array(["x", "y", "z"]))


def lengths(rng, people=20, each=12):
    """Twenty repetitions of an exercise, by a watch's accelerometer and gyroscope. Pace, strength, style and how the watch sits
    are a person's own. Of two classes, the second has the first one's motion twice in a repetition: only the number of
    repetitions, which the length tells, says whether a motion is quick or double."""
    n = people * each
    person, labels = np.arange(n) // each, np.arange(n) % 6
    motion = rng.normal(size=(3, 6, 4, 2)) / np.arange(1, 5)[:, None]  # of a pair of classes: channel, harmonic, sine and cosine
    own = 0.6 * rng.normal(size=(people, 3, 6, 4, 2)) / np.arange(1, 5)[:, None]
    pace, strength = rng.uniform(50, 115, people), np.exp(rng.normal(0, 0.3, people))
    series = np.full((n, 6, 2600), np.nan)
    for i in range(n):
        p, k = person[i], labels[i] // 2
        repetitions = np.clip(pace[p] * rng.uniform(0.85, 1.15) * np.exp(rng.normal(0, 0.06, 20)), 45, 125)
        ends = np.concatenate([[0], rng.integers(10, 50) + np.concatenate([[0], np.cumsum(repetitions)])])
        count = int(ends[-1] + rng.integers(10, 50))
        phase = np.interp(np.arange(count), ends, np.arange(-1, 21).clip(0))
        turn = 2 * np.pi * phase * (1 + labels[i] % 2)
        waves = np.stack([[np.sin(h * turn), np.cos(h * turn)] for h in range(1, 5)])
        turned = np.linalg.qr(np.eye(3) + 0.2 * rng.normal(size=(3, 3)))[0]
        turned *= np.sign(np.diag(turned))
        value = np.einsum("chk,hkt->ct", motion[k] + own[p, k], waves)
        value = strength[p] * np.concatenate([turned @ value[:3], turned @ value[3:]])
        series[i, :, :count] = value + rng.normal(0, 0.3, (6, 1)) + 0.5 * rng.normal(size=value.shape)
    names = np.array([f"{kind} {axis}" for kind in ("accelerometer", "gyroscope") for axis in "xyz"])
    return dict(series=series.astype(np.float32), labels=labels, groups=np.char.add("person ", person.astype(str)),
                split=np.where(person < people // 2, 0, 2).astype(np.uint8), sensor_names=names)


def counts(rng, n=4500, stations=20):
    """Counts of 20 stations on a map, which three smooth patterns move together. The kind of day is a region of two of the
    patterns that no plane cuts out."""
    positions = rng.uniform(size=(stations, 2))
    near = np.exp(-((positions[:, None] - positions) ** 2).sum(-1) / 0.15)
    patterns = np.linalg.cholesky(near + 1e-6 * np.eye(stations)) @ rng.normal(size=(stations, 3))
    patterns = np.linalg.qr(patterns)[0] * stations ** 0.5
    hidden = rng.normal(size=(n, 3))
    radius, angle = np.hypot(hidden[:, 0], hidden[:, 1]), np.arctan2(hidden[:, 1], hidden[:, 0])
    labels = np.where(radius < 0.8, 0, 1 + (np.floor(4 * angle / np.pi + 0.5 * radius) % 4)).astype(int)
    rate = rng.uniform(2, 4, stations) + 0.3 * hidden @ patterns.T + 0.4 * rng.normal(size=(n, stations))
    rate += rng.choice([0, 1.6, -2.4], (n, stations), p=[0.9, 0.05, 0.05])  # a fair, or works on the line
    return dict(features=rng.poisson(np.exp(rate)).astype(np.float32), labels=labels, split=parts(n, 1400),
                edges=nearest(positions, 5), coordinates=positions)


def factors(rng, n=900, nodes=64, groups=8):
    """Each group of nodes is a path, and the first nodes of all paths are a ring. In a class the nodes of two groups share a factor,
    whose sign and
    size say nothing: they rise together or fall together. All values have the same mean and nearly the same variance in all classes."""
    order, size = rng.permutation(nodes), nodes // groups
    paths = order.reshape(groups, size)
    labels = rng.integers(0, groups // 2, n)
    features = rng.normal(size=(n, nodes))
    for label, sample in zip(labels, features):
        for path in paths[2 * label:2 * label + 2]:
            sample[path] = 0.6 * rng.normal() + 0.8 * rng.normal(size=size)
    edges = np.concatenate([np.stack([paths[:, :-1], paths[:, 1:]], -1).reshape(-1, 2),
                            np.stack([paths[:, 0], np.roll(paths[:, 0], 1)], -1)])
    return dict(features=features.astype(np.float32), labels=labels, split=parts(n, n // 3), edges=edges)


def moving(rng, n=500, nodes=196, timepoints=60):
    """Pulses run over a band of nodes: to the right, to the left, or half of them each way. Where, when, how fast and how far
    each one runs is drawn by lot, so that no node by itself tells the way."""
    positions = rng.uniform(size=(nodes, 2)) * [2, 1]
    labels, count = np.arange(n) % 3, 6
    way = np.where(labels[:, None] == 2, np.where(np.arange(count) % 2, 1, -1), 1 - 2 * labels[:, None].clip(0, 1))
    start, height = rng.uniform(0, 2, (n, count)), rng.uniform(0, 1, (n, count))
    since, speed = rng.uniform(0, timepoints, (n, count)), rng.uniform(0.02, 0.06, (n, count))
    strength = rng.uniform(1, 2, (n, count)) * rng.choice([-1, 1], (n, count))
    series = rng.normal(size=(n, nodes, timepoints))
    times = np.arange(timepoints)
    for k in range(count):
        centre = start[:, k, None] + way[:, k, None] * speed[:, k, None] * (times - since[:, k, None])  # [n, timepoints]
        along = (positions[:, 0][:, None] - centre[:, None]) / 0.12
        across = (positions[:, 1] - height[:, k, None]) / 0.2
        alive = np.exp(-((times - since[:, k, None]) / 10) ** 2)
        series += 2.2 * (strength[:, k, None, None] * np.exp(-along ** 2 - across[:, :, None] ** 2) * alive[:, None])
    return dict(series=series.astype(np.float32), labels=labels, split=parts(n, n // 2), edges=nearest(positions, 5),
                coordinates=positions)


def relations(rng, n=800, nodes=60, pathways=6):
    """Activities of genes in pathways. In a class one pathway is inverted: each node of it falls where the node before rises.
    Whether a pathway rises or falls, and by how much, says nothing."""
    size = nodes // pathways
    paths = rng.permutation(nodes).reshape(pathways, size)
    labels = np.arange(n) % pathways
    features = np.empty((n, nodes))
    for i in range(n):
        for p, path in enumerate(paths):
            signs = (-1.0) ** np.arange(size) if p == labels[i] else np.ones(size)
            features[i, path] = 1.4 * signs * rng.normal() + rng.normal(size=size)
    links = np.concatenate([np.stack([paths[:, :-1], paths[:, 1:]], -1).reshape(-1, 2),
                            np.stack([paths[:, -1], np.roll(paths[:, 0], 1)], -1)])
    return dict(features=features.astype(np.float32), labels=labels, split=parts(n, n // 2), edges=links)


def mixing(rng, n=480, sensors=32, sources=6, timepoints=256):
    """Sources at known places oscillate, each with a frequency that is drawn for each recording, and reach each sensor by its
    distance. The class is which two sources keep in step."""
    positions = rng.normal(size=(sensors, 3))
    positions /= np.linalg.norm(positions, axis=1, keepdims=True)
    places = rng.normal(size=(sources, 3))
    places *= 0.7 / np.linalg.norm(places, axis=1, keepdims=True)
    gains = np.exp(-((positions[:, None] - places) ** 2).sum(-1) / 0.5)
    pairs, labels, times = np.array([(0, 1), (2, 3), (4, 5), (0, 2)]), np.arange(n) % 4, np.arange(timepoints)

    def oscillation(count):
        drift = np.cumsum(rng.normal(0, 0.25, (count, timepoints)), -1)
        return np.sin(2 * np.pi * rng.uniform(0.03, 0.12, (count, 1)) * times + drift + rng.uniform(0, 6.3, (count, 1)))
    series = 0.5 * rng.normal(size=(n, sensors, timepoints))
    for i in range(n):
        waves = oscillation(sources)
        waves[pairs[labels[i]][1]] = waves[pairs[labels[i]][0]]
        series[i] += gains @ (rng.uniform(0.6, 1.4, (sources, 1)) * waves)
    return dict(series=series.astype(np.float32), labels=labels, split=parts(n, n // 2), coordinates=positions)


def distant(rng, n=600, nodes=80, far=80):
    """Near nodes are alike by a field whose strength varies. Beside short links there are long ones, half of which have ends that
    are alike, unlike or neither; which half is drawn by lot for each sample."""
    positions = rng.uniform(size=(nodes, 2))
    near = nearest(positions, 4)
    distances = np.hypot(*(positions[:, None] - positions).transpose(2, 0, 1))
    i, j = np.where(np.triu(distances > 0.5))
    chosen = rng.choice(len(i), far, replace=False)
    long = np.stack([i[chosen], j[chosen]], 1)
    labels = np.arange(n) % 3
    field = np.linalg.cholesky(np.exp(-distances ** 2 / 0.01) + 1e-6 * np.eye(nodes))
    features = rng.uniform(0.5, 1.5, (n, 1)) * (rng.normal(size=(n, nodes)) @ field.T)
    for sample, label in zip(features, labels):
        if label == 2:
            continue
        for a, b in long[rng.random(far) < 0.5]:
            shared = 1.5 * rng.normal()
            sample[a] += shared
            sample[b] += shared if label == 0 else -shared
    features += 0.5 * rng.normal(size=features.shape)
    return dict(features=features.astype(np.float32), labels=labels, split=parts(n, n // 2), edges=np.concatenate([near, long]),
                coordinates=positions)


def noise(rng, n=120, sensors=3, timepoints=30):
    """Ten samples of a group share an offset; the classes are drawn by lot."""
    groups = np.arange(n) // 10
    series = rng.normal(size=(n, sensors, timepoints)) + rng.normal(size=(n // 10, sensors, 1))[groups]
    return dict(series=series.astype(np.float32), labels=rng.integers(0, 2, n), groups=groups.astype(str))


def lagged(data):
    """Mean products of each pair of sensors at lags in bins that double, to both sides."""
    values = data["series"] - data["series"].mean(-1, keepdims=True)
    spectrum = np.fft.rfft(values, 2 * values.shape[-1])
    found = []
    for i in range(values.shape[1]):
        products = np.fft.irfft(spectrum * spectrum[:, i:i + 1].conj())[:, :, :values.shape[-1] // 2] / values.shape[-1]
        edges = [0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 64, 128, 256]
        found += [products[:, :, a:b].mean(-1) for a, b in zip(edges, edges[1:]) if b <= products.shape[-1]]
    return np.concatenate(found, 1)


def scattered(data):
    """Quantiles over all nodes of the values averaged along the links, and of the differences between scales."""
    from scipy.sparse import csr_array

    values = data["series"] if "series" in data else data["features"][:, :, None]
    train = values[data["split"] == 0]
    values = (values - train.mean((0, 2), keepdims=True)) / train.std((0, 2), keepdims=True)
    if values.shape[2] > 1:
        values = np.concatenate([values, np.diff(values, axis=2), values.mean(2, keepdims=True)], 2)
    shape, found, last = values.shape, [], None
    step = csr_array(walk(data["edges"], shape[1]))
    flat, taken = values.swapaxes(0, 1).reshape(shape[1], -1), 0
    for steps in 0, 1, 2, 4, 8, 15, 30:
        for _ in range(steps - taken):
            flat = step @ flat
        taken = steps
        for array in [flat] if last is None else [flat, np.abs(flat - last)]:
            found += [np.quantile(array, [0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1], axis=0), np.log(array.var(0) + 1e-9)[None]]
        last = flat
    return np.concatenate(found).reshape(-1, shape[0], shape[2]).swapaxes(0, 1).reshape(shape[0], -1)


def linked(data):
    """Products of the values of each two linked nodes."""
    return data["features"][:, data["edges"][:, 0]] * data["features"][:, data["edges"][:, 1]]


def alongside(data):
    """Quantiles over all links, each turned to the right, of the products of its ends at lags up to three, and of their
    differences of the two ways round."""
    values, links = data["series"] - data["series"].mean(-1, keepdims=True), data["edges"]
    values /= values.std(-1, keepdims=True)
    leftward = data["coordinates"][links[:, 0], 0] > data["coordinates"][links[:, 1], 0]
    links = np.where(leftward[:, None], links[:, ::-1], links)
    a, b, length = values[:, links[:, 0]], values[:, links[:, 1]], values.shape[2]
    later = [(a[:, :, :length - lag] * b[:, :, lag:]).mean(-1) for lag in range(4)]
    sooner = [(b[:, :, :length - lag] * a[:, :, lag:]).mean(-1) for lag in range(4)]
    found = later + sooner + [x - y for x, y in zip(later[1:], sooner[1:])]
    return np.concatenate([np.quantile(x, [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98], axis=1).T for x in found], 1)


def by_length(data):
    """Quantiles over thirds of the links, by their length, of the products and the differences of their ends."""
    values, links, places = data["features"], data["edges"], data["coordinates"]
    order = np.argsort(np.hypot(*(places[links[:, 0]] - places[links[:, 1]]).T))
    a, b = values[:, links[order, 0]], values[:, links[order, 1]]
    found = [part for x in (a * b, b - a, np.abs(b - a)) for part in np.array_split(x, 3, axis=1)]
    return np.concatenate([np.quantile(x, [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98], axis=1).T for x in found], 1)


def smoothed(data):
    """Values averaged along the links, once and many times."""
    step, values, found = walk(data["edges"], data["features"].shape[1]), data["features"], []
    for _ in range(4):
        values = values @ step.T @ step.T @ step.T
        found.append(values)
    return np.concatenate(found, 1)


def banded(data):
    """Quantiles of values and of their differences, and the log power of 24 bands, of each sensor
    stretched to 1,000 time points."""
    found = []
    for sample in data["series"]:
        sample = sample[:, ~np.isnan(sample[0])]
        times = np.linspace(0, sample.shape[1] - 1, 1000)
        sample = np.array([np.interp(times, np.arange(sample.shape[1]), row) for row in sample])
        power = np.abs(np.fft.rfft(sample - sample.mean(1, keepdims=True))) ** 2 / sample.shape[1]
        edges = np.unique(np.geomspace(1, power.shape[1], 25).round().astype(int))
        levels = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98]
        found.append(np.concatenate([np.quantile(sample, levels, axis=1).ravel(),
                                     np.quantile(np.diff(sample), levels, axis=1).ravel(),
                                     np.log(np.add.reduceat(power, edges[:-1], axis=1) + 1e-9).ravel()]))
    return np.array(found)


def baseline(kind, data):
    """Test accuracies and log-losses of ridge on raw values, and of the kind's baseline, by name. Ridge has no log-loss."""
    from sklearn.ensemble import ExtraTreesClassifier
    from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
    from sklearn.metrics import log_loss
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    def raw(data):
        values = np.nan_to_num(data["series"] if "series" in data else data["features"])
        return values.reshape(len(values), -1)

    ridge, forest = RidgeClassifierCV(np.logspace(-2, 5, 8)), ExtraTreesClassifier(500, random_state=0)
    pairs = lagged, LogisticRegression(C=0.1, max_iter=500)
    ways = {"moving": (alongside, forest), "relations": (linked, LogisticRegression(C=0.1)), "mixing": pairs,
            "distant": (by_length, forest),
            "waves": pairs, "orders": pairs, "incidents": (scattered, ridge), "frequencies": (scattered, ridge),
            "regions": (smoothed, ridge), "wear": (banded, forest), "lengths": (banded, forest),
            "counts": (lambda data: np.log1p(data["features"]), SVC()), "factors": (linked, LogisticRegression(C=0.1))}
    train, test, labels, found = data["split"] == 0, data["split"] == 2, data["labels"], {}
    for name, (features, model) in {"ridge on raw values": (raw, ridge), "baseline": ways[kind]}.items():
        values = features(data)
        fitted = make_pipeline(StandardScaler(), model).fit(values[train], labels[train])
        loss = np.nan
        if hasattr(fitted, "predict_proba"):
            p = fitted.predict_proba(values[test]).clip(1e-6)
            loss = log_loss(labels[test], p / p.sum(1, keepdims=True))
        found[name] = fitted.score(values[test], labels[test]), loss
    return found


KINDS = {maker.__name__: maker for maker in (waves, orders, incidents, frequencies, regions, wear, lengths, counts, factors, moving,
                                             relations, mixing, distant, noise)}

if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in KINDS or sys.argv[1:3] == ["noise", "--baseline"]:
        sys.exit(__doc__)
    data = KINDS[sys.argv[1]](np.random.default_rng(int(sys.argv[3]) if len(sys.argv) == 4 else 1))
    if sys.argv[2] == "--baseline":
        for name, (accuracy, loss) in baseline(sys.argv[1], data).items():
            print(f"{sys.argv[1]}: {name} {100 * accuracy:.1f}%" + (f", loss {loss:.3f}" if loss == loss else ""))
    else:
        np.savez(sys.argv[2], **data)
