"""Computes reference.json anew: what one level of convolutional cluster pooling gives, and its gradients.

    python3 reference.py           compares the file's results with those computed here
    python3 reference.py --write   writes the results computed here into the file

It needs nothing but Python 3.9 and shares no code with the layer: it follows the paper's formulas with plain loops over floats of
64 bits. A case's inputs (A, X, U, W, b, alpha, beta, L, R, c, labels) are drawn or chosen once and stay; its note says how. Gradients
are central differences over five points, with the selection of nodes held fixed, since it has no gradient.
"""

import json
import math
import pathlib
import sys

STEP = 3e-4  # of the central differences


def forward(case, level, chosen=None):
    """Gives every result of a case of one level. chosen: the neighbourhoods; None selects them by rank."""
    a, x, u, w = case["A"], case["X"], level["U"], level["W"]
    nodes, clusters, size = len(a), len(u[0]), level["L"]
    channels, filters = len(w[0]), len(level["b"])
    m = []
    for row in u:
        powers = [math.exp(v - max(row)) for v in row]
        m.append([p / math.fsum(powers) for p in powers])
    links = [[math.fsum(a[i][j] * m[j][k] for j in range(nodes) if j != i) for k in range(clusters)] for i in range(nodes)]
    pooled = [[math.fsum(m[i][k] * links[i][l] for i in range(nodes)) for l in range(clusters)] for k in range(clusters)]
    sums = [math.fsum(row) for row in pooled]
    degree = [math.fsum(a[i][j] for j in range(nodes) if j != i) for i in range(nodes)]
    cohesion = [pooled[k][k] for k in range(clusters)]
    volume = [math.fsum(degree[i] * m[i][k] for i in range(nodes)) for k in range(clusters)]
    objective = 0.5 * math.fsum(cohesion[k] / volume[k] for k in range(clusters))
    rank = [[(1 + m[i][k]) * links[i][k] for k in range(clusters)] for i in range(nodes)]
    if chosen is None:  # the lower index first among equals, up to rounding
        chosen = [sorted(range(nodes), key=lambda i: (-round(rank[i][k], 9), i))[:size] for k in range(clusters)]
    gates = [[1 / (1 + math.exp(-(level["alpha"] * rank[i][k] + level["beta"]))) for i in chosen[k]] for k in range(clusters)]
    filtered = [[[level["b"][f] + math.fsum(gates[k][l] * sample[chosen[k][l]][c] * w[l][c][f]
                                            for l in range(size) for c in range(channels))
                  for f in range(filters)] for k in range(clusters)] for sample in x]
    logits, ce = [], 0.0
    for sample, label in zip(filtered, case["labels"]):
        flat = [v if v > 0 else math.expm1(v) for row in sample for v in row]
        logits.append([case["c"][j] + math.fsum(v * case["R"][i][j] for i, v in enumerate(flat)) for j in range(len(case["c"]))])
        ce += (math.log(math.fsum(math.exp(z) for z in logits[-1])) - logits[-1][label]) / len(x)
    of_level = {"K": m, "A_next": pooled, "D": sums, "rank": rank, "idx": chosen, "gates": gates, "filter_out": filtered,
                "A_norm": [[pooled[k][l] / math.sqrt(sums[k] * sums[l]) for l in range(clusters)] for k in range(clusters)],
                "degree": degree, "cohesion": cohesion, "volume": volume, "LK": objective}
    return {"logits": logits, "ce": ce, "LK": objective, "cluster_loss": -objective, "total": ce - objective}, of_level


def gradient(case, level, name, chosen):
    """Gives the gradient of the total loss in one of the level's parameters, of the parameter's shape."""
    def loss(value):
        return forward(case, {**level, name: value}, chosen)[0]["total"]

    def differ(value, rebuild):
        if isinstance(value, list):
            return [differ(v, lambda new, i=i: rebuild(value[:i] + [new] + value[i + 1:])) for i, v in enumerate(value)]
        at = [loss(rebuild(value + n * STEP)) for n in (-2, -1, 1, 2)]
        return (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * STEP)

    return differ(level[name], lambda new: new)


def results(case):
    """Gives the results of a case, and those of its level."""
    level = case["levels"][0]
    of_case, of_level = forward(case, level)
    for name in ("U", "W", "b", "alpha", "beta"):
        of_level["grad_" + name] = gradient(case, level, name, of_level["idx"])
    return of_case, of_level


def difference(a, b):
    """Gives the largest difference of two nested lists of the same shape."""
    if isinstance(a, list):
        assert len(a) == len(b), "the shapes differ"
        return max(difference(v, w) for v, w in zip(a, b))
    return abs(a - b)


def main():
    path = pathlib.Path(__file__).with_name("reference.json")
    file = json.loads(path.read_text())
    worst = 0.0
    for case in file["cases"]:
        for kept, computed in zip((case, case["levels"][0]), results(case)):
            for name, value in computed.items():
                worst = max(worst, difference(kept[name], value))
                kept[name] = value
    print(f"largest difference from the file: {worst:.1e}")
    if "--write" in sys.argv:
        path.write_text(json.dumps(file, indent=1) + "\n")
    elif worst > 1e-11:
        sys.exit("the file does not have what is computed here")


if __name__ == "__main__":
    main()
