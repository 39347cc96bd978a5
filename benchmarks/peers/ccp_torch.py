"""Times a step of Convolutional Cluster Pooling (Porrello et al. 2019) in PyTorch and prints a line of JSON.

Written as an expert would for a CPU: one cluster step for the whole batch, a sparse first level, symmetric products, one
matrix product per filter, memory kept between steps. Degrees in the volume count self-loops, which only the pooled
affinities have; ties in the ranks go to the lower index; a cluster without volume or degree counts zero; l2 covers the
filters and the dense weights. The loss is the cross entropy minus the objective.
"""

import ctypes
import sys

if sys.platform == "linux":  # before PyTorch allocates: freed blocks stay in the heap, else each step faults fresh pages in
    libc = ctypes.CDLL(None)
    M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4
    for option, value in ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, 2**31 - 1), (M_TOP_PAD, 256 << 20)):
        libc.mallopt(option, value)

import warnings

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

import workload

DROP_CCP, DROP_FC = 0.2, 0.5  # after each level; before the class layer
PRODUCTS = torch.float32  # type of the filters' matrix products; sums stay float32


# ------------------------------------------------------------------ sparse level 0
@torch.library.custom_op("ccp::spmm", mutates_args=())
def spmm(crow: torch.Tensor, col: torch.Tensor, val: torch.Tensor, K: torch.Tensor) -> torch.Tensor:
    n = crow.numel() - 1
    return torch.sparse_csr_tensor(crow, col, val, size=(n, n), check_invariants=False) @ K


@spmm.register_fake
def _(crow, col, val, K):
    return torch.empty_like(K)


@torch.library.custom_op("ccp::scatter_nodes", mutates_args=())
def scatter_nodes(g: torch.Tensor, idx: torch.Tensor, n: int) -> torch.Tensor:
    """[B,K*L,d] -> [B,n,d]; opaque to Inductor, whose atomic scatter loses to ATen's row-wise index_add_."""
    return g.new_zeros(g.shape[0], n, g.shape[2]).index_add_(1, idx, g)


@scatter_nodes.register_fake
def _(g, idx, n):
    return g.new_empty(g.shape[0], n, g.shape[2])


# ------------------------------------------------------------------ cluster step
def select(rank_t, L):
    """rank_t [K,N] -> top-L node indices [K,min(L,N)], rank descending, ties to the lower index."""
    n = rank_t.shape[1]
    L = min(L, n)
    if rank_t.dtype != torch.float32:
        return torch.sort(rank_t, dim=1, descending=True, stable=True).indices[:, :L].contiguous()
    bits = rank_t.contiguous().view(torch.int32)
    bits = bits ^ ((bits >> 31) & 0x7FFFFFFF)                   # order-preserving float -> int
    key = (bits.to(torch.int64) << 32) | torch.arange(n - 1, -1, -1)
    return (n - 1) - (key.topk(L, 1).values & 0xFFFFFFFF)


def sym_gram(K, P, blocks=4):
    """K^T P when it is known to be symmetric: only the blocks on and above the diagonal (10/16 of the flops)."""
    n = K.shape[1]
    if n < 1024 or n % blocks:
        return K.t() @ P
    out, s = K.new_empty(n, n), n // blocks
    for j in range(blocks):
        e = (j + 1) * s
        out[:e, j * s:e] = K[:, :e].t() @ P[:, j * s:e]
        out[j * s:e, :j * s] = out[:j * s, j * s:e].t()
    return out


class SparseCluster(torch.autograd.Function):
    """Level 0: constant sparse symmetric A (zero diagonal).  K -> A_next, Vol, ranks of the selected nodes.
    d tr(G^T K'AK)/dK = AK(G+G^T) for symmetric A, so backward needs one big GEMM instead of two and a spmm."""

    @staticmethod
    def forward(ctx, K, crow, col, val, deg, L):
        P = spmm(crow, col, val, K)
        An = sym_gram(K, P)
        rank_t = torch.addcmul(P, K, P).t().contiguous()        # (1+K) * AK, cluster-major for top-k
        idx = select(rank_t, L)
        rs = rank_t.gather(1, idx)
        ctx.save_for_backward(K, P, idx, crow, col, val, deg)
        ctx.mark_non_differentiable(idx)
        return An, deg @ K, rs, idx

    @staticmethod
    def backward(ctx, gAn, gvol, grs, _):
        K, P, idx, crow, col, val, deg = ctx.saved_tensors
        gK = P @ (gAn + gAn.t())
        c = torch.arange(idx.shape[0]).unsqueeze(1).expand_as(idx)
        gP = torch.zeros_like(P)
        gP[idx, c] = grs * (1 + K[idx, c])                      # (node, cluster) pairs are unique
        gK = gK + spmm(crow, col, val, gP)
        gK = gK.index_put((idx, c), grs * P[idx, c], accumulate=True)
        return torch.addr(gK, deg, gvol), None, None, None, None, None


