"""Times a step of Convolutional Cluster Pooling (Porrello et al. 2019) in JAX, all of it under one jit, and prints a line of JSON.

The conventions are those of ccp_torch.py.
"""

import functools
import os
import sys

# Before JAX is loaded, which takes a GPU otherwise.
os.environ["JAX_PLATFORMS"] = "cuda" if {"cuda", "--device=cuda"} & set(sys.argv) else "cpu"

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.experimental import sparse as jsp

import workload

DROP_CCP, DROP_FC = 0.2, 0.5  # after each level; before the class layer
BN_EPS, BN_MOM = 1e-5, 0.1


# ------------------------------------------------------------------ sparse level 0
def sparse_affinity(A):
    """scipy CSR without self-loops -> arrays for the CSR kernel, and degrees."""
    return dict(data=jnp.asarray(A.data, jnp.float32), indices=jnp.asarray(A.indices, jnp.int32),
                indptr=jnp.asarray(A.indptr, jnp.int32), deg=jnp.asarray(np.asarray(A.sum(1)).ravel(), jnp.float32))


def spmm(a, K):
    n = a["indptr"].shape[0] - 1          # BCSR @ dense lowers to jaxlib's CSR kernel on CPU
    return jsp.BCSR((a["data"], a["indices"], a["indptr"]), shape=(n, n)) @ K


def sym_gram(K, P, blocks=4):
    """K^T P when it is known to be symmetric: blocks on and above the diagonal only (10/16 of the flops)."""
    n = K.shape[1]
    if n < 1024 or n % blocks:
        return K.T @ P
    s = n // blocks
    cols = [K[:, :(j + 1) * s].T @ P[:, j * s:(j + 1) * s] for j in range(blocks)]
    up = [[cols[j][i * s:(i + 1) * s] for j in range(i, blocks)] for i in range(blocks)]
    rows = [jnp.concatenate([up[j][i - j].T for j in range(i)] + up[i], 1) for i in range(blocks)]
    return jnp.concatenate(rows, 0)


# ------------------------------------------------------------------ cluster step
def select(rank_t, L):
    """[K,N] -> values and indices [K,min(L,N)]; lax.top_k keeps the lower index first among ties."""
    return lax.top_k(rank_t, min(L, rank_t.shape[1]))


@functools.partial(jax.custom_vjp, nondiff_argnums=(2,))
def sparse_cluster(K, a, L):
    return _sc_fwd(K, a, L)[0]


def _sc_fwd(K, a, L):
    P = spmm(a, K)
    rs, idx = select((P + K * P).T, L)
    return (sym_gram(K, P), a["deg"] @ K, rs, idx), (K, P, idx, a)


def _sc_bwd(L, res, g):
    """d tr(G^T K'AK)/dK = AK(G+G^T) for symmetric A: one big GEMM."""
    K, P, idx, a = res
    gAn, gvol, grs, _ = g
    c = jnp.broadcast_to(jnp.arange(idx.shape[0])[:, None], idx.shape)
    gR = jnp.zeros_like(P).at[idx, c].set(grs, unique_indices=True, mode="promise_in_bounds")
    gK = P @ (gAn + gAn.T) + spmm(a, gR * (1 + K)) + gR * P + a["deg"][:, None] * gvol[None, :]
    zero = jax.tree.map(lambda v: np.zeros(v.shape, jax.dtypes.float0) if v.dtype == jnp.int32 else jnp.zeros_like(v), a)
    return gK, zero


sparse_cluster.defvjp(_sc_fwd, _sc_bwd)


def cluster_step(A, U, L):
    """A level's clusters. A: sparse_affinity's dict (first level) or dense [N,N]; U: [N,K]. See ccp_torch.py for the result."""
    K = jax.nn.softmax(U, 1)
    if isinstance(A, dict):
        An, vol, rs, idx = sparse_cluster(K, A, L)
    else:
        P = jnp.where(jnp.eye(A.shape[0], dtype=bool), 0, A) @ K
        An = K.T @ P
        vol = A.sum(1) @ K                                      # degrees count self loops
        _, idx = select(lax.stop_gradient((P + K * P).T), L)
        c = jnp.broadcast_to(jnp.arange(idx.shape[0])[:, None], idx.shape)
        rs = (1 + K[idx, c]) * P[idx, c]
    LK = 0.5 * jnp.sum(jnp.where(vol > 0, jnp.diagonal(An) / jnp.where(vol > 0, vol, 1), 0))
    D = An.sum(1)
    inv = jnp.where(D > 0, lax.rsqrt(jnp.where(D > 0, D, 1)), 0)   # inner where: no 0*inf in the gradient
    return dict(A_norm=An * inv[:, None] * inv[None, :], LK=LK, rank_sel=rs, idx=idx)


# ------------------------------------------------------------------ filter step
def gather(x, idx):
    return x.at[:, idx.reshape(-1)].get(mode="promise_in_bounds")


