"""MCAP, by mcap: robots' messages in JSON, ROS 2's CDR or Protobuf."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory as Protobuf
from mcap_ros2.decoder import DecoderFactory as ROS2

from .mcap_end import check_end
from .messages import LISTED, Message, parts
from .recording import Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read each topic's numbers as TOPIC.field.field, and texts of messages without numbers as moments.

    A message is at the time in its header; without one, at that of its publication. The time of the log comes later, by what the
    way took.
    """
    recording, topics, unread, long = Recording("", []), {}, {}, set()
    with open(path, "rb") as file:
        check_end(file)
        for topic, encoding, decode, message in _messages(file):
            if decode is None:
                unread[topic] = encoding or "no encoding"
                continue
            found = parts(decode(message.data), topic, message.publish_time or message.log_time)
            topics.setdefault(topic, []).append(found)
            long |= set(found.long)
    first = min((one.time for messages in topics.values() for one in messages), default=0)  # ns, too many for float64
    for messages in topics.values():
        _add(recording, sorted(messages, key=lambda one: one.time), first)
    for topic, encoding in sorted(unread.items()):
        recording.leave_out(topic, f"messages in {encoding} are not read")
    for name in sorted(long):
        recording.leave_out(name, f"it is bytes, or a list of more than {LISTED}")
    return [recording]


def _messages(file: Any) -> Iterator[tuple[str, str, Callable | None, Any]]:
    """Yield each message with its topic, its encoding, and what decodes it, if anything does."""
    factories, decoders = [ROS2(), Protobuf()], {}
    for schema, channel, message in make_reader(file).iter_messages():
        if channel.id not in decoders:
            found = [factory.decoder_for(channel.message_encoding, schema) for factory in factories]
            decoders[channel.id] = json.loads if channel.message_encoding == "json" else next(filter(None, found), None)
        yield channel.topic, channel.message_encoding, decoders[channel.id], message


def _add(recording: Recording, messages: list[Message], first: int) -> None:
    """Add the messages of a topic: a channel for each number in them, and for each text that changes, such as the name of a state.

    If there is no number, the texts are moments.
    """
    times = np.array([(one.time - first) / 1e9 for one in messages])
    names = dict.fromkeys(name for one in messages for name in one.numbers)
    for name in names:
        recording.add(name, times, np.array([one.numbers.get(name, np.nan) for one in messages]))
    if not names:
        for time, one in zip(times, messages):
            recording.mark(time, time, " ".join(one.texts.values()))
        return
    for name in dict.fromkeys(name for one in messages for name in one.texts):
        states = np.array([one.texts.get(name, "") for one in messages])
        if len(set(states)) > 1:
            recording.add(name, times, states)