def sparse_cluster_nograd(K, crow, col, val, deg, L):
    P = spmm(crow, col, val, K)
    rank_t = torch.addcmul(P, K, P).t().contiguous()
    idx = select(rank_t, L)
    return sym_gram(K, P), deg @ K, rank_t.gather(1, idx), idx


def cluster_step(A, U, L):
    """A level's clusters. A: dict of the sparse first level (crow, col, val, deg) or dense [N,N]; U: [N,K].

    Returns the pooled and normalised affinity A_norm [K,K], the objective LK, and of the L nodes selected for each cluster
    the ranks rank_sel [K,L] and the indices idx [K,L].
    """
    K = torch.softmax(U, 1)
    if isinstance(A, dict):
        f = SparseCluster.apply if torch.is_grad_enabled() else sparse_cluster_nograd
        An, vol, rs, idx = f(K, A["crow"], A["col"], A["val"], A["deg"], L)
    else:
        P = (A - torch.diag(A.diagonal())) @ K
        An = K.t() @ P
        vol = A.sum(1) @ K                                       # degrees count self loops
        with torch.no_grad():
            idx = select(torch.addcmul(P, K, P).t(), L)
        c = torch.arange(idx.shape[0]).unsqueeze(1).expand_as(idx)
        rs = (1 + K[idx, c]) * P[idx, c]
    LK = 0.5 * torch.where(vol > 0, An.diagonal() / torch.where(vol > 0, vol, 1), 0).sum()
    D = An.sum(1)
    inv = torch.where(D > 0, torch.where(D > 0, D, 1).rsqrt(), 0)  # inner where: no 0*inf in the gradient
    Anorm = An * inv.unsqueeze(1) * inv.unsqueeze(0)
    return dict(A_norm=Anorm, LK=LK, rank_sel=rs, idx=idx)


# ------------------------------------------------------------------ filter step
class GatherGateLinear(torch.autograd.Function):
    """y[b,k] = b + sum_l sigmoid(z[k,l]) * x[b, idx[k,l]] @ W[l], one GEMM [B*K, L*din] x [L*din, dout].
    Backward reuses the gated gather: d z = <dh, h> * (1 - gate), no second gather and no division."""

    @staticmethod
    def forward(ctx, x, idx, z, W, b):
        B, N, d = x.shape
        k, l = idx.shape
        g = torch.sigmoid(z)
        xs = x.to(PRODUCTS)                                     # products in bfloat16 if asked for; sums stay float32
        h = xs.index_select(1, idx.reshape(-1)) * g.to(PRODUCTS).reshape(1, -1, 1) if torch.compiler.is_compiling() else \
            xs.index_select(1, idx.reshape(-1)).mul_(g.to(PRODUCTS).reshape(1, -1, 1))
        w = W[:l].reshape(l * d, -1)
        y = torch.addmm(b, h.view(B * k, l * d), w) if PRODUCTS == torch.float32 else \
            (h.view(B * k, l * d) @ w.to(PRODUCTS)).float() + b
        ctx.save_for_backward(h, idx, g, W)
        ctx.shape, ctx.need_x = x.shape, x.requires_grad
        return y.view(B, k, -1)

    @staticmethod
    def backward(ctx, gy):
        h, idx, g, W = ctx.saved_tensors
        (B, N, d), (k, l) = ctx.shape, idx.shape
        gy = gy.reshape(B * k, -1)
        w = W[:l].reshape(l * d, -1).to(PRODUCTS)
        gp = gy.to(PRODUCTS)
        gw = (h.view(B * k, l * d).t() @ gp).float()
        if l < W.shape[0]:
            gw = torch.cat([gw, gw.new_zeros((W.shape[0] - l) * d, gw.shape[1])])
        gh = (gp @ w.t()).view(B, k * l, d).to(gy.dtype)
        gz = torch.linalg.vecdot(gh, h.to(gh.dtype)).sum(0).view(k, l) * (1 - g)
        gx = None
        if ctx.need_x:
            gh = gh * g.reshape(1, -1, 1) if torch.compiler.is_compiling() else gh.mul_(g.reshape(1, -1, 1))
            gx = scatter_nodes(gh, idx.reshape(-1), N)
        return gx, None, gz, gw.view_as(W), gy.sum(0)


