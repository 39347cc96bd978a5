"""Makes convolutions.json: what PyTorch Geometric's ChebConv, GCNConv and GATConv give on small graphs in float64, with the
gradients of the sum of out * probe.

    python convolutions.py > convolutions.json

Written with torch 2.15.0 and torch_geometric 2.6.1. Signals are [nodes, batch, channels]. Kernels are as our variables: of
Chebyshev filters [order, channels, filters], else [channels, filters]; attention vectors [filters, 1], one head after the other.
"""

import json
import sys

import numpy as np
import torch
from torch_geometric.nn import ChebConv, GATConv, GCNConv

torch.set_default_dtype(torch.float64)
random = np.random.default_rng(7)

# Name, nodes, edges with their weights.
GRAPHS = [
    ("path", 4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]),
    ("weighted", 6, [(0, 1, 0.5), (0, 2, 2.0), (1, 2, 0.25), (2, 3, 1.5), (3, 4, 0.75), (0, 4, 3.0), (1, 5, 0.1)]),
    ("isolated", 5, [(0, 3, 2.0), (3, 4, 0.5)]),
    ("star", 40, [(0, i, 0.1 * i) for i in range(1, 40)]),
]

# Convolution, channels, filters, order, heads.
LAYERS = [
    ("chebyshev", 2, 3, 1, 1),
    ("chebyshev", 2, 3, 2, 1),
    ("chebyshev", 2, 3, 5, 1),
    ("chebyshev", 3, 2, 1, 1),
    ("chebyshev", 3, 2, 2, 1),
    ("chebyshev", 3, 2, 6, 1),
    ("gcn", 2, 3, 1, 1),
    ("gcn", 3, 2, 1, 1),
    ("gat", 2, 3, 1, 1),
    ("gat", 3, 4, 1, 2),
]

# Those for the star, whose hub has more neighbours than are read at once.
LARGE = [LAYERS[2], LAYERS[6], LAYERS[9]]


def flat(tensor):
    return [float(f"{value:.12g}") for value in tensor.detach().contiguous().flatten().tolist()]


def case(graph, layer, batch=2):
    name, nodes, edges = graph
    kind, channels, filters, order, heads = layer
    ends = torch.tensor([[i, j] for i, j, _ in edges] + [[j, i] for i, j, _ in edges]).t()
    weights = torch.tensor([w for _, _, w in edges] * 2)
    x = torch.tensor(random.normal(size=(nodes, batch, channels)), requires_grad=True)
    probe = torch.tensor(random.normal(size=(nodes, batch, filters)))
    bias = torch.tensor(random.normal(size=filters), requires_grad=True)

    parameters = {"b": bias}
    if kind == "chebyshev":
        module = ChebConv(channels, filters, order)
        kernels = torch.tensor(random.normal(size=(order, channels, filters)), requires_grad=True)
        parameters["W"] = kernels
        replaced = {f"lins.{k}.weight": kernels[k].t() for k in range(order)}
    else:
        module = GCNConv(channels, filters) if kind == "gcn" else GATConv(channels, filters // heads, heads)
        parameters["W"] = torch.tensor(random.normal(size=(channels, filters)), requires_grad=True)
        replaced = {"lin.weight": parameters["W"].t()}
    if kind == "gat":
        for ours, theirs in (("a_source", "att_src"), ("a_target", "att_dst")):
            parameters[ours] = torch.tensor(random.normal(size=(filters, 1)), requires_grad=True)
            replaced[theirs] = parameters[ours].reshape(1, heads, filters // heads)
    replaced["bias"] = bias

    arguments = (ends,) if kind == "gat" else (ends, weights)
    samples = [torch.func.functional_call(module, replaced, (x[:, b], *arguments)) for b in range(batch)]
    out = torch.stack(samples, dim=1)
    (out * probe).sum().backward()
    return {
        "graph": name, "nodes": nodes, "edges": edges, "convolution": kind, "batch": batch, "channels": channels,
        "filters": filters, "order": order, "heads": heads, "x": flat(x), "probe": flat(probe), "out": flat(out),
        "gradient": flat(x.grad), "parameters": {k: flat(v) for k, v in parameters.items()},
        "gradients": {k: flat(v.grad) for k, v in parameters.items()},
    }


if __name__ == "__main__":
    cases = [case(graph, layer) for graph in GRAPHS for layer in LAYERS if graph[0] != "star" or layer in LARGE]
    sys.stdout.write("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]\n")
