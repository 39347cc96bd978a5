"""Writes ring.npz: your own data for ccp, in the form that it reads.

    python3 ring.py
    ccp train --data ring.npz --epochs 60
    ccp eval --checkpoint runs/ring-ccp-1
    ccp predict --checkpoint runs/ring-ccp-1 ring.npz

800 signals of 3 channels on a ring of 12 nodes, in 4 classes: the quarter of the ring that holds the centre of a bump in
channel 0. Channel 1 holds a bump as high at a place that means nothing, channel 2 nothing; all three are noisy.
"""
import numpy as np

rng = np.random.default_rng(1)
samples, nodes, classes = 800, 12, 4

labels = rng.integers(classes, size=samples)
centre = 3 * labels + rng.integers(3, size=samples)
decoy = rng.integers(nodes, size=samples)


def bump(at):
    distance = np.abs(np.arange(nodes) - at[:, None])
    distance = np.minimum(distance, nodes - distance)
    return np.exp(-(distance**2) / 2)


features = 0.3 * rng.standard_normal((samples, nodes, 3))
features[:, :, 0] += bump(centre)
features[:, :, 1] += bump(decoy)

np.savez(
    "ring.npz",
    features=features.astype(np.float32),
    labels=labels,
    edges=[(i, (i + 1) % nodes) for i in range(nodes)],
    split=rng.choice(3, p=[0.7, 0.1, 0.2], size=samples),  # 0 train, 1 validation, 2 test
    class_names=["north", "east", "south", "west"],
)
