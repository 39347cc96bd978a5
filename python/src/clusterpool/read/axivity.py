"""Axivity AX3 and AX6 (.cwa), by the format's description: no library is needed."""

from __future__ import annotations

import pathlib

import numpy as np

from . import cwa
from .recording import Recording, Unusable


def read(path: pathlib.Path) -> list[Recording]:
    """Read acceleration in g, and the rotation of an AX6 in degrees a second, each packet at its own times.

    actipy closes pauses of less than a second, and openmovement spreads the packet before one over it: both join stamps by a
    line. Here values lie between two stamps if the packets follow each other, and else at the rate of the device.
    """
    packets = cwa.packets(np.fromfile(path, np.uint8))
    if not len(packets):
        raise Unusable("there is no packet of data")
    counts, places, steps = packets["count"].astype(int), cwa.stamped_places(packets), _steps(packets)
    begins = cwa.stamps(packets) - places * steps
    times = np.repeat(begins, counts) + np.concatenate([np.arange(count) for count in counts]) * np.repeat(steps, counts)
    values = np.concatenate([cwa.values(packet) for packet in packets])
    order = np.argsort(times, kind="stable")
    times, values = times[order] - times[order[0]], values[order]
    recording = Recording("", [])
    if values.shape[1] == 6:
        recording.add_columns(["gyro.x", "gyro.y", "gyro.z"], times, values[:, :3], "°/s")
    recording.add_columns(["acc.x", "acc.y", "acc.z"], times, values[:, -3:], "g")
    return [recording]


def _steps(packets: np.ndarray) -> np.ndarray:
    """Return the time from one value of a packet to the next, in s: as its stamp and the next packet's say, if that follows it."""
    counts, places, step = packets["count"].astype(int), cwa.stamped_places(packets), 1 / cwa.rate(packets[0])
    follows = (np.diff(packets["sequence"].astype(np.int64)) == 1) & (np.diff(packets["session"].astype(np.int64)) == 0)
    between = np.maximum(counts[:-1] - places[:-1] + places[1:], 1)  # values from stamp to stamp
    measured = np.diff(cwa.stamps(packets)) / between
    steps = np.where(follows & (np.abs(measured / step - 1) < 0.1), measured, step)
    return np.append(steps, steps[-1:] if len(steps) else step)
