"""What a recorder's file holds, in one form for all formats."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable

import numpy as np

from .texts import some, text_of
from .times import step_of


class Unusable(ValueError):
    """A file that its library reads holds no recordings."""


@dataclasses.dataclass
class Channel:
    """One measured quantity.

    Attributes
    ----------
    name, unit : str
        As the file has them; the unit is "" where the file has none.
    times : array [timepoints]
        When each value was measured, in s, not falling, from an origin that the channels and events of a recording share.
        Channels that were read at the same times should hold the same array.
    values : array [timepoints]
        Numbers, NaN where one is missing; or texts, for the names of states.
    """

    name: str
    times: np.ndarray
    values: np.ndarray
    unit: str = ""


@dataclasses.dataclass
class Event:
    """A stretch from ``start`` to ``end``, in s, or a moment where both are equal, and its name."""

    start: float
    end: float
    label: str


@dataclasses.dataclass
class Recording:
    """What was recorded in one go.

    Attributes
    ----------
    name : str
        "" if it is all that its file holds, otherwise what tells it from the others.
    channels, events : list
        In the order of the file.
    label : str or None
        The class of the whole, if the file says one.
    timed : bool
        Whether the times are those of a clock. Otherwise the file has none, and ``times`` counts time points.
    notes : list of str
        What was made up, changed or left out.
    positions : dict
        [3] in m by the names of channels, if all have one.
    """

    name: str
    channels: list[Channel]
    events: list[Event] = dataclasses.field(default_factory=list)
    label: str | None = None
    timed: bool = True
    notes: list[str] = dataclasses.field(default_factory=list)
    positions: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)

    def add(self, name: str, times: np.ndarray, values: np.ndarray, unit: str | None = "", lost: np.ndarray | None = None) -> None:
        """Append a channel, which keeps the array of times of an earlier one that was measured at the same times.

        Values are missing where ``lost`` [timepoints] is true: NaN for numbers, "" for texts. Without a name it is counted.
        """
        if lost is not None and lost.any():
            values = np.where(lost, np.nan if values.dtype.kind in "fiub" else values.dtype.type(), values)
        times = next((one.times for one in self.channels if _equal(one.times, times)), times)
        name = (name or "").strip() or f"channel {len(self.channels)}"  # as SAC files without a code have it
        self.channels.append(Channel(name, times, values, unit or ""))  # libraries have None for what is not known

    def add_columns(
        self, names: Iterable[str], times: np.ndarray, table: np.ndarray, units: Iterable[str] | str = ""
    ) -> None:
        """Append each column of a table [timepoints, channels] as a channel; one unit stands for all."""
        units = itertools.repeat(units) if isinstance(units, str) else units
        for name, unit, column in zip(names, units, table.T):
            self.add(name, times, column, unit)

    def add_ahead(
        self, names: Iterable[str], times: np.ndarray, table: np.ndarray, step: float, units: Iterable[str] | str = ""
    ) -> None:
        """Append columns as add_columns does, but leave out, with a note, what lies at a time that had a value.

        These are values whose times, in the order of the file, are not behind all times before by half a ``step`` at the least.
        """
        names, before = list(names), np.r_[-np.inf, np.maximum.accumulate(times)[:-1]]
        twice = times <= before + step / 2
        if twice.any():
            also = f"{some(names)}: {np.count_nonzero(twice)} values come at times that had one; the first ones count"
            self.notes.append(also)
        self.add_columns(names, times[~twice], table[~twice], units)

    def mark(self, start: float, end: float, label: str) -> None:
        """Append an event, unless it has no name."""
        if label:
            self.events.append(Event(float(start), float(end), label))

    def end(self, label: str, time: float) -> bool:
        """Let the latest moment of a name last until a time; report whether there is one."""
        begun = next((one for one in reversed(self.events) if one.label == label and one.end == one.start), None)
        if begun is not None:
            begun.end = float(time)
        return begun is not None

    def leave_out(self, name: str, why: str) -> None:
        """Note that something in the file is not read."""
        self.notes.append(f"{name} is left out: {why}")


def _equal(times: np.ndarray, others: np.ndarray) -> bool:
    """Compare clocks; most that differ do so in their length or their last time."""
    return len(times) == len(others) and (not len(times) or times[-1] == others[-1]) and np.array_equal(times, others)


def stretches(channel: Channel) -> list[Event]:
    """Return the stretches in which a channel of states keeps its value; one without a value is no stretch."""
    values = np.array([_state(value) for value in channel.values], dtype=object)
    starts = np.flatnonzero(np.r_[True, values[1:] != values[:-1]]) if len(values) else []
    step = step_of(channel.times)
    last = channel.times[-1:] + (step if np.isfinite(step) else 0)
    ends = [*(channel.times[at] for at in starts[1:]), *last]
    return [Event(float(channel.times[at]), float(end), values[at]) for at, end in zip(starts, ends) if values[at]]


def _state(value: object) -> str:
    """Name a state: 2.0 is "2", NaN and blanks are ""."""
    if isinstance(value, (float, np.floating)):
        return "" if np.isnan(value) else f"{value:g}"
    return text_of(value)
