"""The recordings of some files, each on one clock, with what the user's table says of it."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
from collections.abc import Callable

from . import formats
from .clock import Table, on_one_clock
from .counters import refuse_counters
from .describe import line_of
from .labels import lines_of, look_up, owners_of
from .recording import Recording, stretches
from .texts import some
from .windows import Length

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
    """A recording on one clock, with what is known of it; ``file`` is the name that all recordings of its file share."""

    name: str
    path: pathlib.Path
    recording: Recording
    table: Table
    file: str = ""
    group: str | None = None


def collect(paths: list[pathlib.Path], choices: Choices, say: Callable[[str], None]) -> list[Read]:
    """Return the recordings of files. ``say`` gets each line for the user as it comes.

    Raises
    ------
    ValueError
        A file or the table of labels cannot be used, some files have times and others have none, or a channel only counts.
    """
    lines = lines_of(choices.labels) if choices.labels else []
    owners_of(choices.labels, lines, paths, say)
    stems = collections.Counter(path.stem for path in paths)
    all_of: list[Read] = []
    notes: dict[str, list[str]] = {}
    for path in paths:
        before = f"{path.parent.name}/" * (stems[path.stem] > 1)
        name, found = before + path.stem, formats.read(path)
        for at, recording in enumerate(found):
            one = Read(f"{name} {recording.name}".rstrip(), path, recording, _table(path, recording, choices), name)
            look_up(one, choices.labels, lines)
            all_of.append(one)
            if at < SHOWN:
                say(line_of(one))
            for note in recording.notes:
                notes.setdefault(note, []).append(name)
        if len(found) > SHOWN:
            say(f"{name}: and {len(found) - SHOWN} more recordings in this file")
    for note, names in notes.items():
        more = len(set(names)) - 1
        say(f"note: {names[0]}{f' and {more} more' if more else ''}: {note}")
    unused = [line["file"] for line in lines if not line["used"]]
    if unused:
        say(f"note: {choices.labels} has lines for {len(unused)} files that are not given, such as {unused[0]}")
    if len({one.recording.timed for one in all_of}) > 1:
        untimed = next(one.path for one in all_of if not one.recording.timed)
        raise ValueError(f"{untimed} has no rate and no times, and other files have: give it alone, with --rate")
    _refuse_seconds(all_of, choices, lines)
    refuse_counters(all_of, choices)
    return all_of


def _refuse_seconds(recordings: list[Read], choices: Choices, lines: list[dict]) -> None:
    """Refuse lengths in s, and a table of stretches in s, for files that have no times."""
    untimed = next((one.path for one in recordings if not one.recording.timed), None)
    lengths = {"--window": choices.window, "--step": choices.step, "--offset": choices.offset}
    asked = [f"{flag} {length}" for flag, length in lengths.items() if length and length.in_seconds and length.amount]
    asked += [f"--labels {choices.labels}, with stretches in s,"] if any(line["start"] for line in lines) else []
    if untimed and asked:
        raise ValueError(
            f"{untimed} has no rate and no times, and {asked[0]} needs them: say --rate"
            + (", or a whole number of time points" if asked[0].split()[0] in lengths else "")
        )


def _table(path: pathlib.Path, recording: Recording, choices: Choices) -> Table:
    """Return the sensors of a recording that are wanted on one clock; a channel of states becomes its events."""
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
        return on_one_clock(recording, [one for one in taken if one not in left])
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _named(wanted: list[str], names: list[str], path: pathlib.Path) -> list[str]:
    """Return the channels of these names; the name of a sensor stands for all its axes, and a topic's for all its fields."""
    found = []
    for one in wanted:
        of = [one] if one in names else [name for name in names if name.startswith(f"{one}.")]
        if not of:
            raise ValueError(f"{path} has no sensor {one!r}; it has {some(names, 20)}")
        found += of
    return found
