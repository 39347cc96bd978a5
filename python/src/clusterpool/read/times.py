"""What readers share of times."""

from __future__ import annotations

from typing import Any

import numpy as np

SECONDS = {"d": 86400.0, "day": 86400.0, "days": 86400.0, "h": 3600.0, "hour": 3600.0, "hours": 3600.0}
SECONDS |= {"min": 60.0, "minute": 60.0, "minutes": 60.0, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0}
SECONDS |= {"secs": 1.0, "ms": 1e-3, "msec": 1e-3, "millis": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3}
SECONDS |= {"us": 1e-6, "µs": 1e-6, "usec": 1e-6, "micros": 1e-6, "microseconds": 1e-6, "ns": 1e-9, "nanoseconds": 1e-9}


def spread(count: int, seconds: float) -> np.ndarray:
    """Return the times of so many values that were measured evenly over some seconds, from 0 on."""
    return np.arange(count) * (seconds / max(1, count))


def since(times: Any, first: Any, unit: str = "s") -> Any:
    """Return times in s since the first of them: dates, durations, or numbers in a unit, by its name."""
    kind = np.asarray(times).dtype.kind
    if kind == "O":  # dates of other calendars, such as years of 365 days
        return np.array([one.total_seconds() for one in times - first])
    if kind in "mM":
        return (times - first) / np.timedelta64(1, "s")
    return (times - first) * SECONDS.get(unit, 1.0)


def lines_between_pauses(times: np.ndarray, pause: float) -> np.ndarray:
    """Return times that jitter as even ones between two pauses, which are longer than ``pause`` s: lines by least squares."""
    lines = []
    for piece in np.split(times, np.flatnonzero(np.diff(times) > pause) + 1):
        places = np.arange(len(piece)) - (len(piece) - 1) / 2
        slope = (places * (piece - piece.mean())).sum() / max((places**2).sum(), 1)
        lines.append(piece.mean() + places * slope)
    return np.maximum.accumulate(np.concatenate(lines))


def step_of(times: np.ndarray) -> float:
    """Return the usual time from one time point to the next, in s; ∞ of a single one."""
    return float(np.median(np.diff(times))) if len(times) > 1 else np.inf
