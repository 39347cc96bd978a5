"""Computes skeletons.json: what the networks of bodies give for made-up weights, with PyTorch and numpy in float64. See grids.py.

    python skeletons.py > skeletons.json

Everything is written cell by cell, joint by joint and pair by pair, as the formulas say.
The body has 5 joints in 9 frames, with x, y and z of one body.
"""
import itertools

import numpy as np
import torch
import torch.nn.functional as F

from grids import predictions

FRAMES, JOINTS, CLASSES = 9, 5, 3
BONES = [(0, 1), (1, 2), (1, 3), (3, 4)]
PARTS = [[0, 1], [2], [3, 4]]
STEPS = [1, 3, 5, 7]  # the middles of segments of 2, 2, 2 and 3 frames
UNITS = 4


def recordings(w):
    return w.made("x", 2, FRAMES, JOINTS, 3)


def dense(w, scope, x, out):
    return x @ w(scope + "/W", x.shape[-1], out, scale=x.shape[-1] ** -0.5) + w(scope + "/b", out, scale=0.3)


def both_directions(w, scope, parts, units):
    """Each part: `[batch, time, values]`, and so are the results."""
    inputs = [dense(w, f"{scope}/part_{p + 1}", x, 2 * units) for p, x in enumerate(parts)]
    u = w(scope + "/recurrent/W", 2 * len(parts), units, units, scale=(2 * len(parts) * units) ** -0.5)
    results = []
    for p, z in enumerate(inputs):
        directions = []
        for way, steps in enumerate((range(z.shape[1]), reversed(range(z.shape[1])))):
            h, hs = torch.zeros(z.shape[0], units), {}
            for t in steps:
                h = hs[t] = torch.tanh(z[:, t, way * units : (way + 1) * units] + h @ u[2 * p + way])
            directions.append(torch.stack([hs[t] for t in range(z.shape[1])], 1))
        results.append(torch.cat(directions, -1))
    return results


def lstm(w, scope, x, units):
    """x: `[batch, time, values]`, in the order of time."""
    gates = w(scope + "/part_1/W", x.shape[-1], 3 * units, scale=x.shape[-1] ** -0.5)
    output = w(scope + "/output/W", x.shape[-1], units, scale=x.shape[-1] ** -0.5)
    bias = w(scope + "/b", 4 * units, scale=0.3)
    u = w(scope + "/recurrent/W", units, 4 * units, scale=units**-0.5)
    remember = torch.zeros(4, units)
    remember[1] = 1
    cell = torch.nn.LSTM(x.shape[-1], units, batch_first=True)
    weights = {"weight_ih_l0": torch.cat([gates, output], 1).T, "weight_hh_l0": u.T, "bias_ih_l0": bias, "bias_hh_l0": remember.flatten()}
    # PyTorch's order of gates is i, f, g, o, which is ours
    return torch.func.functional_call(cell, weights, (x,))[0]


def hbrnn(w):
    x = recordings(w)[:, STEPS]
    trunk, *limbs = both_directions(w, "parts", [x[:, :, joints].flatten(2) for joints in PARTS], 30)
    limbs = both_directions(w, "limbs", [torch.cat([trunk, limb], -1) for limb in limbs], 60)
    (half,) = both_directions(w, "halves", [torch.cat(limbs, -1)], 60)
    forward = lstm(w, "body/forward", half, 80)
    backward = lstm(w, "body/backward", half.flip(1), 80).flip(1)
    return w.classes(torch.cat([forward, backward], -1).mean(1), CLASSES)


