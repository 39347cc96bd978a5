"""Classifies signals with a network that ccp exported, with numpy alone: docs/serving.md says what the arrays are.

    ccp export --checkpoint runs/digits-ccp-1 --out digits-net.npz
    python3 predict.py digits-net.npz digits.npy
"""
import sys

import numpy as np


def elu(x):
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))


def logits(net, signals):
    """[samples, classes] for signals [samples, nodes, channels] in raw units."""
    x = (signals.astype(np.float32) - net["mean"]) / net["std"]
    hierarchies = net["hierarchies"]
    before = x
    for i in range(1, net["levels"] + 1):
        nodes, gates, kernel, bias = (net[f"level_{i}_{name}"] for name in ("nodes", "gates", "kernel", "bias"))
        gated = x[:, nodes] * gates[:, :, None]  # [samples, clusters, neighbours, channels]
        sums = gated.reshape(*gated.shape[:2], -1) @ kernel + bias
        if net[f"level_{i}_skip"]:
            sums += before  # the input of the level before
        before, x = x, elu(sums)
    x = x.reshape(len(x) * hierarchies, -1)
    for i in range(1, net["dense_layers"] + 1):
        x = x @ net[f"dense_{i}_kernel"] + net[f"dense_{i}_bias"]
        x = elu(x) if i < net["dense_layers"] else x
    return x.reshape(-1, hierarchies, x.shape[1]).mean(axis=1)


def probabilities(net, signals):
    x = logits(net, signals)
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


if __name__ == "__main__":
    net, signals = np.load(sys.argv[1]), np.load(sys.argv[2])
    for i, p in enumerate(probabilities(net, signals.reshape(len(signals), net["nodes"], -1))):
        print(i, net["class_names"][p.argmax()], f"{p.max():.6f}", sep="\t")
