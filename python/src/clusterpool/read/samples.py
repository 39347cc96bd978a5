"""The samples that recordings are taken as, or cut into."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Callable

import numpy as np

from .classes import check_lost, class_of, events_of, source_of
from .collect import Choices, Read
from .recording import Event
from .windows import BAD, Cutter, Window, rests


@dataclasses.dataclass
class Sample:
    """One sample to be: values [timepoints, sensors], the times of uneven ones from their begin, and whose it is."""

    name: str
    values: np.ndarray
    times: np.ndarray
    step: float
    label: str | None
    read: Read
    window: Window | None = None


class Samples:
    """The samples of recordings.

    Attributes
    ----------
    all : list of Sample
        In the order of the recordings.
    stretches : list
        The recording and the event, or the whole, that each window is cut of, by its number.
    lost : Counter
        The windows that are left out, by reason.
    split : list of int
        0 for training and 2 for test, of each sample; empty if nothing tells it.
    """

    def __init__(self, recordings: list[Read], choices: Choices, say: Callable[[str], None]) -> None:
        self.recordings, self.choices = recordings, choices
        self.all: list[Sample] = []
        self.stretches: list[tuple[Read, Event]] = []
        self.lost: collections.Counter[str] = collections.Counter()
        self.split: list[int] = []
        source = source_of(recordings, choices, say)
        cutter = Cutter(choices.window, choices.step, choices.offset) if choices.window else None
        for one in recordings:
            if cutter is None:
                times = one.table.times - one.table.times[0]
                self.all.append(Sample(one.name, one.table.values, times, one.table.step, class_of(one, source), one))
            else:
                self._cut(one, source, cutter)
        self.lost = cutter.lost if cutter else self.lost
        check_lost(recordings, {one.label for one in self.all}, self.lost, source, choices)
        if cutter and source not in ("events", "none"):
            self._test_ends(say)

    def _cut(self, one: Read, source: str, cutter: Cutter) -> None:
        """Add the windows of a recording, or of its events."""
        table = one.table
        if source == "events":
            events = events_of(one, self.choices)
            events += rests(table, one.recording.events, self.choices.rest) if self.choices.rest else []
        else:
            events = [Event(float(table.times[0]), float(table.times[-1]) + table.typical_step, class_of(one, source) or "")]
        bad = [event for event in one.recording.events if BAD.match(event.label)]
        before = len(self.stretches)
        stretches, windows = cutter.cut(table, events, bad)
        self.stretches += [(one, event) for event in stretches]
        for window in windows:
            window.stretch += before
            at = table.times[window.where]
            self.all.append(
                Sample(
                    f"{one.name} at {window.start - table.times[0]:.6g} {'s' if one.recording.timed else 'time points'}",
                    table.values[window.where],
                    at - (at[0] if table.step else window.start),
                    table.step,
                    window.label if source != "none" else None,
                    one,
                    window,
                )
            )

    def _test_ends(self, say: Callable[[str], None]) -> None:
        """Where each class has one recording, mark the windows in the last fifth of each as the test, a window apart."""
        per_class = collections.Counter(label for label, _ in {(one.label, one.read.name) for one in self.all})
        if len(per_class) < 2 or max(per_class.values()) > 1:
            return
        kept = []
        for one in self.all:
            window, times = one.window, one.read.table.times
            end = times[0] + 0.8 * (times[-1] - times[0])
            if window is not None and window.start >= end:
                kept.append((one, 2))
            elif window is not None and window.end <= end:
                kept.append((one, 0))
        if set(per_class) == {one.label for one, split in kept if split}:
            self.all, self.split = [one for one, _ in kept], [split for _, split in kept]
            say(
                "note: each class has one recording: the windows in the last fifth of each are the test, which says little of "
                "another day or person"
            )
