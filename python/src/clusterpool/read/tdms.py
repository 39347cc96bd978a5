"""NI TDMS, by npTDMS: LabVIEW, DIAdem, FlexLogger."""

from __future__ import annotations

import collections
import pathlib
import re

import nptdms
import numpy as np

from .named_times import in_seconds, is_clock
from .recording import Recording
from .times import since


def read(path: pathlib.Path) -> list[Recording]:
    """Read a file whose groups hold the same channels as that many recordings, and another one as one.

    What SignalExpress thinned out, and keeps beside all data to draw it, is left out.
    """
    groups = {
        group.name: [channel for channel in group.channels() if len(channel)]
        for group in nptdms.TdmsFile.read(path).groups()
        if not re.search(r"Decimated Data_Level\d+$", group.name)
    }
    groups = {name: channels for name, channels in groups.items() if channels}
    if len(groups) > 1 and len({tuple(one.name for one in channels) for channels in groups.values()}) == 1:
        return [_recording(name, {"": channels}) for name, channels in groups.items()]
    return [_recording("", groups)]


def _recording(name: str, groups: dict[str, list[nptdms.TdmsChannel]]) -> Recording:
    """Return the channels of groups as one recording, on the clock of the one that begins first.

    A name that comes in several groups has its group's before it, and so no name depends on which groups there are besides.

    A channel has the times of its waveform, or else of one of its group that has as many values: time stamps, a rising channel
    called time, or another waveform.
    """
    recording, found, names = Recording(name, []), [], collections.Counter(one.name for of in groups.values() for one in of)
    begins = (one[0] if one.dtype.kind == "M" else one.properties.get("wf_start_time") for of in groups.values() for one in of)
    first = min((begin for begin in begins if begin is not None), default=None)
    for group, channels in groups.items():
        clocks = {one: times for one in channels if (times := _clock(one, first)) is not None}
        own = {one: times for one in channels if one not in clocks and (times := _waveform(one, first)) is not None}
        of_length = {len(times): times for times in [*own.values(), *clocks.values()]}
        for one in (one for one in channels if one not in clocks):
            title = f"{group}/{one.name}" if names[one.name] > 1 else one.name
            found.append((title, one, own.get(one, of_length.get(len(one)))))
    recording.timed = any(times is not None for _, _, times in found)
    for title, one, times in found:
        if recording.timed and times is None:
            recording.leave_out(title, "it has no times, and other channels have")
        else:
            counted = np.arange(float(len(one)))
            recording.add(title, counted if times is None else times, np.asarray(one[:]), one.properties.get("unit_string", ""))
    return recording


def _clock(channel: nptdms.TdmsChannel, first: np.datetime64 | None) -> np.ndarray | None:
    """Return the times in s that a channel holds in place of measurements, if it does."""
    if channel.dtype.kind == "M":
        return since(channel[:], first)
    unit = channel.properties.get("unit_string", "")
    return in_seconds(channel.name, channel[:], unit) if is_clock(channel.name, channel[:]) else None


def _waveform(channel: nptdms.TdmsChannel, first: np.datetime64 | None) -> np.ndarray | None:
    """Return the times in s of a waveform, by its begin and its increment."""
    step, begin = channel.properties.get("wf_increment", 0), channel.properties.get("wf_start_time")
    if not step > 0:
        return None
    later = 0.0 if begin is None else since(begin, first)
    return later + channel.properties.get("wf_start_offset", 0) + np.arange(len(channel)) * step