@jax.custom_vjp
def gather_gate_linear(x, idx, z, W, b):
    return _ggl_fwd(x, idx, z, W, b)[0]


def _ggl_fwd(x, idx, z, W, b):
    B, N, d = x.shape
    k, l = idx.shape
    g = jax.nn.sigmoid(z)
    h = gather(x, idx) * g.reshape(1, -1, 1)
    y = h.reshape(B * k, l * d) @ W[:l].reshape(l * d, -1) + b
    return y.reshape(B, k, -1), (h, idx, g, W, jnp.zeros((0, N), x.dtype))


def _ggl_bwd(res, gy):
    h, idx, g, W, xs = res
    B, d, (k, l), N = h.shape[0], h.shape[2], idx.shape, xs.shape[1]
    gy = gy.reshape(B * k, -1)
    gw = h.reshape(B * k, l * d).T @ gy
    if l < W.shape[0]:
        gw = jnp.concatenate([gw, jnp.zeros(((W.shape[0] - l) * d, gw.shape[1]), gw.dtype)])
    gh = (gy @ W[:l].reshape(l * d, -1).T).reshape(B, k * l, d)
    gz = (gh * h).sum((0, 2)).reshape(k, l) * (1 - g)
    gx = jnp.zeros((B, N, d), gh.dtype).at[:, idx.reshape(-1)].add(gh * g.reshape(1, -1, 1), mode="promise_in_bounds")
    return gx, np.zeros(idx.shape, jax.dtypes.float0), gz, gw.reshape(W.shape), gy.sum(0)


gather_gate_linear.defvjp(_ggl_fwd, _ggl_bwd)


def ccp_filter(x, idx, rank_sel, W, b, alpha, beta):
    return gather_gate_linear(x, idx, alpha * rank_sel + beta, W, b)


# ------------------------------------------------------------------ network
def batch_norm(y, p, s, train):
    """y [M,C] -> normalised, new running (mean, var)."""
    if train:
        m = y.mean(0)
        v = jnp.maximum(jnp.mean(y * y, 0) - m * m, 0)
        n = y.shape[0]
        s = dict(mean=(1 - BN_MOM) * s["mean"] + BN_MOM * m, var=(1 - BN_MOM) * s["var"] + BN_MOM * v * (n / max(n - 1, 1)))
    else:
        m, v = s["mean"], s["var"]
    k = p["scale"] * lax.rsqrt(v + BN_EPS)
    return y * k + (p["bias"] - m * k), s


def elu(x):
    return jnp.where(x > 0, x, jnp.exp(jnp.minimum(x, 0)) - 1)


