"""Draws the picture of README.md: python3 picture.py ../docs/pictures/python-explain.png, with matplotlib and clusterpool."""
import sys

import matplotlib.pyplot as plt
import numpy as np

from clusterpool import CCPClassifier

x = np.random.default_rng(0).normal(size=(120, 3, 100))
y = np.array(["rest", "walk"] * 60)
x[y == "walk", 1] += np.sin(np.arange(100) / 4)
model = CCPClassifier(fast=True).fit(x[:80], y[:80])
walks = x[80:][y[80:] == "walk"]
why = model.explain(walks).mean(axis=0)  # [sensors, frames]

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 2.6), layout="constrained", sharey=True)
for sensor in range(3):
    left.plot(walks[0, sensor] / 8 + sensor, color="#1f77b4", linewidth=1)
left.set(title="a recording of the class walk", xlabel="time point", yticks=range(3), yticklabels=[f"sensor {i}" for i in range(3)], ylim=(2.6, -0.6))
most = abs(why).max()
image = right.imshow(why, cmap="RdBu_r", vmin=-most, vmax=most, aspect="auto", extent=(0, 100, 2.5, -0.5))
right.set(title="what speaks for walk, mean of 20 recordings", xlabel="time point", ylim=(2.6, -0.6))
figure.colorbar(image, ax=right, label="contribution to the logit")
figure.savefig(sys.argv[1], dpi=110)
