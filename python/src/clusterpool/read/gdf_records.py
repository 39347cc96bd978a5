"""What MNE does not give of a GDF file: the numbers of its signals, each of its own type and rate, and its events' rate."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<i8", 8: "<u8", 16: "<f4", 17: "<f8"}


def signals(path: pathlib.Path, header: dict[str, Any]) -> list[np.ndarray]:
    """Return the numbers of each signal as the file has them, record after record."""
    count = header["nchan"]
    types = [TYPES[one] for one in np.fromfile(path, "<u4", count, offset=256 + 220 * count)]
    record = np.dtype([(str(at), one, (samples,)) for at, (one, samples) in enumerate(zip(types, header["n_samps"]))])
    records = np.fromfile(path, record, header["n_records"], offset=header["data_offset"])
    return [records[name].ravel() for name in record.names]


def physical(digital: np.ndarray, header: dict[str, Any], at: int) -> np.ndarray:
    """Return the values of signal ``at`` in its unit."""
    least, most = header["digital_min"][at], header["digital_max"][at]
    range_of = header["physical_max"][at] - header["physical_min"][at]
    return header["physical_min"][at] + (digital - least) * (range_of / (most - least) if most != least else 1.0)


def fillings(digital: list[np.ndarray], lowest: np.ndarray) -> np.ndarray | None:
    """Return where all signals have their lowest value at once, with which writers fill pauses, such as those between runs."""
    if len(digital) < 2 or len({len(one) for one in digital}) > 1:
        return None
    found = np.all([one == least for one, least in zip(digital, lowest)], axis=0)
    return None if found.all() else found


def event_rate(path: pathlib.Path, header: dict[str, Any]) -> float:
    """Return the steps a second in which the table of events counts; MNE keeps those of GDF 2 alone."""
    if "event_sfreq" in header:
        return float(header["event_sfreq"])
    table = header["data_offset"] + header["n_records"] * int(header["bytes_tot"])
    return float(int.from_bytes(np.fromfile(path, np.uint8, 3, offset=table + 1).tobytes(), "little"))
