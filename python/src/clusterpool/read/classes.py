"""Which class a recording or a part of it has: where classes come from, and whether one is lost."""

from __future__ import annotations

import collections
from collections.abc import Callable

import numpy as np

from .collect import Choices, Read
from .recording import Event
from .texts import counted, some
from .windows import BAD, until_next


def source_of(recordings: list[Read], choices: Choices, say: Callable[[str], None]) -> str:
    """Decide where classes come from: "file" (or the table of labels), "events", "folder" or "none".

    Raises
    ------
    ValueError
        Nothing tells the classes, or what the user chose is not there.
    """
    source = choices.label if choices.label in ("events", "folder", "none") else ""
    if choices.label and not source:
        _check_channel(recordings, choices.label)
        source = "events"
        say(
            f"note: {choices.label} tells the class; read files to predict, if they have it, with --label none --leave {choices.label}"
        )
    if not source and all(one.recording.label is not None for one in recordings):
        return "file"
    source = source or _found(recordings, choices, say)
    counts = collections.Counter(event.label for one in recordings for event in one.recording.events)
    if source == "events" and not choices.window:
        raise ValueError(
            f"the classes would be the events ({counted(counts)}): cut them out with --window, such as --window 2s; or give "
            "--label folder, --label none or a table of the files' classes (--labels, with the columns file,label)"
        )
    check_named(recordings, choices)
    if not source:
        raise ValueError(
            "nothing tells the classes: put the files into a folder for each class, give a table of them (--labels), or if the "
            "files are to be predicted, --label none"
        )
    return source


def check_named(recordings: list[Read], choices: Choices) -> None:
    """Refuse an event or a channel of states that the user names and no file has."""
    if choices.label and choices.label not in ("events", "folder", "none"):
        _check_channel(recordings, choices.label)
    counts = collections.Counter(event.label for one in recordings for event in one.recording.events)
    unknown = [name for name in choices.events or [] if name not in counts]
    if unknown:
        raise ValueError(f"no event is called {unknown[0]!r}; there are {counted(counts, 20) or 'none'}")


def _check_channel(recordings: list[Read], name: str) -> None:
    """Refuse a channel of states that no file has."""
    if any(channel.name == name for one in recordings for channel in one.recording.channels):
        return
    there = [channel.name for channel in recordings[0].recording.channels]
    raise ValueError(
        f"no file has a channel {name!r} for --label; {recordings[0].path} has {some(there, 20)}; or say events, folder or none"
    )


def _found(recordings: list[Read], choices: Choices, say: Callable[[str], None]) -> str:
    """Return where classes come from if the user does not say it; "" if nothing tells them."""
    folders = {one.path.parent.name for one in recordings}
    marked = [one for one in recordings if any(not BAD.match(event.label) for event in one.recording.events)]
    if not marked or not choices.window and len(folders) > 1:
        return "folder" if len(folders) > 1 else ""
    if len(folders) > 1 and len(marked) == len(recordings):
        say("note: the events are the classes; --label folder takes the folders' names")
    return "events"


def class_of(one: Read, source: str) -> str | None:
    """Return the class of a whole recording, if its source is not its events."""
    return {"file": one.recording.label, "folder": one.path.parent.name}.get(source)


def events_of(one: Read, choices: Choices) -> list[Event]:
    """Return the events of a recording that are classes."""
    taken = [event for event in one.recording.events if event.label and not BAD.match(event.label)]
    taken = [event for event in taken if not choices.events or event.label in choices.events]
    return until_next(taken) if choices.until_next else taken


def check_lost(
    recordings: list[Read], kept: set[str | None], lost: collections.Counter[str], source: str, choices: Choices
) -> None:
    """Refuse to lose a class because none of its windows can be used; ``lost`` counts what is left out, by reason."""
    wanted: set[str | None] = {class_of(one, source) for one in recordings}
    if source == "events":
        wanted = {event.label for one in recordings for event in events_of(one, choices)}
    gone = sorted(str(label) for label in wanted - kept)
    if gone or not kept:
        also = "; " + _way_out(recordings, wanted, choices) if source == "events" else ""
        longest = max(recordings, key=lambda one: one.table.times[-1] - one.table.times[0])
        raise ValueError(
            f"no window of {some(gone) or 'the recordings'} can be used; left out are windows {counted(lost) or 'none'}; the "
            f"longest recording, {longest.name}, has {len(longest.table.times):,} time points{also}"
        )


def _way_out(recordings: list[Read], wanted: set[str | None], choices: Choices) -> str:
    """Say which events to take: without those that last over most others, as a rhythm does over beats."""
    over: collections.Counter[str] = collections.Counter()
    for one in recordings:
        events = events_of(one, choices)
        starts, labels = (
            np.array([event.start for event in events]),
            np.array([event.label for event in events], dtype=object),
        )
        for event in events:
            inside = (starts >= event.start) & (starts < event.end) & (labels != event.label)
            over[event.label] += int(inside.sum())
    (name, count), others = over.most_common(1)[0], sorted(str(label) for label in wanted)
    if not count:
        return "--events takes some of the events alone"
    return (
        f"{name} lasts over {count:,} of the events: --events {','.join(one for one in others if one != name)} leaves it out"
    )
