"""MATLAB 5 to 7 by scipy, 7.3 by h5py."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import scipy.io

from . import arrays, fieldtrip, mat73
from .names import LABELS, RATES
from .recording import Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read the arrays of a file: fs, rate or srate says the rate, time_ms or the like the times, and label or class the class.

    Whole numbers become doubles, as scipy gives them in the size in which MATLAB packed them, and differences would wrap round.
    """
    content = mat73.load(path) if mat73.is_one(path) else scipy.io.loadmat(path, simplify_cells=True)
    trials = next((one for one in [content, *content.values()] if fieldtrip.is_one(one)), None)
    if trials is not None:
        return fieldtrip.recordings(trials)
    numbers, rate, label = {}, ("", 0.0), None
    for name, value in _flat(content).items():
        key, value = name.split(".")[-1].lower(), np.squeeze(np.asarray(value))
        is_number = value.dtype.kind in "fiub"
        value = value.astype(float) if is_number else value
        if key in RATES and value.size == 1 and is_number:
            rate = name, float(value)
        elif key in LABELS and value.ndim == 0 and value.dtype.kind == "U":
            label = str(value).strip()
        elif value.ndim and value.size > 1:
            numbers[name] = value
    recordings = arrays.recordings(numbers, *rate)
    recordings[0].label = recordings[0].label or label
    return recordings


def _flat(fields: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return the fields of structs beside each other, as STRUCT.FIELD."""
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{name}.")
        elif not name.startswith("__") and name != "None":
            flat[before + name] = value
    return flat
