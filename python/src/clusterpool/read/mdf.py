"""ASAM MDF 3 and 4, by asammdf: loggers of vehicles and test benches."""

from __future__ import annotations

import collections
import gc
import pathlib

import asammdf

from .recording import Recording, Unusable

TIMES, ENDS_RANGE = (0, 1), 2  # what a master counts: nothing that is said, or seconds; what a marker does


def read(path: pathlib.Path) -> list[Recording]:
    """Read the channels of all groups: names that come in several groups have the group's number, and texts are states.

    A group whose master is no time, such as an angle, is left out.
    """
    recording = Recording("", [])
    with _opened(path) as file:
        channels = [
            (at, number, channel.name)
            for at, group in enumerate(file.groups)
            for number, channel in enumerate(group.channels)
            if number != file.masters_db.get(at)
        ]
        names = collections.Counter(name for _, _, name in channels)
        timed = [_has_times(file, at) for at in range(len(file.groups))]
        for at, number, name in channels:
            if timed[at]:
                _add(recording, f"{at}.{name}" if names[name] > 1 else name, file, at, number)
        for at in (at for at, has_times in enumerate(timed) if not has_times):
            recording.leave_out(f"group {at}", f"its values have no time ({file.groups[at].channels[0].name} …)")
        _mark(recording, file)
    return [recording]


def _opened(path: pathlib.Path) -> asammdf.MDF:
    """Open a file. What asammdf left half made is gone before the error is told, as its end is an error, too."""
    try:
        return asammdf.MDF(path)
    except Exception as error:
        why = str(error) or type(error).__name__
    gc.collect()
    raise Unusable(f"asammdf cannot read it: {why}")


def _has_times(file: asammdf.MDF, group: int) -> bool:
    master = file.masters_db.get(group)
    return master is not None and getattr(file.groups[group].channels[master], "sync_type", 1) in TIMES


def _add(recording: Recording, name: str, file: asammdf.MDF, group: int, number: int) -> None:
    """Add a channel. Values that the file marks as invalid are missing; asammdf drops them, so that others move up."""
    signal = file.get(group=group, index=number, ignore_invalidation_bits=True)
    if signal.samples.ndim > 1 or signal.samples.dtype.kind not in "fiubSU":
        recording.leave_out(name, "its values are no single numbers")
    else:
        recording.add(name, signal.timestamps, signal.samples, signal.unit, lost=signal.invalidation_bits)


def _mark(recording: Recording, file: asammdf.MDF) -> None:
    """Add the markers: those that begin a range last until the one that ends it."""
    for block in file.events if file.version >= "4" else []:
        time, label = block.sync_base * block.sync_factor, (block.name or block.comment).strip()
        if block.range_type != ENDS_RANGE or not recording.end(label, time):
            recording.mark(time, time, label)
