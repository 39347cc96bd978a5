"""Shares of random kernels and a ridge classifier's held-out errors, by loops over positions and slots, for kernels_test.go.

    python3 reference.py > reference.json        # numpy 2.3

A path of 20 frames times 3 sensors, 2 channels: the positions are the frames, a position has 6 channels.
An image of 6 x 5 pixels, 2 channels: the shares are of all of it, then of its quarters.
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

rows, columns = 6, 5
draw = np.random.default_rng(8)
image = draw.normal(size=(3, rows * columns, channels)).astype(np.float32)
image_signs = [draw.integers(-1, 2, size=(channels, 84)) for _ in dilations]
image_thresholds = [draw.normal(size=(2, 84)).astype(np.float32) for _ in dilations]
image_features = []
for sample in image.astype(np.float64).reshape(3, rows, columns, channels):
    row = []
    for i, d in enumerate(dilations):
        response = np.zeros((rows, columns, 84))
        whole = np.ones((rows, columns), bool)
        for r, c, slot in itertools.product(range(rows), range(columns), range(9)):
            y, z = r + (slot // 3 - 1) * d, c + (slot % 3 - 1) * d
            if 0 <= y < rows and 0 <= z < columns:
                for k, heavy in enumerate(kernels):
                    response[r, c, k] += (2 if slot in heavy else -1) * sample[y, z] @ image_signs[i][:, k]
            else:
                whole[r, c] = False
        top, left = np.arange(rows)[:, None] < 3, np.arange(columns) < 2
        for part in whole | True, top & left, top & ~left, ~top & left, ~top & ~left:
            for j in range(2):
                for k in range(84):
                    above = response[..., k] > image_thresholds[i][j, k]
                    odd = (k + i) % 2 == 1 and (part & whole).any()
                    row.append(above[part & whole if odd else part].mean())
    image_features.append(row + sample.ravel().tolist())

# Ridge: every sample held out in turn and the problem solved anew, for one penalty.
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
    image=dict(x=flat(image), signs=[flat(s) for s in image_signs], thresholds=[flat(t) for t in image_thresholds],
               features=flat(image_features)),
    z=flat(z.astype(np.float32)), labels=labels.tolist(), penalty=penalty, squared=squared,
    weights=flat(w * (scales / std)[:, None]), bias=flat(b - (mean / std * scales) @ w))))
