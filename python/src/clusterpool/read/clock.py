"""The channels of a recording on one clock."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

import numpy as np

from .recording import Channel, Recording, Unusable
from .texts import some
from .times import step_of

HOLE = 2.5  # a pause of more steps than this is a hole, in which nothing is interpolated


@dataclasses.dataclass
class Table:
    """The channels of a recording on one clock: ``values`` [timepoints, channels] at ``times`` [timepoints].

    ``step`` is the spacing in s of an even clock, which begins at ``times[0]``, and 0 where the clock is not even.
    """

    names: list[str]
    units: list[str]
    times: np.ndarray
    step: float
    values: np.ndarray

    @property
    def typical_step(self) -> float:
        """Return the spacing in s, of an uneven clock the median one; 1 of a single time point."""
        return self.step or (float(np.median(np.diff(self.times))) if len(self.times) > 1 else 1.0)

    def between(self, start: float, end: float) -> slice:
        """Return the time points from ``start`` on and before ``end``: of an even clock as many for each such length."""
        if not self.step:
            return slice(*np.searchsorted(self.times, [start, end]))
        first = int(np.ceil(round((start - self.times[0]) / self.step, 3)))
        return slice(first, first + max(1, round((end - start) / self.step)))


def even(times: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the step of times that lie on an even grid, perhaps with pauses, and the place of each on that grid.

    The step is 0 if they do not, if two share a place, or if the grid would be more than twice as long as the times are many.
    """
    nowhere = 0.0, np.zeros(0, int)
    if len(times) < 2 or (step := float(np.median(np.diff(times)))) <= 0:
        return nowhere
    ahead = np.rint(np.diff(times) / step).astype(int)  # of one to the next: the median is rounded, and drifts over many
    places = np.r_[0, np.cumsum(ahead)]
    if (ahead < 1).any() or places[-1] > 2 * len(times):
        return nowhere
    step = float((times[-1] - times[0]) / places[-1])
    if np.abs(times - times[0] - places * step).max() > step / 4:
        return nowhere
    return step, places


def on_one_clock(recording: Recording, names: Iterable[str] | None = None) -> Table:
    """Return channels of a recording at the times of the one that has most time points.

    Others are interpolated, whole numbers keep their last value, the last value lasts for a step, and both are NaN
    before the first value, behind that step and in holes. A clock that is even but for pauses has NaN there. What this makes up is added to the notes.
    """
    channels = [one for one in recording.channels if one.values.dtype.kind in "fiub"]
    if names is not None:
        by_name = {one.name: one for one in channels}
        channels = [by_name[name] for name in names if name in by_name]
    if not channels or not any(len(one.times) for one in channels):
        raise Unusable("; ".join(["there is no channel of numbers with a value", *recording.notes]))
    clock = max((one.times for one in channels), key=len)
    step, places = even(clock)
    grid = clock[0] + np.arange(places[-1] + 1) * step if step and places[-1] >= len(clock) else clock
    values = np.full((len(grid), len(channels)), np.nan, np.float64)
    others = []
    for at, one in enumerate(channels):
        if one.times is clock or np.array_equal(one.times, clock):
            values[places if step else slice(None), at] = one.values
        elif len(one.times):
            values[:, at] = _read_at(grid, one)
            if not _are_of(grid, one.times):
                others.append(f"{one.name} ({step_of(one.times):.4g} s)")
    if others:
        recording.notes.append(
            f"{some(others)}: put on the clock with most time points ({step_of(clock):.4g} s), by "
            "interpolation; whole numbers keep their last value, and so do others for a step at the end"
        )
    ends = [one.times[at] for one in channels if len(one.times) for at in (0, -1)]
    lost = max(clock[0] - min(ends), max(ends) - clock[-1]) if ends else 0
    if lost > HOLE * max(step_of(one.times) for one in channels if len(one.times)):
        recording.notes.append(f"channels begin or end up to {lost:.4g} s beyond it: what lies there is left out")
    units = [re.sub(r"^[uμ](?=[A-Z])", "µ", one.unit) for one in channels]  # uV, Greek μV and the sign µV are one unit
    return Table([one.name for one in channels], units, grid, step, values)


def _are_of(grid: np.ndarray, times: np.ndarray) -> bool:
    """Report whether times are a grid's but for gaps: nothing is interpolated then."""
    if step_of(times) > 1.5 * step_of(grid):
        return False
    near = 1e-6 * (grid[-1] - grid[0]) / max(1, len(grid) - 1)
    at = np.minimum(np.searchsorted(grid, times - near), len(grid) - 1)
    return bool((np.abs(grid[at] - times) <= near).all())


def _read_at(grid: np.ndarray, channel: Channel) -> np.ndarray:
    """Return the values of a channel at other times."""
    known = ~np.isnan(channel.values) if channel.values.dtype.kind == "f" else np.ones(len(channel.values), bool)
    times, values = channel.times[known], channel.values[known]
    if not len(times):
        return np.full(len(grid), np.nan)
    near = 1e-6 * (grid[-1] - grid[0]) / max(1, len(grid) - 1)  # times that differ by less are the same
    before = np.searchsorted(times, grid + near, "right") - 1  # the last value up to each time
    after = np.minimum(before + 1, len(times) - 1)
    step = step_of(times) if len(times) > 1 else 0.0
    inside = (before >= 0) & (grid <= times[-1] + near) & (times[after] - times[before] <= HOLE * step)
    exact = (before >= 0) & (np.abs(times[before] - grid) <= near)
    if channel.values.dtype.kind == "f":
        result = np.interp(grid, times, values)
    else:
        result = values[before].astype(np.float64)
    inside |= (before == len(times) - 1) & (grid - times[-1] < step - near)  # the last value lasts for a step
    return np.where(inside | exact, result, np.nan)
