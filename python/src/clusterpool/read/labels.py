"""The user's table of classes."""

from __future__ import annotations

import csv
import pathlib
from typing import TYPE_CHECKING

from .recording import Event

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
            float(start or 0), float(end or 0)
        except ValueError:
            raise ValueError(
                f"{path}, line {at + 2}: {start!r} to {end or line.get('duration')!r} are no times in s"
            ) from None
        result.append(
            {
                "file": line.get("file") or line.get("sample") or "",
                "label": (line.get("label") or line.get("description") or "").strip(),
                "group": line.get("group"),
                "start": start,
                "end": end,
                "used": False,
            }
        )
    return result


def look_up(one: Read, table: pathlib.Path | None, lines: list[dict]) -> None:
    """Take what the table says, in the lines of it, of a recording: its class and group, or stretches of it."""
    names = {"", str(one.path), one.path.as_posix(), one.path.name, one.path.stem, one.name}
    found = [line for line in lines if line["file"] in names]
    if lines and not found:
        raise ValueError(f"{table} has no line for {one.path}: add one, such as {one.path.name},CLASS")
    for line in found:
        line["used"] = True
        one.group = line["group"] or one.group
        if line["start"]:
            begin = float(one.table.times[0])
            one.recording.events.append(Event(begin + float(line["start"]), begin + float(line["end"]), line["label"]))
        else:
            one.recording.label = line["label"]
