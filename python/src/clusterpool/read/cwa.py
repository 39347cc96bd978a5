"""The packets of a .cwa file, as Open Movement's description of the format has them ("CWA file format", AX3 and AX6)."""

from __future__ import annotations

import numpy as np

PACKET = np.dtype(
    [
        ("head", "<u2"),  # "AX"
        ("length", "<u2"),
        ("fraction", "<u2"),  # of a second, in 1/32768, if the highest bit is set
        ("session", "<u4"),
        ("sequence", "<u4"),
        ("stamp", "<u4"),  # from the highest bits on: year since 2000, month, day, hour, minute, second
        ("light", "<u2"),  # three bits of the scale of acceleration, three of that of rotation, ten of light
        ("temperature", "<u2"),
        ("events", "u1"),
        ("battery", "u1"),
        ("rate", "u1"),
        ("axes", "u1"),  # how many, and in how many bytes
        ("place", "<i2"),  # of the value at the stamp
        ("count", "<u2"),
        ("data", "V480"),
        ("checksum", "<u2"),
    ]
)


def packets(content: np.ndarray) -> tuple[np.ndarray, int]:
    """Return the packets of data in a file's bytes, of the type PACKET, and how many are broken, as their sum or their end says."""
    header = int(content[2]) + 256 * int(content[3]) + 4
    content = content[header:]
    found = content[: len(content) // 512 * 512].view(PACKET)
    sums = found.view("<u2").reshape(len(found), 256).sum(axis=1, dtype=np.uint16)
    is_data = found["head"] == 0x5841
    broken = np.count_nonzero(is_data & (sums != 0)) + (len(content) % 512 > 0)
    return found[is_data & (sums == 0) & (found["count"] > 0)], broken


def rate(packet: np.void) -> float:
    """Return how many values a second the device was set to."""
    return 3200 / 2.0 ** (15 - (int(packet["rate"]) & 15))


def stamps(found: np.ndarray) -> np.ndarray:
    """Return the time stamp of each packet, in s since 1970."""
    stamp = found["stamp"].astype(np.int64)
    months = ((stamp >> 26) + 30) * 12 + ((stamp >> 22) & 15) - 1  # since 1970
    days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + ((stamp >> 17) & 31) - 1
    seconds = ((days * 24 + ((stamp >> 12) & 31)) * 60 + ((stamp >> 6) & 63)) * 60 + (stamp & 63)
    return seconds + _fractions(found)


def stamped(found: np.ndarray) -> np.ndarray:
    """Return which value, of all in packets that follow each other, was measured at the stamp of each packet, counted from 0.

    It may be one of a later packet. With a fraction of a second the writer has moved the place by so many values, for programs that do not know of fractions.
    """
    counts = found["count"].astype(int)
    return np.cumsum(counts) - counts + found["place"] + np.floor(_fractions(found) * int(rate(found[0]))).astype(int)


def values(packet: np.void) -> np.ndarray:
    """Return the values of a packet: [count, 3], acceleration in g; or [count, 6], in degrees a second the rotation before it."""
    axes, width, count = int(packet["axes"]) >> 4, int(packet["axes"]) & 15, int(packet["count"])
    gravity = 2.0 ** -(8 + (int(packet["light"]) >> 13))  # g a step
    rotation = 8000 / 2.0 ** ((int(packet["light"]) >> 10 & 7) or 2) / 32768  # degrees a second a step
    if width == 0:
        return _unpacked(np.frombuffer(packet["data"].tobytes(), "<u4")[:count]) * gravity
    table = np.frombuffer(packet["data"].tobytes(), "<i2")[: axes * count].reshape(count, axes)[:, :6]
    return table * ([rotation] * (table.shape[1] - 3) + [gravity] * 3)


def _unpacked(words: np.ndarray) -> np.ndarray:
    """Return three signed numbers of 10 bits in each word of 32, times a power of two, whose exponent is in the highest bits."""
    parts = (words[:, None] >> np.array([0, 10, 20], np.uint32)).astype(np.int64) & 1023
    return ((parts ^ 512) - 512) * 2.0 ** (words[:, None] >> 30)


def _fractions(found: np.ndarray) -> np.ndarray:
    return np.where(found["fraction"] >= 0x8000, found["fraction"] & 0x7FFF, 0) / 32768