def ccp_filter(x, idx, rank_sel, W, b, alpha, beta):
    return GatherGateLinear.apply(x, idx, alpha * rank_sel + beta, W, b)


# ------------------------------------------------------------------ activation + dropout
def elu_dropout(y, p, bits=None):
    """ELU then inverted dropout; `bits` holds one random byte per element (p rounded to 1/256) drawn once per
    step outside the graph: ATen's bernoulli_ is serial on non-Intel CPUs and Inductor's Philox is slower still.
    1/(1-p) rides on ELU's scale argument."""
    if bits is None:
        return F.elu(y, inplace=True)
    cut = round(p * 256)
    keep = bits[:y.numel()].view(y.shape) >= cut
    if torch.compiler.is_compiling():
        return torch.where(keep, F.elu(y) * (256 / (256 - cut)), 0)
    return torch._C._nn.elu_(y, 1.0, 256 / (256 - cut)) * keep


# ------------------------------------------------------------------ network
class CCPLayer(nn.Module):
    def __init__(self, n, k, din, dout, L):
        super().__init__()
        self.L = L
        self.U = nn.Parameter(torch.randn(n, k))
        self.W = nn.Parameter(torch.randn(L, din, dout) * (2 / (L * din)) ** 0.5)
        self.b = nn.Parameter(torch.zeros(dout))
        self.alpha = nn.Parameter(1 + 0.1 * torch.randn(()))
        self.beta = nn.Parameter(0.1 * torch.randn(()))
        self.bn = nn.BatchNorm1d(dout)


