"""Turns images into signals of sensors scattered over them: your own graph, with coordinates.

    ccp data get mnist
    python3 scattered.py mnist --sensors 400 --out scattered.npz
    ccp train --data scattered.npz --hierarchy prepared --epochs 2
    ccp clusters --checkpoint runs/scattered-ccp-1 --out clusters

Each sensor measures the image at its own random place, between the pixels. The file says where they are: ccp joins each to its 8
nearest (--knn says another number) and draws its pictures by the positions.
"""
import argparse
import gzip
from pathlib import Path

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=Path, help="the four files of MNIST or Fashion-MNIST")
parser.add_argument("--sensors", type=int, default=400)
parser.add_argument("--out", default="scattered.npz")
args = parser.parse_args()



def read(kind, header):
    """Joins the training and the test file of a kind, without their headers."""
    parts = []
    for split in "train", "t10k":
        (path,) = args.folder.glob(f"{split}-{kind}?idx?-ubyte*")
        raw = path.read_bytes()
        parts.append(np.frombuffer(gzip.decompress(raw) if path.suffix == ".gz" else raw, np.uint8, offset=header))
    return np.concatenate(parts), len(parts[0])


pixels, _ = read("images", 16)
labels, train = read("labels", 8)
side = 28
images = pixels.reshape(-1, side, side).astype(np.float32) / 255
arrays = {"labels": labels, "split": np.where(np.arange(len(labels)) < train, 0, 2)}

positions = np.random.default_rng(1).uniform(0, side - 1.001, size=(args.sensors, 2))
column, row = positions.T
left, top = column.astype(int), row.astype(int)
right, down = column - left, row - top  # how far into the pixel
features = (
    (1 - down) * ((1 - right) * images[:, top, left] + right * images[:, top, left + 1])
    + down * ((1 - right) * images[:, top + 1, left] + right * images[:, top + 1, left + 1])
)
arrays["features"] = features[:, :, None].astype(np.float32)
arrays["coordinates"] = np.stack([column, -row], axis=1)  # upwards, as a plot has it
np.savez(args.out, **arrays)
print(f"{args.out}: {len(features):,} samples of {args.sensors} sensors")
