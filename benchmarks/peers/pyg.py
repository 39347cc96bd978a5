"""Times a training step of a network of PyTorch Geometric's convolutions and prints a line of JSON.

The network is the workload's: each convolution with batch norm and ELU, then dropout and a class layer on all nodes' values;
cross entropy, Adam in one kernel, the same weight decay. A batch of signals on one graph is held in one of these layouts:

    static  one graph, signals [batch, nodes, channels], as PyTorch Geometric does with a static graph
    blocks  as its loader does: the graph once for each sample, in one graph of batch * nodes nodes
    sparse  the same as a sparse matrix in CSR form, where the layer then takes PyTorch's sparse product (GCN)

What does not change between steps is computed before them where the layer can keep it (GCN's normalisation; not ChebConv's).
"""

import numpy as np
import torch
import torch_geometric
from torch import nn
from torch_geometric.nn import ChebConv, GATConv, GCNConv
from torch_geometric.nn.conv.gcn_conv import gcn_norm

import workload


class Network(nn.Module):
    def __init__(self, work, layout, graph):
        super().__init__()
        self.graph, self.blocks = graph, layout != "static"
        self.convolutions, self.norms = nn.ModuleList(), nn.ModuleList()
        channels = work.channels
        for _, filters, terms in work.levels:
            if work.model == "chebyshev":
                layer = ChebConv(channels, filters, terms)
            elif work.model == "gcn":
                layer = GCNConv(channels, filters, cached=layout != "sparse", normalize=layout != "sparse")
            else:
                layer = GATConv(channels, filters)
            self.convolutions.append(layer)
            self.norms.append(nn.BatchNorm1d(filters))
            channels = filters
        self.dropout = nn.Dropout(0.5)
        self.classes = nn.Linear(work.nodes * channels, work.classes)

    def forward(self, x):
        batch, nodes, _ = x.shape
        if self.blocks:
            x = x.reshape(batch * nodes, -1)
        for layer, norm in zip(self.convolutions, self.norms):
            x = layer(x, *self.graph)
            x = nn.functional.elu(norm(x.reshape(batch * nodes, -1)).reshape(x.shape))
        return self.classes(self.dropout(x.reshape(batch, -1)))


def arguments(work, layout, batch):
    """The graph as the layers' arguments after x."""
    graph, nodes = work.graph.tocoo(), work.nodes
    ends = torch.tensor(np.stack([graph.col, graph.row]).astype(np.int64))
    weights = torch.tensor(graph.data, dtype=torch.float32)
    if layout != "static":
        shift = nodes * torch.arange(batch).repeat_interleave(ends.shape[1])
        ends, weights = ends.repeat(1, batch) + shift, weights.repeat(batch)
    if layout == "sparse":
        total = nodes * batch
        ends, weights = gcn_norm(ends, weights, total, dtype=torch.float32)
        matrix = torch.sparse_coo_tensor(ends.flip(0), weights, (total, total)).coalesce().to_sparse_csr()
        return (matrix,)
    return (ends,) if work.model == "gat" else (ends, weights)


def main():
    parser = workload.parser(__doc__.splitlines()[0], modes=["train"])
    parser.add_argument("--layout", required=True, choices=["static", "blocks", "sparse"])
    args = parser.parse_args()
    torch.set_num_threads(workload.processors())
    if args.device != "cpu":  # on a CPU the default device only costs time
        torch.set_default_device(args.device)
    torch.manual_seed(1)

    work = workload.Workload(args.workload)
    batches = [(torch.from_numpy(x).to(args.device), torch.from_numpy(y).to(args.device)) for x, y in work.batches]
    network = Network(work, args.layout, arguments(work, args.layout, len(batches[0][0])))
    adam = torch.optim.Adam(network.parameters(), lr=1e-3, weight_decay=1e-4, fused=True)

    def step(i):
        x, y = batches[i % len(batches)]
        adam.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(network(x), y)
        loss.backward()
        adam.step()
        return loss.item()

    workload.report(step, args.steps, args.warmup, versions=f"torch {torch.__version__} torch_geometric {torch_geometric.__version__}")


if __name__ == "__main__":
    main()
