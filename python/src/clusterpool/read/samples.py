"""Recordings, and what the user says of their classes, as the arrays of a data set."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import re
from collections.abc import Callable

import numpy as np

from . import formats
from .describe import line_of
from .labels import lines_of
from .recording import Event, Recording, Table, on_one_clock, stretches
from .texts import counted, some
from .windows import BAD, Cutter, Length, Window, rests, until_next

SHOWN = 3  # recordings of a file of many, such as epochs, that are told of


@dataclasses.dataclass
class Choices:
    """What the command line chooses; its help says what each is."""

    window: Length | None = None
    step: Length | None = None
    offset: Length | None = None
    label: str | None = None
    labels: pathlib.Path | None = None
    events: list[str] | None = None
    until_next: bool = False
    group: str | None = None
    take: list[str] | None = None
    leave: list[str] = dataclasses.field(default_factory=list)
    rate: float | None = None
    rest: str | None = None


@dataclasses.dataclass
class Read:
    """A recording on one clock, with what is known of it."""

    name: str
    path: pathlib.Path
    recording: Recording
    table: Table
    file: str = ""
    group: str | None = None


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


class Collection:
    """The recordings of some files, and the samples made of them. ``say`` gets each line for the user as it comes."""

    def __init__(self, choices: Choices, say: Callable[[str], None] = print) -> None:
        self.choices, self.say = choices, say
        self.recordings: list[Read] = []
        self.samples: list[Sample] = []
        self.lost: collections.Counter[str] = collections.Counter()
        self.stretches: list[tuple[Read, Event]] = []
        self.split: list[int] = []

    def read(self, paths: list[pathlib.Path]) -> None:
        """Read files, and take or cut their recordings as samples."""
        lines = lines_of(self.choices.labels) if self.choices.labels else []
        stems = collections.Counter(path.stem for path in paths)
        notes: dict[str, list[str]] = {}
        for path in paths:
            before = f"{path.parent.name}/" * (stems[path.stem] > 1)
            name, found = before + path.stem, formats.read(path)
            for at, recording in enumerate(found):
                self.recordings.append(self._on_clock(f"{name} {recording.name}".rstrip(), path, recording))
                self.recordings[-1].file = name
                self._look_up(self.recordings[-1], lines)
                if at < SHOWN:
                    self.say(line_of(self.recordings[-1]))
                for note in recording.notes:
                    notes.setdefault(note, []).append(name)
            if len(found) > SHOWN:
                self.say(f"{name}: and {len(found) - SHOWN} more recordings in this file")
        for note, names in notes.items():
            names = list(dict.fromkeys(names))
            self.say(f"note: {names[0]}{f' and {len(names) - 1} more' if len(names) > 1 else ''}: {note}")
        unused = [line["file"] for line in lines if not line["used"]]
        if unused:
            self.say(
                f"note: {self.choices.labels} has lines for {len(unused)} files that are not given, such as {unused[0]}"
            )
        if len({one.recording.timed for one in self.recordings}) > 1:
            untimed = next(one.path for one in self.recordings if not one.recording.timed)
            raise ValueError(f"{untimed} has no rate and no times, and other files have: give it alone, with --rate")
        source = self._source()
        cutter = Cutter(self.choices.window, self.choices.step, self.choices.offset) if self.choices.window else None
        for one in self.recordings:
            self._sample(one, source, cutter)
        self.lost = cutter.lost if cutter else self.lost
        self._look_for_lost_classes(source)
        if cutter and source not in ("events", "none"):
            self._test_ends()

    def _on_clock(self, name: str, path: pathlib.Path, recording: Recording) -> Read:
        """Return the sensors of a recording that are wanted on one clock; a channel of states becomes its events."""
        choices = self.choices
        if choices.rate:
            if recording.timed:
                raise ValueError(f"{path} has times of its own: leave --rate out")
            for one in recording.channels:
                one.times = one.times / choices.rate
            recording.timed = True
        states = [one for one in recording.channels if one.name == choices.label]
        if states:
            recording.events = [event for one in states for event in stretches(one)]
        names = [one.name for one in recording.channels if one not in states]
        taken = _named(choices.take, names, path) if choices.take else names
        left = _named(choices.leave, names, path)
        texts = [one.name for one in recording.channels if one.name in taken and one.values.dtype.kind not in "fiub"]
        if texts:
            recording.notes.append(f"{some(texts)}: texts, left out; --label makes the stretches of one text the classes")
        try:
            table = on_one_clock(recording, [one for one in taken if one not in left])
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from error
        return Read(name, path, recording, table)

    def _look_up(self, one: Read, lines: list[dict]) -> None:
        """Take what the table of labels says of a recording: its class and group, or stretches of it."""
        names = {"", str(one.path), one.path.as_posix(), one.path.name, one.path.stem, one.name}
        found = [line for line in lines if line["file"] in names]
        if lines and not found:
            raise ValueError(f"{self.choices.labels} has no line for {one.path}: add one, such as {one.path.name},CLASS")
        for line in found:
            line["used"] = True
            one.group = line["group"] or one.group
            if line["start"]:
                begin = float(one.table.times[0])
                one.recording.events.append(Event(begin + float(line["start"]), begin + float(line["end"]), line["label"]))
            else:
                one.recording.label = line["label"]

    def _source(self) -> str:
        """Decide where classes come from: the file (or the table of labels), events, folder or none."""
        choices, all_of = self.choices, [one.recording for one in self.recordings]
        if choices.label in ("events", "folder", "none"):
            source = choices.label
        elif choices.label:
            if not any(one.name == choices.label for recording in all_of for one in recording.channels):
                raise ValueError(
                    f"no file has a channel {choices.label!r} for --label; {self.recordings[0].path} has "
                    f"{some([one.name for one in all_of[0].channels], 20)}; or say events, folder or none"
                )
            source = "events"
        elif all(one.label is not None for one in all_of):
            return "file"
        else:
            folders = {one.path.parent.name for one in self.recordings}
            marked = [one for one in all_of if any(not BAD.match(event.label) for event in one.events)]
            source = (
                "events" if marked and (choices.window or len(folders) < 2) else "folder" if len(folders) > 1 else "nothing"
            )
            if source == "events" and len(folders) > 1 and len(marked) == len(all_of):
                self.say("note: the events are the classes; --label folder takes the folders' names")
        if source == "events" and not choices.window:
            events = collections.Counter(event.label for one in all_of for event in one.events)
            raise ValueError(
                f"the classes would be the events ({counted(events)}): cut them out with --window, such as --window 2s; or give "
                "--label folder, --label none or --labels"
            )
        unknown = [
            name for name in choices.events or [] if not any(event.label == name for one in all_of for event in one.events)
        ]
        if unknown:
            events = collections.Counter(event.label for one in all_of for event in one.events)
            raise ValueError(f"no event is called {unknown[0]!r}; there are {counted(events, 20) or 'none'}")
        if source == "nothing":
            raise ValueError(
                "nothing tells the classes: put the files into a folder for each class, give a table of them (--labels), or if the "
                "files are to be predicted, --label none"
            )
        return source

    def _look_for_lost_classes(self, source: str) -> None:
        """Refuse to lose a class because none of its windows can be used."""
        kept = {one.label for one in self.samples}
        if source == "events":
            wanted = {event.label for one in self.recordings for event in self._chosen(one)} - {""}
        else:
            wanted = {
                one.recording.label if source == "file" else one.path.parent.name if source == "folder" else None
                for one in self.recordings
            }
        lost = sorted(str(label) for label in wanted - kept)
        if lost or not kept:
            also = "; --events takes some of the events alone" if source == "events" else ""
            longest = max(self.recordings, key=lambda one: one.table.times[-1] - one.table.times[0])
            raise ValueError(
                f"no window of {some(lost) or 'the recordings'} can be used; left out are windows {counted(self.lost) or 'none'}; the "
                f"longest recording, {longest.name}, has {len(longest.table.times):,} time points{also}"
            )

    def _chosen(self, one: Read) -> list[Event]:
        """Return the events of a recording that are classes."""
        return [
            event
            for event in one.recording.events
            if event.label and not BAD.match(event.label) and (not self.choices.events or event.label in self.choices.events)
        ]

    def _sample(self, one: Read, source: str, cutter: Cutter | None) -> None:
        """Add the samples of a recording."""
        table = one.table
        label = {"file": one.recording.label, "folder": one.path.parent.name}.get(source)
        if cutter is None:
            self.samples.append(Sample(one.name, table.values, table.times - table.times[0], table.step, label, one))
            return
        events = [Event(float(table.times[0]), float(table.times[-1]) + table.typical_step, label or "")]
        if source == "events":
            events = until_next(self._chosen(one)) if self.choices.until_next else self._chosen(one)
            events += rests(table, one.recording.events, self.choices.rest) if self.choices.rest else []
        bad = [event for event in one.recording.events if BAD.match(event.label)]
        before = len(self.stretches)
        stretches, windows = cutter.cut(table, events, bad)
        self.stretches += [(one, event) for event in stretches]
        for window in windows:
            window.stretch += before
            at = table.times[window.where]
            self.samples.append(
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

    def _test_ends(self) -> None:
        """Where each class has one recording, mark the windows in the last fifth of each as the test, a window apart."""
        per_class = collections.Counter(label for label, _ in {(one.label, one.read.name) for one in self.samples})
        if len(per_class) < 2 or max(per_class.values()) > 1:
            return
        kept = []
        for one in self.samples:
            window, times = one.window, one.read.table.times
            end = times[0] + 0.8 * (times[-1] - times[0])
            if window is not None and window.start >= end:
                kept.append((one, 2))
            elif window is not None and window.end <= end:
                kept.append((one, 0))
        if {label for label in per_class} == {one.label for one, split in kept if split}:
            self.samples, self.split = [one for one, _ in kept], [split for _, split in kept]
            self.say(
                "note: each class has one recording: the windows in the last fifth of each are the test, which says little of "
                "another day or person"
            )

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of the data set."""
        sensors = self._sensors()
        names, axes = _split_axes(sensors)
        longest = max(len(one.values) for one in self.samples)
        series = np.full((len(self.samples), len(sensors), longest), np.nan)
        for at, one in enumerate(self.samples):
            places = [one.read.table.names.index(name) for name in sensors]
            series[at, :, : len(one.values)] = one.values[:, places].T
        spread = np.nanmax(np.abs(series), axis=(0, 2)) / np.maximum(np.nanstd(series, axis=(0, 2)), 1e-300)
        if not (spread > 1e4).any():
            series = series.astype(np.float32)
        if axes:
            series = series.reshape(len(series), len(names), len(axes), longest).transpose(0, 1, 3, 2)
        arrays = {
            "series": series,
            "sensor_names": np.array(names),
            "sample_names": np.array([one.name for one in self.samples]),
        }
        arrays |= self._clock(longest)
        if self.samples[0].label is not None:
            arrays |= self._classes()
        positions = self.recordings[0].recording.positions
        others = [name for name in names if name not in positions]
        if positions and others:
            self.say(
                f"note: no positions are written, as {some(others)} is no electrode of the 10-05 system: --leave it, if they are "
                "wanted"
            )
        elif positions:
            arrays["coordinates"] = np.array([positions[name] for name in names])
        return arrays

    def _classes(self) -> dict[str, np.ndarray]:
        """Return the class of each sample, whose it is, and where in its recording it lies."""
        classes, labels = np.unique([str(one.label) for one in self.samples], return_inverse=True)
        arrays, groups = {"labels": labels, "class_names": classes}, self._groups()
        if self.split:
            arrays["split"] = np.array(self.split)
        elif groups:
            arrays["groups"] = np.array(groups)
        windows = [one.window for one in self.samples if one.window is not None]
        used = sorted({one.stretch for one in windows})
        lasting = all(
            self.stretches[at][1].end > self.stretches[at][1].start for at in used
        )  # of moments nobody knows how long they last
        if windows and lasting and self.recordings[0].recording.timed:
            number = {name.name: at for at, name in enumerate(self.recordings)}
            rows = [
                (
                    number[read.name],
                    event.start - read.table.times[0],
                    event.end - read.table.times[0],
                    classes.tolist().index(event.label),
                )
                for read, event in (self.stretches[at] for at in used)
            ]
            begins = [one.read.table.times[0] for one in self.samples]
            arrays["stretches"] = np.array(rows, float)
            arrays["windows"] = np.array(
                [(used.index(one.stretch), one.start - begin, one.end - begin) for one, begin in zip(windows, begins)]
            )
        return arrays

    def _clock(self, longest: int) -> dict[str, np.ndarray]:
        """Return the rate of all samples, or else their times, or nothing where files have neither."""
        steps = [one.step for one in self.samples]
        if not self.recordings[0].recording.timed:
            return {}
        if min(steps) > 0 and longest * (max(steps) / min(steps) - 1) < 0.1:  # time points apart at the end, as clocks drift
            return {"rate": np.array(round(1 / float(np.median(steps)), 9))}
        times = np.full((len(self.samples), longest), np.nan)
        for at, one in enumerate(self.samples):
            times[at, : len(one.times)] = one.times
        return {"times": times}

    def _sensors(self) -> list[str]:
        """Return the sensors that all recordings have, in the first one's order, and say which are left out."""
        common = [name for name in self.recordings[0].table.names if all(name in one.table.names for one in self.recordings)]
        if not common:
            other = next(one for one in self.recordings if not set(one.table.names) & set(self.recordings[0].table.names))
            raise ValueError(
                f"{other.path} has no sensor of {self.recordings[0].path}: {some(other.table.names)}, and "
                f"{some(self.recordings[0].table.names)}"
            )
        for name in dict.fromkeys(name for one in self.recordings for name in one.table.names):
            lacks = next((one for one in self.recordings if name not in one.table.names), None)
            if lacks:
                self.say(f"note: sensor {name} is left out, as {lacks.path} lacks it")
        for name in common:
            units = {one.table.units[one.table.names.index(name)]: one.path for one in self.recordings}
            if len(units) > 1:
                (first, path), (second, other) = list(units.items())[:2]
                raise ValueError(
                    f"sensor {name} is in {first or 'no unit'} in {path}, and in {second or 'no unit'} in {other}: bring it into "
                    "one unit, "
                    "or leave it out (--leave)"
                )
        return common

    def _groups(self) -> list[str] | None:
        """Return whose each sample is: as the table or --group says, or the file where there are several, or else the stretch."""
        if self.choices.group:
            found = [re.search(self.choices.group, one.read.name) for one in self.samples]
            lost = next((one.read.name for one, match in zip(self.samples, found) if match is None), None)
            if lost is not None:
                raise ValueError(f"--group {self.choices.group} finds nothing in {lost!r}")
            return [match.group(1) if match.groups() else match.group() for match in found if match]
        if any(one.read.group for one in self.samples):
            return [one.read.group or one.read.name for one in self.samples]
        files = {one.path for one in self.recordings}
        if len(files) == len(self.samples) or len(files) == 1 and not self.choices.window:
            return None
        if len(files) > 1:
            return [one.read.file for one in self.samples]
        return [f"{one.read.name} #{one.window.stretch}" for one in self.samples if one.window]


def _named(wanted: list[str], names: list[str], path: pathlib.Path) -> list[str]:
    """Return the channels of these names; the name of a sensor stands for all its axes, and a topic's for all its fields."""
    found = []
    for one in wanted:
        of = [one] if one in names else [name for name in names if name.startswith(f"{one}.")]
        if not of:
            raise ValueError(f"{path} has no sensor {one!r}; it has {some(names, 20)}")
        found += of
    return found


def _split_axes(names: list[str]) -> tuple[list[str], list[str]]:
    """Return sensors and axes of hip.x, hip.y, hip.z, head.x, …; no axes, unless all sensors have the same ones in that order."""
    pairs = [name.rpartition(".") for name in names]
    sensors = list(dict.fromkeys(before for before, _, _ in pairs))
    axes = list(dict.fromkeys(axis for _, _, axis in pairs))
    if len(axes) > 1 and set(axes) <= set("xyzw") and [f"{one}.{axis}" for one in sensors for axis in axes] == names:
        return sensors, axes
    return names, []
