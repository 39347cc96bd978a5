"""FieldTrip's struct of trials, in a MATLAB file."""

from __future__ import annotations

from typing import Any

import numpy as np

from .recording import Recording


def is_one(value: Any) -> bool:
    """Return whether a value of a MATLAB file is such a struct."""
    return isinstance(value, dict) and {"label", "trial", "time"} <= set(value)


def recordings(data: dict[str, Any]) -> list[Recording]:
    """Return its trials, [sensors, timepoints] in each cell, with the first column of trialinfo as their class."""
    is_cells = isinstance(data["trial"], list) or data["trial"].dtype == object
    trials = data["trial"] if is_cells else [data["trial"]]
    times = data["time"] if np.ndim(data["time"][0]) else [data["time"]]
    names = [str(one) for one in np.ravel(data["label"])]
    info, several = np.asarray(data.get("trialinfo", [])), len(trials) > 1
    made = []
    for at, (trial, clock) in enumerate(zip(trials, times)):
        recording = Recording(f"trial {at}" if several else "", [])
        recording.add_columns(names, np.ravel(clock).astype(float), np.atleast_2d(trial).astype(float).T)
        if several and len(info) == len(trials) and info.dtype.kind in "fiu":
            recording.label = f"{np.ravel(info[at])[0]:g}"
        made.append(recording)
    return made
