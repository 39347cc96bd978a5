"""Times a training step of a network of PyTorch Geometric's convolutions and prints a line of JSON, as our side of graphconv does.

The network is that of our workload: each convolution with batch norm and ELU, then dropout and a class layer on all nodes' values;
cross entropy, Adam in one kernel, the same weight decay. A batch of signals on one graph is held in one of these layouts:

    static  one graph, signals [batch, nodes, channels], as PyTorch Geometric does with a static graph
    blocks  as its loader does: the graph once for each sample, in one graph of batch * nodes nodes
    sparse  the same as a sparse matrix in CSR form, where the layer then takes PyTorch's sparse product (GCN)

What does not change between steps is computed before them where the layer can keep it (GCN's normalisation; not ChebConv's).
"""

import argparse
import json
import resource
import time

import numpy as np
import torch
import torch_geometric
from torch import nn
from torch_geometric.nn import ChebConv, GATConv, GCNConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm


class Network(nn.Module):
    def __init__(self, args, nodes, graph):
        super().__init__()
        self.graph, self.blocks = graph, args.layout != "static"
        self.convolutions, self.norms = nn.ModuleList(), nn.ModuleList()
        channels = args.channels
        for filters in args.filters:
            if args.model == "chebyshev":
                layer = ChebConv(channels, filters, args.order)
            elif args.model == "gcn":
                layer = GCNConv(channels, filters, cached=args.layout != "sparse", normalize=args.layout != "sparse")
            else:
                layer = GATConv(channels, filters)
            self.convolutions.append(layer)
            self.norms.append(nn.BatchNorm1d(filters))
            channels = filters
        self.dropout = nn.Dropout(0.5)
        self.classes = nn.Linear(nodes * channels, args.classes)

    def forward(self, x):
        batch, nodes, _ = x.shape
        if self.blocks:
            x = x.reshape(batch * nodes, -1)
        for layer, norm in zip(self.convolutions, self.norms):
            x = layer(x, *self.graph)
            x = nn.functional.elu(norm(x.reshape(batch * nodes, -1)).reshape(x.shape))
        return self.classes(self.dropout(x.reshape(batch, -1)))


def read_graph(args):
    """The graph as the layers' arguments after x, and its number of nodes."""
    file = np.load(args.graph)
    nodes = len(file["indptr"]) - 1
    rows = np.repeat(np.arange(nodes), np.diff(file["indptr"]))
    ends = torch.tensor(np.stack([file["indices"], rows]).astype(np.int64))
    weights = torch.tensor(file["data"], dtype=torch.float32)
    if args.layout != "static":
        shift = nodes * torch.arange(args.batch).repeat_interleave(ends.shape[1])
        ends, weights = ends.repeat(1, args.batch) + shift, weights.repeat(args.batch)
    if args.layout == "sparse":
        total = nodes * args.batch
        ends, weights = gcn_norm(ends, weights, total, dtype=torch.float32)
        matrix = torch.sparse_coo_tensor(ends.flip(0), weights, (total, total)).coalesce().to_sparse_csr()
        return (matrix,), nodes
    return ((ends,) if args.model == "gat" else (ends, weights)), nodes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--graph", required=True)
    parser.add_argument("--layout", required=True, choices=["static", "blocks", "sparse"])
    parser.add_argument("--model", required=True, choices=["chebyshev", "gcn", "gat"])
    parser.add_argument("--filters", type=int, nargs="+", required=True)
    for name in ("order", "batch", "channels", "classes", "steps"):
        parser.add_argument("--" + name, type=int, required=True)
    parser.add_argument("--warmup", type=int, default=2)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)

    graph, nodes = read_graph(args)
    network = Network(args, nodes, graph)
    adam = torch.optim.Adam(network.parameters(), lr=1e-3, weight_decay=1e-4, fused=True)
    x = torch.randn(args.batch, nodes, args.channels)
    y = torch.randint(args.classes, (args.batch,))
    wall, cpu = [], []
    for step in range(args.warmup + args.steps):
        began, spent = time.perf_counter(), time.process_time()
        adam.zero_grad(set_to_none=True)
        nn.functional.cross_entropy(network(x), y).backward()
        adam.step()
        if step >= args.warmup:
            wall.append(1e3 * (time.perf_counter() - began))
            cpu.append(1e3 * (time.process_time() - spent))
    print(json.dumps({
        "median_ms": sorted(wall)[len(wall) // 2], "cpu_ms": sorted(cpu)[len(cpu) // 2],
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "versions": f"torch {torch.__version__} torch_geometric {torch_geometric.__version__}",
    }))


if __name__ == "__main__":
    main()
