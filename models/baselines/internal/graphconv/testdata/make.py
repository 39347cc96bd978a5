"""Writes reference.json: normalised cuts of Graclus' greedy coarsening. Run in this folder; needs numpy (made with numpy 2.4).

A plain implementation on dense matrices, by the definitions: one step visits the nodes by increasing volume, lower index
first, and pairs each free one with the free neighbour j of largest w_ij (1/v_i + 1/v_j), lower index first; nodes without
neighbours are then paired in the same order. The cut of every level is that of its clusters in the first graph.
Weights are multiples of 1/64, so that sums do not depend on their order.
"""

import json

import numpy as np


def match(w, volumes):
    n = len(w)
    partner = [None] * n
    visits = sorted(range(n), key=lambda i: (volumes[i], i))
    for i in visits:
        if partner[i] is not None or not w[i].any():
            continue
        gains = [(w[i, j] * (1 / volumes[i] + 1 / volumes[j]), -j) for j in range(n) if w[i, j] > 0 and partner[j] is None and j != i]
        j = -max(gains)[1] if gains else i
        partner[i], partner[j] = j, i
    alone = [i for i in visits if partner[i] is None]
    for i, j in zip(alone[::2], alone[1::2] + alone[-1:]):
        partner[i], partner[j] = j, i
    heads = [i for i in range(n) if i <= partner[i]]
    assignment = np.zeros((n, len(heads)))
    for k, i in enumerate(heads):
        assignment[[i, partner[i]], k] = 1
    return assignment


def normalized_cut(w, assignment):
    total = 0.0
    for member in assignment.T > 0:
        volume = w[member].sum()
        if volume > 0:
            total += w[member][:, ~member].sum() / volume
    return total


def case(name, n, edges, halvings):
    w = np.zeros((n, n))
    for i, j, weight in edges:
        w[i, j] = w[j, i] = weight
    loopless = w - np.diag(np.diag(w))
    level, volumes, clusters = loopless, loopless.sum(1), np.eye(n)
    levels = []
    for _ in range(halvings):
        step = match(level, volumes)
        level = step.T @ level @ step
        np.fill_diagonal(level, 0)
        volumes, clusters = volumes @ step, clusters @ step
        levels.append({"clusters": clusters.argmax(1).tolist(), "cut": normalized_cut(loopless, clusters)})
    return {"name": name, "nodes": n, "edges": edges, "levels": levels}


def path(n, first=0):
    return [[first + i, first + i + 1, 1.0] for i in range(n - 1)]


def grid(height, width):
    edges = []
    for r in range(height):
        for c in range(width):
            for dr, dc in [(0, 1), (1, -1), (1, 0), (1, 1)]:
                if r + dr < height and 0 <= c + dc < width:
                    edges.append([r * width + c, (r + dr) * width + c + dc, 1.0])
    return edges


def drawn(n, share, seed):
    rng = np.random.default_rng(seed)
    return [[i, j, float(rng.integers(1, 640) / 64)] for i in range(n) for j in range(i + 1, n) if rng.random() < share]


cases = [
    case("one node", 1, [], 2),
    case("no edges", 5, [], 3),
    case("path", 11, path(11), 4),
    case("star", 9, [[0, i, 1.0] for i in range(1, 9)], 3),
    case("grid", 56, grid(7, 8), 6),
    case("two components and isolated nodes", 14, path(5) + path(6, 6), 4),
    case("self-loops", 6, path(6) + [[0, 0, 9.0], [3, 3, 0.5]], 2),
    case("sparse, drawn", 60, drawn(60, 0.05, 1), 5),
    case("dense, drawn", 40, drawn(40, 0.5, 2), 6),
]
with open("reference.json", "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
