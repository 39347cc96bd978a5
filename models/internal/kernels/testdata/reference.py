"""Shares of random kernels and a ridge classifier's left-out errors, by loops over positions and slots, for kernels_test.go.

    python3 reference.py > reference.json        # numpy 2.3

A path of 20 frames times 3 sensors, 2 channels: the positions are the frames, a position has 6 channels.
"""
import itertools
import json

import numpy as np

rng = np.random.default_rng(7)
frames, sensors, channels, samples = 20, 3, 2, 5
x = rng.normal(size=(samples, frames * sensors, channels)).astype(np.float32)
kernels = list(itertools.combinations(range(9), 3))
dilations = [1, 2]
signs = [rng.integers(-1, 2, size=(sensors * channels, 84)) for _ in dilations]
thresholds = [rng.normal(size=(2, 84)).astype(np.float32) for _ in dilations]

features = []
for sample in x.astype(np.float64).reshape(samples, frames, sensors * channels):
    row = []
    for i, d in enumerate(dilations):
        response = np.zeros((frames, 84))
        whole = np.ones(frames, bool)
        for t in range(frames):
            for k, heavy in enumerate(kernels):
                for slot in range(9):
                    at = t + (slot - 4) * d
                    if 0 <= at < frames:
                        response[t, k] += (2 if slot in heavy else -1) * sample[at] @ signs[i][:, k]
                    else:
                        whole[t] = False
        for j in range(2):
            for k in range(84):
                above = response[:, k] > thresholds[i][j, k]
                row.append(above.mean() if (k + i) % 2 == 0 else above[whole].mean())
    features.append(row + sample.ravel().tolist())

# Ridge: every sample left out in turn and the problem solved anew, for one penalty.
# The last 10 features are the signal's values, which are 0.3 of the scalar product of two samples, shares the rest.
n, width, classes, penalty, values, signal = 12, 30, 3, 0.5, 10, 0.3
z = rng.normal(size=(n, width))
labels = rng.integers(0, classes, size=n)
target = np.where(labels[:, None] == np.arange(classes), 1.0, -1.0)
mean, std = z.mean(0), z.std(0)
scales = np.repeat([np.sqrt(1 - signal), np.sqrt(signal * (width - values) / values)], [width - values, values])
standard = (z - mean) / std * scales


def fit(a, y):
    middle, centre = y.mean(0), a.mean(0)
    a = a - centre
    w = np.linalg.solve(a.T @ a + penalty * np.eye(width), a.T @ (y - middle))
    return w, middle - centre @ w


squared = 0.0
for i in range(n):
    keep = np.arange(n) != i
    w, b = fit(standard[keep], target[keep])
    squared += ((standard[i] @ w + b - target[i]) ** 2).sum()
w, b = fit(standard, target)

flat = lambda a: np.asarray(a).ravel().tolist()
print(json.dumps(dict(
    x=flat(x), signs=[flat(s) for s in signs], thresholds=[flat(t) for t in thresholds], features=flat(features),
    z=flat(z.astype(np.float32)), labels=labels.tolist(), penalty=penalty, squared=squared,
    weights=flat(w * (scales / std)[:, None]), bias=flat(b - (mean / std * scales) @ w))))