class CCPNet(nn.Module):
    def __init__(self, work):
        super().__init__()
        A, n, d, (fc,) = work.graph, work.nodes, work.channels, work.hidden
        for name, v, t in (("crow", A.indptr, torch.int64), ("col", A.indices, torch.int64),
                           ("val", A.data, torch.float32), ("deg", np.asarray(A.sum(1)).ravel(), torch.float32)):
            self.register_buffer(name, torch.as_tensor(v, device=torch.get_default_device()).to(t))
        self.layers = nn.ModuleList()
        for k, dout, L in work.levels:
            self.layers.append(CCPLayer(n, k, d, dout, L))
            n, d = k, dout
        self.fc1, self.bn = nn.Linear(n * d, fc), nn.BatchNorm1d(fc)
        self.fc2 = nn.Linear(fc, work.classes)

    def affinity(self):
        return dict(crow=self.crow, col=self.col, val=self.val, deg=self.deg)

    def hierarchy(self):
        """The cluster step of every level, once for the whole batch."""
        A, out = self.affinity(), []
        for ly in self.layers:
            out.append(cluster_step(A, ly.U, ly.L))
            A = out[-1]["A_norm"]
        return out

    def dropout_bits(self, batch):
        """Random bytes for every dropout of one training step."""
        n = batch * (sum(ly.U.shape[1] * ly.W.shape[2] for ly in self.layers) + self.fc1.out_features)
        return torch.empty((n + 7) // 8, dtype=torch.int64).random_(-2 ** 63, None).view(torch.uint8)

    def forward(self, x, bits=None):
        """bits: dropout_bits(batch) when training with dropout, None for none."""
        LK, at = 0.0, 0
        A = self.affinity()
        for ly in self.layers:
            h = cluster_step(A, ly.U, ly.L)
            A, LK = h["A_norm"], LK + h["LK"]
            y = ccp_filter(x, h["idx"], h["rank_sel"], ly.W, ly.b, ly.alpha, ly.beta)
            B, k, o = y.shape
            x = elu_dropout(ly.bn(y.view(B * k, o)), DROP_CCP, bits if bits is None else bits[at:]).view(B, k, o)
            at += x.numel()
        y = self.bn(self.fc1(x.flatten(1)))
        return self.fc2(elu_dropout(y, DROP_FC, bits if bits is None else bits[at:])), LK

    def param_groups(self, l2=1e-4):
        """l2 on convolution and FC weights only."""
        w = [ly.W for ly in self.layers] + [self.fc1.weight, self.fc2.weight]
        ids = {id(p) for p in w}
        return [dict(params=w, weight_decay=l2), dict(params=[p for p in self.parameters() if id(p) not in ids])]


class Frozen(nn.Module):
    """Inference with cached indices and gates and batch norm folded into W, b."""

    def __init__(self, net):
        super().__init__()
        net.eval()
        self.n = len(net.layers)
        with torch.no_grad():
            for m, (ly, h) in enumerate(zip(net.layers, net.hierarchy())):
                s = ly.bn.weight * (ly.bn.running_var + ly.bn.eps).rsqrt()
                l = h["idx"].shape[1]
                g = torch.sigmoid(ly.alpha * h["rank_sel"] + ly.beta)
                self.register_buffer(f"idx{m}", h["idx"].reshape(-1).contiguous())
                self.register_buffer(f"gate{m}", g.reshape(1, -1, 1).contiguous())
                self.register_buffer(f"W{m}", (ly.W[:l] * s).reshape(-1, ly.W.shape[2]).contiguous())
                self.register_buffer(f"b{m}", (ly.b - ly.bn.running_mean) * s + ly.bn.bias)
            s = net.bn.weight * (net.bn.running_var + net.bn.eps).rsqrt()
            self.register_buffer("f1", (net.fc1.weight * s[:, None]).t().contiguous())
            self.register_buffer("c1", (net.fc1.bias - net.bn.running_mean) * s + net.bn.bias)
            self.register_buffer("f2", net.fc2.weight.t().contiguous())
            self.register_buffer("c2", net.fc2.bias.clone())

    def forward(self, x):
        B = x.shape[0]
        for m in range(self.n):
            W, gate = getattr(self, f"W{m}"), getattr(self, f"gate{m}")
            h = x.index_select(1, getattr(self, f"idx{m}"))
            h = h * gate if torch.compiler.is_compiling() else h.mul_(gate)
            y = F.elu_(torch.addmm(getattr(self, f"b{m}"), h.view(-1, W.shape[0]), W))
            x = y.view(B, -1, W.shape[1])
        y = F.elu_(torch.addmm(self.c1, x.flatten(1), self.f1))
        return torch.addmm(self.c2, y, self.f2)


# ------------------------------------------------------------------ benchmark
def training(net, batches, compiled):
    """A function of the step's number that trains on a batch and returns the loss."""
    adam = torch.optim.Adam(net.param_groups(), lr=1e-3, fused=True)

    def loss_of(x, y, bits):
        logits, LK = net(x, bits)
        return F.cross_entropy(logits, y) - LK

    loss_of = torch.compile(loss_of) if compiled else loss_of

    def step(i):
        x, y = batches[i % len(batches)]
        adam.zero_grad(set_to_none=True)
        loss = loss_of(x, y, net.dropout_bits(len(x)))
        loss.backward()
        adam.step()
        return loss.item()

    return step


def inference(net, batches, frozen, compiled):
    """A function of the step's number that classifies a batch and returns a logit."""
    model = net.eval()
    if frozen:
        model, batches = Frozen(net).eval().to(PRODUCTS), [(x.to(PRODUCTS), y) for x, y in batches]
    model = torch.compile(model) if compiled else model

    def step(i):
        with torch.no_grad():
            out = model(batches[i % len(batches)][0])
        return (out if frozen else out[0])[0, 0].item()

    return step


def main():
    global PRODUCTS
    parser = workload.parser(__doc__.splitlines()[0])
    parser.add_argument("--compile", action="store_true", help="with torch.compile")
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], default="float32",
                        help="type of the filters' products, and of everything in infer-frozen")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", message="Sparse")
    PRODUCTS = getattr(torch, args.dtype)
    torch.set_num_threads(workload.processors())
    if args.device != "cpu":  # on a CPU the default device only costs time
        torch.set_default_device(args.device)
    torch.set_float32_matmul_precision("high")  # TF32 on a GPU, as ours; on a CPU it changes nothing
    torch.manual_seed(0)
    work = workload.Workload(args.workload)
    net = CCPNet(work)
    batches = [(torch.from_numpy(x).to(args.device), torch.from_numpy(y).to(args.device)) for x, y in work.batches]
    if args.mode == "train":
        step = training(net, batches, args.compile)
    else:
        step = inference(net, batches, args.mode == "infer-frozen", args.compile)
    workload.report(step, args.steps, args.warmup, versions=f"torch {torch.__version__}",
                    parameters=sum(p.numel() for p in net.parameters()))


if __name__ == "__main__":
    main()
