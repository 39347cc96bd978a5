"""What is in a decoded message: dictionaries of JSON, and the objects of ROS 2 and Protobuf."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np

LISTED = 32  # numbers of a list; a longer one is an image or a cloud of points
STAMPS = ("stamp", "timestamp")  # fields of a message, or of its header, that say when it was measured
SECONDS, NANOSECONDS = ("sec", "secs", "seconds"), ("nanosec", "nsec", "nsecs", "nanos")


@dataclasses.dataclass
class Message:
    """A message of a topic: its time in ns, its numbers and texts by their names, and the names of lists that are too long."""

    time: int
    numbers: dict[str, float] = dataclasses.field(default_factory=dict)
    texts: dict[str, str] = dataclasses.field(default_factory=dict)
    long: list[str] = dataclasses.field(default_factory=list)


def parts(content: Any, topic: str, sent: int) -> Message:
    """Return what is in a message, but for its header, whose time stamp comes before the time at which it was sent, in ns."""
    message = Message(_stamp(content) or sent)
    for name, value in _leaves(content, topic):
        if isinstance(value, str):
            message.texts[name] = value
        elif value is None:
            message.numbers[name] = np.nan
        elif isinstance(value, (bool, int, float)):
            message.numbers[name] = float(value)
        else:
            message.long.append(name)
    return message


def _leaves(content: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield what lies in fields and short lists, with the names of the way to it; a list that is too long as it is."""
    fields = _fields(content)
    lasts = _duration(fields)
    if lasts is not None:
        yield name, lasts / 1e9
    elif fields is not None:
        for key, value in fields.items():
            if key not in ("header", *STAMPS) or key in STAMPS and _moment(value) is None:
                yield from _leaves(value, f"{name}.{key}")
    elif _is_list(content) and len(content) <= LISTED:
        for at, value in enumerate(content):
            yield from _leaves(value, f"{name}.{at}")
    else:
        yield name, content


def _fields(content: Any) -> dict[str, Any] | None:
    """Return the fields of a message by their names, or None of what has no fields."""
    if hasattr(content, "items"):  # of JSON, and a map of Protobuf
        return {str(key): value for key, value in content.items()}
    if hasattr(content, "DESCRIPTOR"):  # of Protobuf, which has 0 for what was not sent
        fields = (field for field in content.DESCRIPTOR.fields if not field.has_presence or content.HasField(field.name))
        return {field.name: getattr(content, field.name) for field in fields}
    if hasattr(content, "__slots__"):  # of ROS 2
        return {field: getattr(content, field) for field in content.__slots__}
    return None


def _is_list(content: Any) -> bool:
    return hasattr(content, "__len__") and not isinstance(content, (str, bytes, memoryview))


def _stamp(content: Any) -> int:
    """Return the time of a message's header in ns, or 0."""
    fields = _fields(content) or {}
    fields = _fields(fields.get("header")) or fields
    return next((moment for name in STAMPS if name in fields and (moment := _moment(fields[name]))), 0)


def _moment(stamp: Any) -> int | None:
    """Return a time stamp in ns: of seconds and nanoseconds, or a number of s, ms, µs or ns since 1970; None for what is none."""
    if isinstance(stamp, (int, float)):
        units = (unit for unit in (10**9, 10**6, 10**3, 1) if 1e18 <= stamp * unit < 4e18)  # from 2001 to 2096
        return next((round(stamp * unit) for unit in units), None)
    return _duration(_fields(stamp))


def _duration(fields: dict[str, Any] | None) -> int | None:
    """Return what fields of seconds and nanoseconds say, in ns; None of other fields."""
    fields = fields or {}
    seconds, nanoseconds = (next((name for name in names if name in fields), "") for names in (SECONDS, NANOSECONDS))
    if set(fields) - {seconds, nanoseconds} or not isinstance(fields.get(seconds), (int, float)):
        return None
    return round(fields[seconds] * 10**9) + int(fields.get(nanoseconds, 0))
