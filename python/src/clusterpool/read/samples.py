"""The samples that recordings are taken as, or cut into."""

from __future__ import annotations

import collections
import dataclasses
import re
from collections.abc import Callable

import numpy as np

from .classes import check_lost, class_of, events_of, source_of
from .collect import Choices, Read
from .recording import Event
from .texts import some
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
        self._name_empty(source, say)
        if source != "none":
            self._test_ends(say)

    def _name_empty(self, source: str, say: Callable[[str], None]) -> None:
        """Name the recordings of which no sample is."""
        given = {id(one.read) for one in self.all}
        empty = [one for one in self.recordings if id(one) not in given]
        without = [one.name for one in empty if source == "events" and not events_of(one, self.choices)]
        others = [one.name for one in empty if one.name not in without]
        for names, why in ((without, "there is no event of a class in them"), (others, "all of their windows are left out")):
            if names:
                say(f"note: {len(names)} of {len(self.recordings)} recordings give no sample, as {why}: {some(names)}")

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

    def groups(self) -> list[str] | None:
        """Return whose each sample is: as the table or --group says, or the file where there are several, or else the stretch.

        Raises
        ------
        ValueError
            ``--group`` finds nothing in a name.
        """
        pattern, files = (
            self.choices.group,
            {one.read.path for one in self.all},
        )  # others, as without an event, are in no group
        if pattern:
            found = [re.search(pattern, one.read.name) for one in self.all]
            lost = next((one.read.name for one, match in zip(self.all, found) if match is None), None)
            if lost is not None:
                raise ValueError(f"--group {pattern} finds nothing in {lost!r}")
            return [match.group(1) if match.groups() else match.group() for match in found if match]
        if any(one.read.group for one in self.all):
            return [one.read.group or one.read.name for one in self.all]
        if len(files) == len(self.all) or len(files) == 1 and not self.choices.window:
            return None
        if len(files) > 1:
            return [one.read.file for one in self.all]
        return [f"{one.read.name} #{one.window.stretch}" for one in self.all if one.window]

    def _piece(self, one: Sample) -> object:
        """Return what a sample is of that has an end: the lasting stretch, or the samples of one class in its file."""
        event = self.stretches[one.window.stretch][1] if one.window else None
        return one.window.stretch if one.window and event and event.end > event.start else (one.read.file, one.label)

    def _test_ends(self, say: Callable[[str], None]) -> None:
        """Where each class has one group, so that none can be held out, mark the last fifth of its samples as the test.

        As in an import, the windows that are less than one apart from these are left out. Groups that the user gives are kept.
        """
        per_class = collections.defaultdict(set)
        for one, group in zip(self.all, self.groups() or []):
            per_class[one.label].add(group)
        if self.choices.group or any(one.read.group for one in self.all):
            return
        if len(per_class) < 2 or max(len(groups) for groups in per_class.values()) > 1:
            return
        pieces = collections.defaultdict(list)
        for one in self.all:
            pieces[self._piece(one)].append(one)
        kept = []
        for samples in pieces.values():
            tests = len(samples) // 5
            first = samples[-tests].window if tests else None
            for at, one in enumerate(samples):
                if at >= len(samples) - tests:
                    kept.append((one, 2))
                elif (
                    not (first and one.window)
                    or 2 * one.window.end - one.window.start <= first.start + one.read.table.typical_step / 2
                ):
                    kept.append((one, 0))
        if all(set(per_class) == {one.label for one, split in kept if split == part} for part in (0, 2)):
            self.lost["less than one before the test"] += len(self.all) - len(kept)
            self.all, self.split = [one for one, _ in kept], [split for _, split in kept]
            say(
                "note: each class has one recording or stretch, so the samples in the last fifth of each, windows a window apart, are the "
                "test: that says little about another day or person; record each class several times"
            )
        else:
            say(
                "note: each class has one recording or stretch, with too few samples for a test of its end: none can be held out "
                "for a test; record each class several times, or cut more windows"
            )