def stlstm(w):
    x = recordings(w)[:, STEPS]
    walk = [1, 0, 1, 2, 1, 3, 4, 3, 1]  # from joint 1, of which no joint is further than 2 bones
    cells = {(j, t): x[:, t, joint] for j, joint in enumerate(walk) for t in range(len(STEPS))}
    for layer in 1, 2:
        scope, size = f"lstm_{layer}", cells[0, 0].shape[-1]
        wx = w(scope + "/W", size, 5 * UNITS, scale=size**-0.5)
        wu = w(scope + "/recurrent/W", 2 * UNITS, 5 * UNITS, scale=(2 * UNITS) ** -0.5)
        mx = w(scope + "/trust/W", size, UNITS, scale=size**-0.5)
        mp = w(scope + "/recurrent/trust/W", 2 * UNITS, UNITS, scale=(2 * UNITS) ** -0.5)
        b = w(scope + "/b", 5 * UNITS, scale=0.3)
        none, h, c = torch.zeros(2, UNITS), {}, {}
        for j, t in cells:
            before = torch.cat([h.get((j - 1, t), none), h.get((j, t - 1), none)], -1)
            i, fs, ft, o, u = (cells[j, t] @ wx + before @ wu + b).chunk(5, -1)
            tau = torch.exp(-0.5 * (torch.tanh(cells[j, t] @ mx) - torch.tanh(before @ mp)) ** 2)
            kept = (fs + 1).sigmoid() * c.get((j - 1, t), none) + (ft + 1).sigmoid() * c.get((j, t - 1), none)
            c[j, t] = tau * i.sigmoid() * u.tanh() + (1 - tau) * kept
            h[j, t] = o.sigmoid() * c[j, t].tanh()
        cells = h
    scores = dense(w, "classes", torch.stack(list(cells.values()), 1), CLASSES)
    return scores.softmax(-1).mean(1).log()


def normalised(pairs, n):
    a = torch.zeros(n, n)
    for i, j in pairs:
        a[i, j] = a[j, i] = 1
    degree = a.sum(0).clamp(min=1)
    return a / (degree[:, None] * degree).sqrt()


def stgc(w):
    x, a = recordings(w)[:, STEPS], normalised(BONES, JOINTS)
    powers = [torch.eye(JOINTS), a, a @ a]

    def scales(x):
        return torch.cat([power @ x for power in powers], -1)

    for layer in 1, 2:
        scope, size = f"stgc_{layer}", 3 * x.shape[-1]
        v, b = w(scope + "/W", size, UNITS, scale=size**-0.5), w(scope + "/b", UNITS, scale=0.3)
        u = w(scope + "/recurrent/W", 3 * UNITS, UNITS, scale=(3 * UNITS) ** -0.5)
        state, states = torch.zeros(2, JOINTS, UNITS), []
        for t in range(len(STEPS)):
            state = torch.tanh(scales(x[:, t]) @ v + scales(state) @ u + b)
            states.append(state)
        x = torch.stack(states, 1)
    return w.classes(x.mean(1), CLASSES)


def tgcnn(w):
    x, parts = recordings(w)[:, STEPS], len(PARTS)
    ws, wx = w("state/W", UNITS, UNITS, scale=UNITS**-0.5), w("frame/W", 3, UNITS, scale=3**-0.5)
    v0, v1 = w("own/W", UNITS, UNITS, scale=UNITS**-0.5), w("across/W", UNITS, UNITS, scale=UNITS**-0.5)
    alpha, beta = 1 + w("alpha/b", 1, scale=0.3), 1 + w("beta/b", 1, scale=0.3)
    b = w("cross/b", UNITS, scale=0.3)
    # bones join the trunk, joints 0 and 1, to the part of joint 2 and to that of joints 3 and 4
    cross = alpha * torch.kron(normalised([(0, 1), (0, 2)], parts), torch.eye(JOINTS))
    cross = cross + beta * torch.kron(torch.eye(parts), normalised(BONES, JOINTS))
    state, states = torch.zeros(2, parts, UNITS), []
    for t in range(len(STEPS)):
        pairs = [(1 + state[:, p] @ ws) * (x[:, t, q] @ wx) for p in range(parts) for q in range(JOINTS)]
        f = torch.stack(pairs, 1)
        z = f @ v0 + (cross @ f) @ v1 + b
        state = torch.tanh(z.reshape(2, parts, JOINTS, UNITS).max(2).values)
        states.append(state)
    return w.classes(torch.stack(states, 1).mean(1), CLASSES)


