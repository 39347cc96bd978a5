"""Axivity AX3 and AX6 (.cwa), by the format's description: no library is needed."""

from __future__ import annotations

import pathlib

import numpy as np

from .recording import Channel, Recording, Unusable

PACKET = np.dtype(
    [
        ("head", "<u2"),
        ("length", "<u2"),
        ("fraction", "<u2"),
        ("session", "<u4"),
        ("sequence", "<u4"),
        ("stamp", "<u4"),
        ("light", "<u2"),
        ("temperature", "<u2"),
        ("events", "u1"),
        ("battery", "u1"),
        ("rate", "u1"),
        ("axes", "u1"),
        ("offset", "<i2"),
        ("count", "<u2"),
        ("data", "V480"),
        ("checksum", "<u2"),
    ]
)


def read(path: pathlib.Path) -> list[Recording]:
    """Read acceleration in g, and the rotation of an AX6 in degrees a second, each packet at its own times.

    actipy closes pauses of less than a second, and openmovement spreads the packet before one over it: both join stamps by a
    line. Here values lie between two stamps if the packets follow each other, and else at the rate of the device.
    """
    content = np.fromfile(path, np.uint8)
    content = content[int(content[2]) + 256 * int(content[3]) + 4 :]
    packets = content[: len(content) // 512 * 512].view(PACKET)
    words = packets.view("<u2").reshape(len(packets), 256)
    packets = packets[(packets["head"] == 0x5841) & (words.sum(axis=1, dtype=np.uint16) == 0) & (packets["count"] > 0)]
    if not len(packets):
        raise Unusable("there is no packet of data")
    rate = 3200 / 2.0 ** (15 - (int(packets["rate"][0]) & 15))
    stamps, offsets = _stamps(packets, rate)
    counts = packets["count"].astype(int)
    follows = (np.diff(packets["sequence"].astype(np.int64)) == 1) & (np.diff(packets["session"].astype(np.int64)) == 0)
    places = counts[:-1] - offsets[:-1] + offsets[1:]  # values between two stamps
    measured = np.diff(stamps) / np.maximum(places, 1)
    steps = np.r_[np.where(follows & (np.abs(measured * rate - 1) < 0.1), measured, 1 / rate), 1 / rate]
    if len(steps) > 1:
        steps[-1] = steps[-2]
    times = np.concatenate(
        [stamp + (np.arange(count) - offset) * step for stamp, count, offset, step in zip(stamps, counts, offsets, steps)]
    )
    values = np.concatenate([_values(packet) for packet in packets])
    order = np.argsort(times, kind="stable")
    times, values = times[order] - times[order[0]], values[order]
    names = [f"gyro.{axis}" for axis in "xyz"] * (values.shape[1] >= 6) + [f"acc.{axis}" for axis in "xyz"]
    units = ["°/s"] * (len(names) - 3) + ["g"] * 3
    return [Recording("", [Channel(name, times, values[:, at], unit) for at, (name, unit) in enumerate(zip(names, units))])]


def _stamps(packets: np.ndarray, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the time stamp of each packet in s, and the place in the packet that it belongs to.

    With a fraction of a second the writer has moved the place by so many values, for programs that do not know of fractions.
    """
    stamp = packets["stamp"].astype(np.int64)
    months = ((stamp >> 26) + 30) * 12 + ((stamp >> 22) & 15) - 1  # since 1970
    days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + ((stamp >> 17) & 31) - 1
    seconds = ((days * 24 + ((stamp >> 12) & 31)) * 60 + ((stamp >> 6) & 63)) * 60 + (stamp & 63)
    fractional = packets["fraction"] >= 0x8000
    fraction = np.where(fractional, packets["fraction"] & 0x7FFF, 0) / 32768
    return seconds + fraction, packets["offset"] + np.floor(fraction * int(rate)).astype(int)


def _values(packet: np.void) -> np.ndarray:
    """Return the values of a packet, [count, 3] in g, or [count, 6] with the rotation before."""
    axes, width = int(packet["axes"]) >> 4, int(packet["axes"]) & 15
    unit = 2.0 ** -(8 + (int(packet["light"]) >> 13))  # of 1 g
    raw, count = np.frombuffer(packet["data"].tobytes(), "<u4"), int(packet["count"])
    if width == 0:  # three signed numbers of 10 bits, and an exponent
        parts = (raw[:count, None] >> np.array([0, 10, 20], np.uint32)).astype(np.int64) & 1023
        return ((parts ^ 512) - 512) * 2.0 ** (raw[:count, None] >> 30) * unit
    values = raw.view("<i2")[: axes * count].reshape(count, axes).astype(float)
    spin = (int(packet["light"]) >> 10) & 7
    values[:, : max(0, min(axes - 3, 3))] *= 8000 / 2.0 ** (spin or 2) / 32768
    values[:, max(0, min(axes - 3, 3)) :] *= unit
    return values[:, :6]
