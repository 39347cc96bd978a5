"""Computes grids.json: what the networks on grids give for made-up weights, with PyTorch in float64.

    python grids.py > grids.json

Every input and weight is a formula of its name, see `made`, that the test has too. For each model there are the logits in
evaluation, and for each variable the sum over its elements of sin(i) times the gradient of the sum of the squared logits.
"""
import json

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)


class Weights:
    """Makes each variable when it is asked for."""

    def __init__(self):
        self.variables = {}

    def made(self, name, *shape, scale=1.0, offset=0.0):
        i = torch.arange(torch.Size(shape).numel()).double()
        return (offset + scale * torch.sin(sum(name.encode()) + 0.01 * i * i + i)).reshape(shape)

    def __call__(self, name, *shape, scale=1.0, offset=0.0):
        v = self.made(name, *shape, scale=scale, offset=offset).requires_grad_()
        self.variables[name] = v
        return v

    def kernel(self, scope, size, axes, channels, filters):
        """A kernel as PyTorch has it, out of one with its filters last."""
        fan = channels * size**axes
        w = self(scope + "/W", *[size] * axes, channels, filters, scale=fan**-0.5)
        return w.permute(axes + 1, axes, *range(axes))

    def norm(self, scope, x):
        """Batch normalisation in evaluation; the channels are x's second axis."""
        scope += "/batch_norm"
        n = x.shape[1]
        scale, offset = self(scope + "/scale", n, scale=0.3, offset=1.0), self(scope + "/offset", n, scale=0.3)
        mean, variance = self.made(scope + "/mean", n, scale=0.3), self.made(scope + "/variance", n, scale=0.3, offset=1.0)
        return F.batch_norm(x, mean, variance, scale, offset, eps=1e-5)

    def classes(self, x, n):
        x = x.flatten(1)
        return x @ self("classes/W", x.shape[1], n, scale=x.shape[1] ** -0.5) + self("classes/b", n, scale=0.3)


def cnn(w):
    x = w.made("x", 2, 7, 6, 2).permute(0, 3, 1, 2)
    for i in 1, 2, 3:
        kernel = w.kernel(f"conv_{i}", 5, 2, x.shape[1], 64)
        x = F.conv2d(x, kernel, w(f"conv_{i}/b", 64, scale=0.3), padding=2).relu()
        high, wide = x.shape[2:]
        x = F.pad(x, (0, 2, 0, 2))  # enough for windows at every second row and column
        windows = x.unfold(2, 3, 2).unfold(3, 3, 2).flatten(4)[:, :, : (high + 1) // 2, : (wide + 1) // 2]
        total = windows.sum(-1)
        x = torch.where(total > 0, (windows * windows).sum(-1) / torch.where(total > 0, total, 1), 0)
        x = w.norm(f"conv_{i}", x)
    return w.classes(x.permute(0, 2, 3, 1), 3)


def resnet(w):
    def conv(scope, x, filters, stride):
        return w.norm(scope, F.conv2d(x, w.kernel(scope, 3, 2, x.shape[1], filters), stride=stride, padding=1))

    x = conv("conv", w.made("x", 2, 7, 6, 2).permute(0, 3, 1, 2), 16, 1).relu()
    for stage, filters in (1, 16), (2, 32), (3, 64):
        scope, stride = f"stage_{stage}_block_1/", 1 + (stage > 1)
        y = conv(scope + "conv_2", conv(scope + "conv_1", x, filters, stride).relu(), filters, 1)
        short = x[:, :, ::stride, ::stride]
        x = (F.pad(short, (0, 0, 0, 0, 0, filters - x.shape[1])) + y).relu()
    return w.classes(x.mean((2, 3)), 3)


def tcn(w):
    def conv(scope, x, filters, stride):
        out = (x.shape[2] + stride - 1) // stride
        behind = max((out - 1) * stride + 8 - x.shape[2] - 3, 0)
        return F.conv1d(F.pad(x, (3, behind)), w.kernel(scope, 8, 1, x.shape[1], filters), stride=stride)

    x = conv("conv", w.made("x", 2, 9, 4 * 2).permute(0, 2, 1), 64, 1)
    for block, filters in (1, 64), (2, 128), (3, 256):
        for unit in 1, 2, 3:
            scope, stride = f"block_{block}_unit_{unit}", 1 + (block > 1 and unit == 1)
            y = conv(scope, w.norm(scope, x).relu(), filters, stride)
            if stride > 1:
                x = F.conv1d(x, w.kernel(scope + "/shortcut", 1, 1, x.shape[1], filters), stride=stride)
            x = x + y
    return w.classes(w.norm("last", x).relu().mean(2), 3)


def plstm(w):
    parts, units = [[0, 2], [1], [3]], 50
    width = len(parts) * units
    x = w.made("x", 2, 7, 4, 2)[:, [1, 3, 5]]  # the middle ones of segments of 2, 2 and 3 frames
    x = [x[:, :, joints].flatten(2) for joints in parts]
    for layer in "lstm_1", "lstm_2":
        sizes = [part.shape[2] for part in x]
        inputs = sum(sizes)
        blocks = []  # each part's rows: its own i, f and g; zeros for the others'
        for p, size in enumerate(sizes):
            own = w(f"{layer}/part_{p + 1}/W", size, 3 * units, scale=size**-0.5).reshape(size, 3, units)
            block = torch.zeros(size, 4, len(parts), units)
            block[:, :3, p] = own
            blocks.append(block)
        gates = torch.cat(blocks).reshape(inputs, 4, width)
        output = w(f"{layer}/output/W", inputs, width, scale=inputs**-0.5)
        gates = torch.cat([gates[:, :3], output[:, None]], 1).reshape(inputs, 4 * width)
        bias = w(f"{layer}/b", 4 * width, scale=0.3)
        u = w(f"{layer}/recurrent/W", width, 4 * width, scale=width**-0.5)
        remember = torch.zeros(4, width)
        remember[1] = 1
        lstm = torch.nn.LSTM(inputs, width, batch_first=True)
        h, _ = torch.func.functional_call(
            lstm, {"weight_ih_l0": gates.T, "weight_hh_l0": u.T, "bias_ih_l0": bias, "bias_hh_l0": remember.flatten()}, (torch.cat(x, -1),)
        )
        x = h.split(units, -1)
    return w.classes(h.mean(1), 3)


def predictions(networks):
    """Prints the logits and the gradients of each network as JSON."""
    results = {}
    for name, network in networks.items():
        w = Weights()
        logits = network(w)
        gradients = torch.autograd.grad((logits * logits).sum(), list(w.variables.values()))
        along = {v: (g.flatten() * torch.sin(torch.arange(g.numel()).double())).sum().item() for v, g in zip(w.variables, gradients)}
        results[name] = {"logits": logits.tolist(), "gradients": along}
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    predictions({"cnn": cnn, "resnet": resnet, "tcn": tcn, "p-lstm": plstm})