def act_dropout(y, p, key):
    y = elu(y)
    if key is None:
        return y
    cut = round(p * 256)         # one random byte per element; uint32 threefry + bitcast: asking XLA's CPU for
    n = y.size                   # uint8 bits, or RngBitGenerator ("rbg"), is 13-17x slower
    bits = lax.bitcast_convert_type(jax.random.bits(key, ((n + 3) // 4,), jnp.uint32), jnp.uint8)
    keep = bits.reshape(-1)[:n].reshape(y.shape) >= cut
    return jnp.where(keep, y * (256 / (256 - cut)), 0)


def init(work):
    """-> parameters, batch norm's running statistics."""
    r = np.random.default_rng(0)
    n, d, (fc,) = work.nodes, work.channels, work.hidden
    f = lambda *s, sc=1.0: jnp.asarray(r.standard_normal(s) * sc, jnp.float32)
    bn = lambda c: dict(scale=jnp.ones(c), bias=jnp.zeros(c))
    st = lambda c: dict(mean=jnp.zeros(c), var=jnp.ones(c))
    layers, stats = [], []
    for k, o, L in work.levels:
        layers.append(dict(U=f(n, k), W=f(L, d, o, sc=(2 / (L * d)) ** 0.5), b=jnp.zeros(o),
                           alpha=1 + 0.1 * f(), beta=0.1 * f(), bn=bn(o)))
        stats.append(st(o))
        n, d = k, o
    p = dict(layers=layers, fc1=dict(W=f(n * d, fc, sc=(1 / (n * d)) ** 0.5), b=jnp.zeros(fc), bn=bn(fc)),
             fc2=dict(W=f(fc, work.classes, sc=(1 / fc) ** 0.5), b=jnp.zeros(work.classes)))
    return p, dict(layers=stats, fc1=st(fc))


def forward(p, s, A, Ls, x, key=None, train=False):
    LK, stats = 0.0, []
    keys = [None] * (len(Ls) + 1) if key is None else list(jax.random.split(key, len(Ls) + 1))
    for ly, st, L, k in zip(p["layers"], s["layers"], Ls, keys):
        h = cluster_step(A, ly["U"], L)
        A, LK = h["A_norm"], LK + h["LK"]
        y = ccp_filter(x, h["idx"], h["rank_sel"], ly["W"], ly["b"], ly["alpha"], ly["beta"])
        B, n, o = y.shape
        y, st = batch_norm(y.reshape(B * n, o), ly["bn"], st, train)
        stats.append(st)
        x = act_dropout(y, DROP_CCP, k).reshape(B, n, o)
    y, st = batch_norm(x.reshape(x.shape[0], -1) @ p["fc1"]["W"] + p["fc1"]["b"], p["fc1"]["bn"], s["fc1"], train)
    y = act_dropout(y, DROP_FC, keys[-1])
    return y @ p["fc2"]["W"] + p["fc2"]["b"], LK, dict(layers=stats, fc1=st)


def cross_entropy(z, y):
    return optax.softmax_cross_entropy_with_integer_labels(z, y).mean()


def make_optimizer(lr=1e-3, l2=1e-4):
    """Adam with l2 added to the gradient of convolution and FC weights only."""
    mask = lambda p: jax.tree_util.tree_map_with_path(lambda path, _: path[-1].key == "W", p)
    return optax.chain(optax.masked(optax.add_decayed_weights(l2), mask), optax.adam(lr))


def freeze(p, s, A, Ls):
    """Cached indices and gates, batch norm folded into W, b."""
    out = []
    for ly, st, L in zip(p["layers"], s["layers"], Ls):
        h = cluster_step(A, ly["U"], L)
        A, l = h["A_norm"], h["idx"].shape[1]
        k = ly["bn"]["scale"] * lax.rsqrt(st["var"] + BN_EPS)
        out.append(dict(idx=h["idx"].reshape(-1), gate=jax.nn.sigmoid(ly["alpha"] * h["rank_sel"] + ly["beta"]).reshape(1, -1, 1),
                        W=(ly["W"][:l] * k).reshape(-1, k.shape[0]), b=(ly["b"] - st["mean"]) * k + ly["bn"]["bias"]))
    k = p["fc1"]["bn"]["scale"] * lax.rsqrt(s["fc1"]["var"] + BN_EPS)
    return dict(layers=out, fc1=(p["fc1"]["W"] * k, (p["fc1"]["b"] - s["fc1"]["mean"]) * k + p["fc1"]["bn"]["bias"]),
                fc2=(p["fc2"]["W"], p["fc2"]["b"]))


def frozen_forward(f, x):
    B = x.shape[0]
    for ly in f["layers"]:
        h = gather(x, ly["idx"]) * ly["gate"]
        x = elu(h.reshape(-1, ly["W"].shape[0]) @ ly["W"] + ly["b"]).reshape(B, -1, ly["W"].shape[1])
    return elu(x.reshape(B, -1) @ f["fc1"][0] + f["fc1"][1]) @ f["fc2"][0] + f["fc2"][1]


# ------------------------------------------------------------------ benchmark
def training(p, s, A, Ls, batches):
    """A function of the step's number that trains on a batch and returns the loss."""
    opt = make_optimizer()
    carry = [p, s, opt.init(p), jax.random.key(0)]

    @functools.partial(jax.jit, donate_argnums=(0, 1, 2, 3))
    def train(p, s, o, key, A, x, y):
        key, sub = jax.random.split(key)

        def loss(p):
            z, LK, ns = forward(p, s, A, Ls, x, sub, True)
            return cross_entropy(z, y) - LK, ns

        (l, ns), g = jax.value_and_grad(loss, has_aux=True)(p)
        u, o = opt.update(g, o, p)
        return optax.apply_updates(p, u), ns, o, key, l

    def step(i):
        *carry[:], l = train(*carry, A, *batches[i % len(batches)])
        return float(l)

    return step


def inference(p, s, A, Ls, batches, frozen):
    """A function of the step's number that classifies a batch and returns a logit."""
    if frozen:
        f = jax.block_until_ready(jax.jit(lambda p, s, A: freeze(p, s, A, Ls))(p, s, A))
        run = jax.jit(frozen_forward)
        call = lambda x: run(f, x)
    else:
        run = jax.jit(lambda p, s, A, x: forward(p, s, A, Ls, x)[0])
        call = lambda x: run(p, s, A, x)
    return lambda i: float(jax.block_until_ready(call(batches[i % len(batches)][0]))[0, 0])


def main():
    args = workload.parser(__doc__.splitlines()[0]).parse_args()
    work = workload.Workload(args.workload)
    p, s = init(work)
    parameters = sum(v.size for v in jax.tree.leaves(p))
    A, Ls = sparse_affinity(work.graph), [L for _, _, L in work.levels]
    batches = [(jnp.asarray(x), jnp.asarray(y, jnp.int32)) for x, y in work.batches]
    if args.mode == "train":
        step = training(p, s, A, Ls, batches)
    else:
        step = inference(p, s, A, Ls, batches, args.mode == "infer-frozen")
    workload.report(step, args.steps, args.warmup, versions=f"jax {jax.__version__} optax {optax.__version__}", parameters=parameters)


if __name__ == "__main__":
    main()
