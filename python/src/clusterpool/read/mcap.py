"""MCAP, by mcap: robots' messages in JSON, ROS 2's CDR or Protobuf."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory as Protobuf
from mcap_ros2.decoder import DecoderFactory as ROS2

from .recording import Channel, Event, Recording

LISTED = 32  # numbers of a list; a longer one is an image or a cloud of points


def read(path: pathlib.Path) -> list[Recording]:
    """Read each topic's numbers as TOPIC.field.field, and texts of messages without numbers as moments.

    A message is at the time in its header; without one, at that of its publication. The time of the log comes later, by what the
    way took.
    """
    recording, topics, left = Recording("", []), {}, set()
    factories, decoders = [ROS2(), Protobuf()], {}
    with open(path, "rb") as file:
        for schema, channel, message in make_reader(file).iter_messages():
            if channel.id not in decoders:
                found = [factory.decoder_for(channel.message_encoding, schema) for factory in factories]
                decoders[channel.id] = json.loads if channel.message_encoding == "json" else next(filter(None, found), None)
            if decoders[channel.id] is None:
                left.add(
                    f"{channel.topic} is left out: messages in {channel.message_encoding or 'no encoding'} are not read"
                )
                continue
            content = decoders[channel.id](message.data)
            numbers, texts, long = {}, [], []
            for name, value in _fields(content, channel.topic):
                if isinstance(value, str):
                    texts.append(value)
                elif value is None:
                    long.append(name)
                else:
                    numbers[name] = float(value)
            left.update(f"{name} is left out: it is a list of more than {LISTED}" for name in long)
            time = _stamp(content) or message.publish_time or message.log_time
            topics.setdefault(channel.topic, []).append((time, numbers, " ".join(texts)))
    first = min(
        (time for messages in topics.values() for time, _, _ in messages), default=0
    )  # in ns, which float64 cannot hold
    for messages in topics.values():
        messages.sort(key=lambda one: one[0])
        times = np.array([(time - first) / 1e9 for time, _, _ in messages])
        names = dict.fromkeys(name for _, numbers, _ in messages for name in numbers)
        for name in names:
            recording.channels.append(
                Channel(name, times, np.array([numbers.get(name, np.nan) for _, numbers, _ in messages]))
            )
        if not names:
            recording.events += [Event(time, time, text) for time, (_, _, text) in zip(times.tolist(), messages) if text]
    recording.notes += sorted(left)
    return [recording]


def _fields(content: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the numbers and texts in a message, but for its header, with their names; None stands for a list that is too long."""
    if hasattr(content, "DESCRIPTOR"):
        content = {field.name: getattr(content, field.name) for field in content.DESCRIPTOR.fields}
    elif hasattr(content, "__slots__"):
        content = {field: getattr(content, field) for field in content.__slots__}
    if isinstance(content, dict):
        for key, value in content.items():
            if key not in ("header", "stamp", "timestamp"):
                yield from _fields(value, f"{name}.{key}")
    elif isinstance(content, (str, bool, int, float)):
        yield name, content
    elif content is None:
        yield name, np.nan
    elif isinstance(content, (bytes, memoryview)) or len(content) > LISTED:
        yield name, None
    else:
        for at, value in enumerate(content):
            yield from _fields(value, f"{name}.{at}")


def _stamp(content: Any) -> int:
    """Return the time of a message's header in ns, or 0."""

    def part(of: Any, *names: str) -> Any:
        return next(
            (
                found
                for name in names
                if (found := of.get(name) if isinstance(of, dict) else getattr(of, name, None)) is not None
            ),
            None,
        )

    stamp = part(part(content, "header") or content, "stamp", "timestamp")
    seconds = part(stamp, "sec", "secs", "seconds") if stamp is not None else None
    return 0 if seconds is None else int(seconds) * 10**9 + int(part(stamp, "nanosec", "nsec", "nsecs", "nanos") or 0)
