"""Axivity AX3 and AX6 (.cwa), by the format's description: no library is needed."""

from __future__ import annotations

import pathlib

import numpy as np

from . import cwa
from .recording import Recording, Unusable


def read(path: pathlib.Path) -> list[Recording]:
    """Read acceleration in g, and the rotation of an AX6 in degrees a second, each packet at its own times.

    actipy closes pauses of less than a second, and openmovement spreads the packet before one over it: both join stamps by a
    line. Here values lie between two stamps if the packets follow each other, and else at the rate of the device. Values keep
    their order.
    """
    content, recording = np.fromfile(path, np.uint8), Recording("", [])
    packets, broken = cwa.packets(content)
    if not len(packets):
        raise Unusable("there is no packet of data")
    if broken:
        recording.notes.append(f"{broken} of {len(packets) + broken} packets are left out: they are broken, or cut off at the end")
    pieces = sorted(((_times(packets[run]), run) for run in _runs(packets)), key=lambda piece: piece[0][0])
    times = np.concatenate([piece for piece, _ in pieces])
    values = np.concatenate([cwa.values(packets[at]) for _, run in pieces for at in run])
    names = ["gyro.x", "gyro.y", "gyro.z", "acc.x", "acc.y", "acc.z"][-values.shape[1] :]
    units = [*["°/s"] * 3, *["g"] * 3][-values.shape[1] :]
    recording.add_ahead(names, times - times[0], values, 1 / cwa.rate(packets[0]), units)
    return [recording]


def _runs(packets: np.ndarray) -> list[np.ndarray]:
    """Return the numbers of packets that follow each other, in runs between which values are lost or the clock is set."""
    follows = (np.diff(packets["sequence"].astype(np.int64)) == 1) & (np.diff(packets["session"].astype(np.int64)) == 0)
    ahead = np.diff(cwa.stamped(packets))  # 0 where two packets have the stamp of one value
    follows &= (ahead >= 0) & (np.abs(np.diff(cwa.stamps(packets)) * cwa.rate(packets[0]) - ahead) < 0.1 * np.maximum(ahead, 1))
    return np.split(np.arange(len(packets)), np.flatnonzero(~follows) + 1)


def _times(run: np.ndarray) -> np.ndarray:
    """Return the times of the values of packets that follow each other: lines between their stamps, and on to both ends."""
    (stamped, first), places = np.unique(cwa.stamped(run), return_index=True), np.arange(int(run["count"].sum()))
    stamps = cwa.stamps(run)[first]
    steps = np.diff(stamps) / np.diff(stamped) if len(stamps) > 1 else np.array([1 / cwa.rate(run[0])])
    line = np.clip(np.searchsorted(stamped, places, "right") - 1, 0, len(steps) - 1)
    return stamps[line] + (places - stamped[line]) * steps[line]
