"""Which stretches of a recording become samples, and of which class they are."""

from __future__ import annotations

import argparse
import collections
import dataclasses
import re
from collections.abc import Sequence

import numpy as np

from .clock import Table
from .recording import Event

BAD = re.compile(r"^(bad|edge)\b|^bad", re.IGNORECASE)  # as MNE calls what is not to be used


@dataclasses.dataclass(frozen=True)
class Length:
    """A length of time: seconds, or time points of each recording."""

    amount: float
    in_seconds: bool

    def __str__(self) -> str:
        return f"{self.amount:g}{'s' * self.in_seconds}"

    def seconds(self, step: float) -> float:
        """Return it in s, where time points are ``step`` s apart."""
        return self.amount if self.in_seconds else self.amount * step


def parse_length(text: str) -> Length:
    """Read 2s, 500ms, 1m30s, -0.2s or 100, which are time points."""
    text = text.strip()
    if re.fullmatch(r"-?\d+", text):
        return Length(int(text), False)
    units = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 1e-3}
    parts = re.findall(r"(\d+(?:\.\d*)?|\.\d+)(ms|h|m|s)", text)
    if not parts or "".join(number + unit for number, unit in parts) != text.lstrip("-"):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no duration: write 2s, 500ms, 1m30s, or a whole number of time points"
        )
    return Length((-1 if text.startswith("-") else 1) * sum(float(number) * units[unit] for number, unit in parts), True)


def parse_positive(text: str) -> Length:
    """Read a length as parse_length does, of more than nothing."""
    length = parse_length(text)
    if not length.amount > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not more than 0")
    return length


@dataclasses.dataclass
class Window:
    """A sample to be: the time points ``where`` of a table, from ``start`` to ``end`` in s, its class, and its stretch's number."""

    where: slice
    start: float
    end: float
    label: str
    stretch: int


class _Spans:
    """Where events are; they touch a window if they are in it by more than ``slack``, half a time point."""

    def __init__(self, events: Sequence[Event], slack: float) -> None:
        self.starts, self.ends = np.array([one.start for one in events]), np.array([one.end for one in events])
        self.labels, self.slack = np.array([one.label for one in events], dtype=object), slack

    def touch(self, start: float, stop: float, but: str | None = None) -> bool:
        inside = (self.starts < stop - self.slack) & (self.ends > start + self.slack)
        return bool((inside & (self.labels != but)).any())


class Cutter:
    """Cuts windows of one length; ``lost`` counts the windows that it leaves out, by reason."""

    def __init__(self, window: Length, step: Length | None = None, offset: Length | None = None) -> None:
        self.window, self.step, self.offset = window, step or window, offset or Length(0, True)
        self.lost: collections.Counter[str] = collections.Counter()

    def cut(self, table: Table, events: Sequence[Event], bad: Sequence[Event] = ()) -> tuple[list[Event], list[Window]]:
        """Return the stretches, and the windows inside of lasting ones and the one that begins ``offset`` after each moment.

        A window that a bad event touches, that has a part of two classes, goes beyond the recording, or of which more than half is
        missing, is left out and counted.
        """
        begin, end, slack = float(table.times[0]), float(table.times[-1]) + table.typical_step, table.typical_step / 2
        length, every = self.window.seconds(table.typical_step), self.step.seconds(table.typical_step)
        stretches, windows = joined(events, table.typical_step), []
        spans, avoid = _Spans(stretches, slack), _Spans(bad, slack)
        for number, event in enumerate(stretches):
            starts = [event.start + self.offset.seconds(table.typical_step)]
            if event.end > event.start:
                event.start, event.end = max(event.start, begin), min(event.end, end)
                starts = np.arange(event.start, event.end - length + slack, every).tolist()
                self.lost["of stretches shorter than a window"] += not starts
            for start in starts:
                window = Window(table.between(start, start + length), start, start + length, event.label, number)
                if start < begin - slack or window.end > end + slack or window.where.stop > len(table.times):
                    self.lost["beyond the recording"] += 1
                elif avoid.touch(start, window.end):
                    self.lost["marked as bad"] += 1
                elif spans.touch(start, window.end, but=event.label):
                    self.lost["with a part of two classes"] += 1
                elif window.where.stop - window.where.start < 1 or np.isnan(table.values[window.where]).mean() > 0.5:
                    self.lost["of which more than half is missing"] += 1
                else:
                    windows.append(window)
        return stretches, windows


def rests(table: Table, events: Sequence[Event], name: str) -> list[Event]:
    """Return what no lasting event covers, as stretches of that name."""
    at, end, result = float(table.times[0]), float(table.times[-1]) + table.typical_step, []
    for event in sorted((one for one in events if one.end > one.start), key=lambda one: one.start):
        if event.start - at > table.typical_step / 2:
            result.append(Event(at, event.start, name))
        at = max(at, event.end)
    return result + ([Event(at, end, name)] if end - at > table.typical_step / 2 else [])


def joined(events: Sequence[Event], step: float) -> list[Event]:
    """Return events in their order in time, with lasting ones of one name that follow each other as one."""
    result: list[Event] = []
    latest: dict[str, Event] = {}
    for event in sorted(events, key=lambda one: (one.start, one.end)):
        before = latest.get(event.label)
        if before and event.end > event.start and before.end > before.start and event.start - before.end <= 1.5 * step:
            before.end = max(before.end, event.end)
        else:
            result.append(dataclasses.replace(event))
            latest[event.label] = result[-1]
    return result


def until_next(events: Sequence[Event]) -> list[Event]:
    """Return moments as stretches that last until the next event; the last one lasts to the end."""
    ordered = sorted((dataclasses.replace(one) for one in events), key=lambda one: one.start)
    for one, following in zip(ordered, [*ordered[1:], None]):
        if one.end == one.start:
            one.end = following.start if following else np.inf
    return ordered
