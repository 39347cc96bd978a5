"""Times that are told by their name alone, as in arrays of MATLAB, and the unit in which they count."""

from __future__ import annotations

import re

import numpy as np

from .recording import Unusable
from .times import SECONDS, since

NAME = re.compile(
    r"(?:(?:elapsed|local|utc)[ _.]?)?(?:date[ _.]?)?(?:times?(?:[ _.]?(?:stamps?|vec(?:tor)?|axis))?|t[ _.]?vec|ts?)"
    r"(?:[ _.]+(?:in[ _.])?(?P<after>{0})|[ _.]*[\[(](?P<inside>{0})[\])])?".format("|".join(SECONDS)),
    re.IGNORECASE,
)
TEMPERATURE = re.compile(r"ts?([ _.](s|h|min))?", re.IGNORECASE)  # or a time: it tells by rising
SINCE_1970 = {"s": 1e9, "ms": 1e12, "us": 1e15, "ns": 1e18}  # numbers from which on they are such of 2001 and later
UNITS = ("s", "ms", "us", "ns", "min", "h", "d")


def unit_said(name: str) -> str | None:
    """Return the unit that a name of times says, "" where it says none, or None for a name of something else."""
    found = NAME.fullmatch(name.strip())
    return (found["after"] or found["inside"] or "").lower() if found else None


def is_clock(name: str, values: np.ndarray) -> bool:
    """Return whether an array holds times: its name says so, and they do not fall; what is called t may be a temperature."""
    if unit_said(name) is None or values.ndim != 1 or values.dtype.kind not in "fiu" or len(values) < 2:
        return False
    falls = np.flatnonzero(~(values[1:] >= values[:-1]))
    if len(falls) and not TEMPERATURE.fullmatch(name):
        at = falls[0] + 1
        raise Unusable(
            f"{name} does not rise, from {values[at - 1]:g} to {values[at]:g} at time point {at + 1}: cut the recording there, or "
            "put it in order"
        )
    return not len(falls) and values[-1] > values[0]


def in_seconds(name: str, times: np.ndarray, unit: str = "", rate: float = 0.0, rate_name: str = "") -> np.ndarray:
    """Return times in s from the first one on: dates, or numbers in a unit, or in the one that their name or the rate tells."""
    if times.dtype.kind not in "fiu":
        return since(times, times[0])
    unit = unit.lower() if unit.lower() in SECONDS else unit_said(name) or ""
    if rate > 0:
        return since(times, times[0]) * _factor(name, times, unit, rate, rate_name)
    of_1970 = next((one for one, least in SINCE_1970.items() if least <= times[0] < 4 * least), "s")
    return since(times, times[0], unit or of_1970)


def _factor(name: str, times: np.ndarray, unit: str, rate: float, rate_name: str) -> float:
    """Return the unit of times in s in which they agree with a rate; times that are 1 apart may count time points."""
    steps = np.diff(times)
    mean = (times[-1] - times[0]) / len(steps)  # of rounded times the better one; with pauses the median is
    factors = [SECONDS[one] for one in ([unit] if unit else UNITS)] + [1 / rate] * bool((steps == 1).all() and not unit)
    for factor in factors:
        if any(abs(step * factor * rate - 1) < 0.05 for step in (np.median(steps), mean)):
            return factor
    raise Unusable(
        f"{rate_name} says {rate:g} Hz, and {name} has {1 / (mean * SECONDS[unit or 's']):g} Hz, if it is in {unit or 's'}: "
        "correct one of them, or leave it out of the file"
    )
