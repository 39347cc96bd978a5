"""Recordings as tables along time: one of values, and one of events, as ccp watch, ccp eval --labels and --ahead take them."""

from __future__ import annotations

import collections
import csv
import pathlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from .classes import check_named, events_of
from .collect import Choices, Read
from .dataset import common_sensors
from .whole import whole
from .recording import Event
from .texts import counted, some
from .windows import BAD, joined


def write_tables(
    out: pathlib.Path,
    recordings: list[Read],
    choices: Choices,
    say: Callable[[str], None],
) -> None:
    """Write a table with a line for each time point, and events_file of it with a line for each event, if there are events.

    Times are in s from the begin of each recording. Of several, both tables have a column sample with their names.

    Raises
    ------
    ValueError
        A recording has no times, events lie inside of each other, or an event of --events is not there.
    """
    untimed = next((one.path for one in recordings if not one.recording.timed), None)
    if untimed:
        raise ValueError(f"{untimed} has neither a rate nor times, and events need them: say its rate (--rate)")
    check_named(recordings, choices)
    sensors = common_sensors(recordings, say)
    events = [] if choices.label in ("none", "folder") else [(one, _apart(one, choices)) for one in recordings]
    several = ["sample"] * (len(recordings) > 1)
    with whole(out, "w") as file:
        writer = csv.writer(file)
        writer.writerow([*several, "time", *sensors])
        for one in recordings:
            writer.writerows([*[one.name] * len(several), *line] for line in _lines(one, sensors))
    points = sum(len(one.table.times) for one in recordings)
    say(f"{out}: {points:,} time points of {len(sensors)} sensors: {some(sensors, 10)}")
    counts = collections.Counter(event.label for _, found in events for event in found)
    if not counts:
        say(f"note: there is no event of a class, so that {events_file(out)} is not written")
        say(f"try: ccp watch --checkpoint runs/NAME {out}")
        return
    with whole(events_file(out), "w") as file:
        writer = csv.writer(file)
        writer.writerow([*several, "start", "end", "label"])
        for one, found in events:
            writer.writerows([*[one.name] * len(several), *_span(one, event), event.label] for event in found)
    say(f"{events_file(out)}: {sum(counts.values())} events: {counted(counts, 20)}")
    say(f"try: ccp eval --checkpoint runs/NAME --data {out} --labels {events_file(out)}")


def events_file(out: pathlib.Path) -> pathlib.Path:
    """Return the file of the events of a table."""
    return out.with_name(f"{out.stem}-events.csv")


def _lines(one: Read, sensors: list[str]) -> Iterator[list]:
    """Yield the time and the values of each time point; a missing value is an empty cell."""
    times = _from_begin(one, one.table.times)
    places = [one.table.names.index(name) for name in sensors]
    for time, values in zip(times, one.table.values[:, places]):
        yield [
            time,
            *("" if lost else value for value, lost in zip(values.tolist(), np.isnan(values))),
        ]


def _span(one: Read, event: Event) -> list[float]:
    return _from_begin(one, np.array([event.start, event.end]))


def _from_begin(one: Read, times: np.ndarray) -> list[float]:
    """Return times in s from the first time point, to the ns, as sums of steps are off by less."""
    return np.round(times - one.table.times[0], 9).tolist()


def _apart(one: Read, choices: Choices) -> list[Event]:
    """Return the events of a recording that are classes, in order, without what bad ones cover.

    Raises
    ------
    ValueError
        One begins before another one has ended: what lies in both would be of two classes.
    """
    table = one.table
    begin, end = float(table.times[0]), float(table.times[-1]) + table.typical_step
    bad = [event for event in one.recording.events if BAD.match(event.label) and event.end > event.start]
    events = []
    for event in joined(events_of(one, choices), table.typical_step):
        if event.start < end and event.end >= begin:
            events += _without(Event(max(event.start, begin), min(event.end, end), event.label), bad)
    last: Event | None = None
    for event in events:
        if last and event.start < last.end - table.typical_step / 2:
            others = sorted({name for one in events if (name := one.label) != event.label})
            raise ValueError(
                f"{one.path}: {event.label!r} begins at {event.start - begin:.6g} s, before {last.label!r}, from "
                f"{last.start - begin:.6g} s on, has ended: --events takes some of the events alone"
                + (f", such as --events {','.join(others)}" if others else "")
            )
        last = event
    return events


def _without(event: Event, bad: Sequence[Event]) -> list[Event]:
    """Return the parts of an event that no bad one covers."""
    parts = [event]
    for other in bad:
        parts = [
            Event(start, end, part.label)
            for part in parts
            for start, end in (
                (part.start, min(part.end, other.start)),
                (max(part.start, other.end), part.end),
            )
            if end > start or (part.start == part.end == start == end)
        ]
    return parts
