"""The user's table of classes."""

from __future__ import annotations

import collections
import csv
import pathlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from .recording import Event
from .texts import counted, some
from .windows import BAD

if TYPE_CHECKING:
    from .collect import Read


def lines_of(path: pathlib.Path) -> list[dict]:
    """Read a table with the columns file (or sample) and label, and perhaps group; or start and end in s, or MNE's names for them."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        head = file.readline()
        file.seek(0)
        lines = list(csv.DictReader(file, delimiter=max(",;\t", key=head.count)))
    named = set(lines[0]) if lines else set()
    if not named & {"label", "description"} or not named & {"file", "sample", "start", "onset"}:
        raise ValueError(
            f"{path}: the first line must name the columns file,label, perhaps with group, or file,start,end,label; it is "
            f"{head.strip()!r}"
        )
    result = []
    for at, line in enumerate(lines):
        start, end = line.get("start") or line.get("onset") or "", line.get("end") or ""
        try:
            end = end or (str(float(start) + float(line["duration"])) if line.get("duration") else start)
            backwards = float(end or 0) < float(start or 0)
        except ValueError:
            raise ValueError(
                f"{path}, line {at + 2}: {start!r} to {end or line.get('duration')!r} are no times in s"
            ) from None
        if backwards:
            raise ValueError(f"{path}, line {at + 2}: it ends at {end} s, before it begins at {start} s")
        result.append(
            {
                "line": at + 2,
                "file": line.get("file") or line.get("sample") or "",
                "label": (line.get("label") or line.get("description") or "").strip(),
                "group": line.get("group"),
                "start": start,
                "end": end,
                "used": False,
            }
        )
    return result


def owners_of(table: pathlib.Path | None, lines: list[dict], paths: list[pathlib.Path], say: Callable[[str], None]) -> None:
    """Refuse a name in a table that may be of two of the files, and say of lines without one that they are of all."""
    for line in lines:
        found = [path for path in paths if line["file"] and _is_of(line["file"], path)]
        if len(found) > 1:
            raise ValueError(
                f"{table}, line {line['line']}: {line['file']} may be {found[0]} or {found[1]}: write its folder, too, such as "
                f"{found[0].parent.name}/{found[0].name}"
            )
    if len(paths) > 1 and any(not line["file"] for line in lines):
        say(f"note: lines of {table} that name no file are of each of the {len(paths)} files")


def _is_of(name: str, path: pathlib.Path) -> bool:
    """Report whether a name in the table is that of a file: with its folders or without, with its ending or without."""
    return any(f"/{full.as_posix()}".endswith(f"/{name}") for full in (path, path.with_suffix("")))


def look_up(one: Read, table: pathlib.Path | None, lines: list[dict]) -> None:
    """Take what the table says, in the lines of it, of a recording: its class and group, or its stretches.

    Stretches of the table count in place of the file's own events, but for those called bad.
    """
    found = [line for line in lines if line["file"] in ("", str(one.path), one.name) or _is_of(line["file"], one.path)]
    if lines and not found:
        raise ValueError(f"{table} has no line for {one.path}: add one, such as {one.path.name},CLASS")
    begin = float(one.table.times[0])
    length, events, beyond = float(one.table.times[-1]) - begin + one.table.typical_step, [], []
    for line in found:
        line["used"] = True
        one.group = line["group"] or one.group
        if not line["start"]:
            one.recording.label = line["label"]
            continue
        start, end = float(line["start"]), float(line["end"])
        events.append(Event(begin + start, begin + end, line["label"]))
        if start >= length or end < 0:
            beyond.append(f"line {line['line']} (from {start:.6g} to {end:.6g} s)")
    if beyond:
        one.recording.notes.append(
            f"beyond its {length:.6g} s lies what {table} says in {some(beyond, 3)}: are these times in s?"
        )
    if events:
        own = one.recording.events
        one.recording.events = [event for event in own if BAD.match(event.label)] + events
        left = collections.Counter(event.label for event in own if not BAD.match(event.label))
        if left:
            one.recording.notes.append(f"its own events are not used, as {table} has others: {counted(left)}")
