"""Turns images into signals of sensors scattered over them: your own graph, with coordinates.

    ccp data export mnist --npz mnist.npz
    python3 scattered.py mnist.npz --sensors 400 --out scattered.npz
    ccp train --data scattered.npz --hierarchy prepared --epochs 2
    ccp clusters --checkpoint runs/scattered-ccp-1 --out clusters

Each sensor measures the image at its own random place, between the pixels. The file says where they are: ccp joins each to its 8
nearest (--knn says another number) and draws its pictures by the places.
"""
import argparse

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("images", help="square grey images, as ccp data export writes them")
parser.add_argument("--sensors", type=int, default=400)
parser.add_argument("--out", default="scattered.npz")
args = parser.parse_args()

with np.load(args.images) as file:
    arrays = {name: file[name] for name in ("features", "labels", "split", "class_names")}
pixels = arrays["features"].shape[1]
side = round(pixels**0.5)
if side * side != pixels or arrays["features"].shape[2] != 1:
    raise SystemExit(f"{args.images}: its samples have shape {arrays['features'].shape[1:]}, which is not that of square grey images")
images = arrays["features"].reshape(-1, side, side)

places = np.random.default_rng(1).uniform(0, side - 1.001, size=(args.sensors, 2))
column, row = places.T
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
