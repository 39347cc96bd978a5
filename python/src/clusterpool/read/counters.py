"""Channels that only count, and so would tell a training when a recording was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .texts import some

if TYPE_CHECKING:
    from .collect import Choices, Read

STEPS = 10  # in which a sensor hardly rises by chance at each of them


def refuse_counters(recordings: list[Read], choices: Choices) -> None:
    """Refuse channels that rise from each value to the next in all recordings, unless the user named the sensors to take.

    One may be the time under another name. An axis, as of a marker on someone who walks, may well rise. Files to predict have the
    sensors of a training, and few of them rise by chance.
    """
    if choices.take or choices.label == "none":
        return
    common = set.intersection(*(set(one.table.names) for one in recordings))
    ends = {name: found for name in sorted(common) if not _is_axis(name, common) and (found := _rise(recordings, name))}
    if not ends:
        return
    (first, last), names, all_names = next(iter(ends.values())), list(ends), recordings[0].table.names
    raise ValueError(
        f"{some(names)} rises from each value to the next in every recording, as from {first:.10g} to {last:.10g} in "
        f"{recordings[0].path}: if it is a time or a count, --leave {','.join(names)!r}; if it is a sensor, name all: --take "
        f"{some(all_names, 20)!r}"
    )


def _rise(recordings: list[Read], name: str) -> tuple[float, float] | None:
    """Return the first and the last value of a channel in the first recording, if it rises in all."""
    steps, ends = 0, []
    for one in recordings:
        values = next(channel.values for channel in one.recording.channels if channel.name == name)
        known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
        if not (known[1:] > known[:-1]).all():
            return None
        steps += max(0, len(known) - 1)
        ends += [known[0], known[-1]] if len(known) else []
    return (ends[0], ends[1]) if steps >= STEPS else None


def _is_axis(name: str, names: set[str]) -> bool:
    """Return whether a channel is one of several axes, such as hip.x beside hip.y."""
    sensor, _, axis = name.rpartition(".")
    return axis in ("x", "y", "z", "w") and any(f"{sensor}.{other}" in names for other in {*"xyzw"} - {axis})