def ccnn(w):
    x = recordings(w)
    order = sum(PARTS, [])
    pictures = []
    for limb in PARTS[1:]:
        v = x[:, :, order] - x[:, :, limb[:1]]
        pictures.append(torch.stack([torch.hypot(v[..., 0], v[..., 2]), torch.atan2(v[..., 2], v[..., 0]), v[..., 1]], 1))
    x = torch.stack(pictures, 1).reshape(-1, 1, FRAMES, JOINTS)
    for i, filters in enumerate((16, 32, 64)):
        x = w.norm(f"conv_{i + 1}", F.conv2d(x, w.kernel(f"conv_{i + 1}", 3, 2, x.shape[1], filters), padding=1))
        x = F.max_pool2d(x, 2, ceil_mode=True).relu()
    x = x.mean(2).permute(0, 2, 1).reshape(2, len(PARTS) - 1, -1)
    scores = dense(w, "classes", dense(w, "hidden", x, 512).relu(), CLASSES)
    return scores.softmax(-1).mean(1).log()


def turned(u, v):
    """The shortest rotation of unit vector u onto v."""
    axis, cos = np.cross(u, v), u @ v
    k = skew(axis)
    return np.eye(3) + k + k @ k / (1 + cos)


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def logarithm(joints, m, n):
    """Of the point of SE(3) that bone n is, seen from bone m."""
    (m0, m1), (n0, n1) = joints[list(m)], joints[list(n)]
    home = turned((m1 - m0) / np.linalg.norm(m1 - m0), np.array([1.0, 0, 0]))
    r = turned(np.array([1.0, 0, 0]), home @ (n1 - n0) / np.linalg.norm(n1 - n0))
    turn = np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]]) / 2
    theta = np.arctan2(np.linalg.norm(turn), (np.trace(r) - 1) / 2)
    omega = theta / np.linalg.norm(turn) * turn
    k = skew(omega)
    a = np.eye(3) + (1 - np.cos(theta)) / theta**2 * k + (theta - np.sin(theta)) / theta**3 * k @ k
    assert abs(omega[0]) < 1e-12
    return np.concatenate([omega[1:], np.linalg.solve(a, home @ (n0 - m0))])


def warped(curve, nominal):
    cost = ((curve[:, None] - nominal) ** 2).sum(-1)
    total = np.full((FRAMES + 1, FRAMES + 1), np.inf)
    total[0, 0] = 0
    for i, j in itertools.product(range(FRAMES), repeat=2):
        total[i + 1, j + 1] = cost[i, j] + min(total[i, j], total[i, j + 1], total[i + 1, j])
    i = j = FRAMES - 1
    paired = []
    while i >= 0 and j >= 0:
        paired.append((i, j))
        back = np.argmin([total[i, j], total[i, j + 1], total[i + 1, j]])
        i, j = i - (back != 2), j - (back != 1)
    return np.stack([curve[min((i for i, k in paired if k == j), key=lambda i: cost[i, j])] for j in range(FRAMES)])


def pyramid(curve):
    rows = []
    for segments in 1, 2, 4:
        for s in range(segments):
            segment = curve[s * FRAMES // segments : (s + 1) * FRAMES // segments]
            size = np.abs(np.fft.fft(segment, n=FRAMES, axis=0))[: FRAMES // 4]
            rows.append(size * np.array([[1.0]] + [[2.0]] * (FRAMES // 4 - 1)))
    return np.concatenate(rows).flatten()


def lie(w):
    x = recordings(w).numpy()
    pairs = list(itertools.permutations(BONES, 2))
    nominal = w.made("nominal", CLASSES, FRAMES, 5 * len(pairs), scale=0.3).numpy()
    features = []
    for recording in x:
        curve = np.stack([np.concatenate([logarithm(frame, m, n) for m, n in pairs]) for frame in recording])
        features.append([pyramid(warped(curve, nominal[c])) for c in range(CLASSES)])
    features = torch.tensor(np.array(features))
    n = features.shape[-1]
    weights = w("classes/W", CLASSES, n, scale=CLASSES**-0.5)
    return (features / n**0.5 * weights).sum(-1) + w("classes/b", CLASSES, scale=0.3)


if __name__ == "__main__":
    predictions({"hbrnn-l": hbrnn, "st-lstm": stlstm, "stgc": stgc, "tgcnn": tgcnn, "c-cnn": ccnn, "lie-group": lie})
