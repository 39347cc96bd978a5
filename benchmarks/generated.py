"""Writes data sets whose classes only a model that looks at the graph, or at the order of its sensors, can tell.

    python benchmarks/generated.py waves waves.npz [seed]    # from which of six directions a wave crosses ten sensors
    python benchmarks/generated.py noise noise.npz [seed]    # classes without any signal, in groups of ten samples

`ccp train --data waves.npz` should reach 97% on the test samples; on noise, what it prints of held-out samples should be
chance. Needs numpy.
"""
import sys

import numpy as np


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
    split = np.where(np.arange(n) < n * 2 // 3, 0, 2)
    return dict(series=series.astype(np.float32), labels=labels, split=split.astype(np.uint8), coordinates=positions)


def noise(rng, n=120, sensors=3, timepoints=30):
    """Ten samples of a group share an offset; the classes are drawn by lot."""
    groups = np.arange(n) // 10
    series = rng.normal(size=(n, sensors, timepoints)) + rng.normal(size=(n // 10, sensors, 1))[groups]
    return dict(series=series.astype(np.float32), labels=rng.integers(0, 2, n), groups=groups.astype(str))


if __name__ == "__main__":
    makers = {"waves": waves, "noise": noise}
    if len(sys.argv) not in (3, 4) or sys.argv[1] not in makers:
        sys.exit(__doc__)
    seed = int(sys.argv[3]) if len(sys.argv) == 4 else 1
    np.savez(sys.argv[2], **makers[sys.argv[1]](np.random.default_rng(seed)))
