"""ASAM MDF 3 and 4, by asammdf: loggers of vehicles and test benches."""

from __future__ import annotations

import pathlib

import asammdf
import numpy as np

from .recording import Channel, Event, Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read the channels of all groups: names that come in several groups have the group's number, and texts are states.

    Values that the file marks as invalid are NaN; asammdf leaves them out, so that what follows them moves up. A group whose
    master is no time, such as an angle, is left out, and so are values that are no single numbers.
    """
    recording = Recording("", [])
    with asammdf.MDF(path) as file:
        names = [
            channel.name
            for at, group in enumerate(file.groups)
            for number, channel in enumerate(group.channels)
            if number != file.masters_db.get(at)
        ]
        for at, group in enumerate(file.groups):
            master, clock = file.masters_db.get(at), None
            if master is None or getattr(group.channels[master], "sync_type", 1) not in (0, 1):  # 0: not said; 1: time
                recording.notes.append(f"group {at} is left out: its values have no time ({group.channels[0].name} …)")
                continue
            for number, channel in enumerate(group.channels):
                if number == master:
                    continue
                signal = file.get(group=at, index=number, ignore_invalidation_bits=True)
                name = channel.name if names.count(channel.name) == 1 else f"{at}.{channel.name}"
                values = signal.samples
                if values.ndim > 1 or values.dtype.kind not in "fiubSU":
                    recording.notes.append(f"{name} is left out: its values are no single numbers")
                    continue
                if signal.invalidation_bits is not None:
                    nothing = np.nan if values.dtype.kind in "fiub" else values.dtype.type()
                    values = np.where(signal.invalidation_bits, nothing, values)
                clock = signal.timestamps if clock is None or len(clock) != len(signal.timestamps) else clock
                recording.channels.append(Channel(name, clock, values, signal.unit))
        recording.events = _events(file)
    return [recording]


def _events(file: asammdf.MDF) -> list[Event]:
    """Return the markers: those that begin a range last until the one that ends it."""
    found, begun = [], {}
    for block in file.events if file.version >= "4" else []:
        time, label = block.sync_base * block.sync_factor, (block.name or block.comment).strip()
        if block.range_type == 1:
            begun[label] = time
        else:
            found.append(Event(begun.pop(label, time) if block.range_type == 2 else time, time, label))
    return found + [Event(time, time, label) for label, time in begun.items()]
