"""ActiGraph (.gt3x), by pygt3x."""

from __future__ import annotations

import pathlib

import numpy as np
import pygt3x.reader

from .recording import Recording, Unusable


def read(path: pathlib.Path) -> list[Recording]:
    """Read acceleration in g; while the device slept, the values are missing.

    pygt3x repeats the last value over the whole of a sleep. A second without a packet is a pause.
    """
    with pygt3x.reader.FileReader(str(path)) as file:
        if not len(file.acceleration):
            raise Unusable("there is no acceleration")
        times, values, slept = file.acceleration[:, 0], file.acceleration[:, 1:4], file.acceleration[:, 4] == 1
        values = values if file.nhanes else file.calibrate_acceleration(values)
    order = np.argsort(times, kind="stable")
    values = np.where(slept[:, None], np.nan, values)[order]
    recording = Recording("", [])
    recording.add_columns(["acc.x", "acc.y", "acc.z"], times[order] - times[order[0]], values, "g")
    if slept.any():
        recording.notes.append(f"{np.count_nonzero(slept)} values are missing, as the device slept")
    return [recording]
