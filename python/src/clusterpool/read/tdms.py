"""NI TDMS, by npTDMS: LabVIEW, DIAdem, FlexLogger."""

from __future__ import annotations

import pathlib
import re

import nptdms
import numpy as np

from .recording import Channel, Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read a file whose groups hold the same channels as that many recordings, and another one as one.

    Without a waveform's increment, a channel of times in the group, by LabVIEW's type for them, is the clock.
    """
    file = nptdms.TdmsFile.read(path)
    groups = [
        group
        for group in file.groups()
        if any(len(channel) for channel in group.channels()) and not re.search(r"Decimated Data_Level\d+$", group.name)
    ]  # which SignalExpress keeps beside all data, to draw
    same = len(groups) > 1 and len({tuple(channel.name for channel in group.channels()) for group in groups}) == 1
    if same:
        return [_recording(group.name, [group], lambda group, channel: channel.name) for group in groups]
    return [
        _recording("", groups, lambda group, channel: f"{group.name}/{channel.name}" if len(groups) > 1 else channel.name)
    ]


def _recording(name, groups, name_of) -> Recording:
    found = [(group, channel) for group in groups for channel in group.channels() if len(channel)]
    begins = [channel.properties.get("wf_start_time") for _, channel in found]
    first = min((begin for begin in begins if begin is not None), default=None)
    recording = Recording(name, [])
    for group in groups:
        clocks: dict[tuple, np.ndarray] = {}
        stamps = next((channel[:] for channel in group.channels() if len(channel) and channel.dtype.kind == "M"), None)
        for channel in (channel for of, channel in found if of is group and channel.dtype.kind != "M"):
            step, begin = channel.properties.get("wf_increment", 0), channel.properties.get("wf_start_time")
            key = len(channel), step, begin, channel.properties.get("wf_start_offset", 0)
            if key not in clocks:
                since = 0.0 if begin is None else (begin - first) / np.timedelta64(1, "s")
                if step > 0:
                    clocks[key] = since + key[3] + np.arange(len(channel)) * step
                elif stamps is not None and len(stamps) == len(channel):
                    clocks[key] = (stamps - (stamps[0] if first is None else first)) / np.timedelta64(1, "s")
                else:
                    clocks[key], recording.timed = np.arange(len(channel)) * 1.0, False
            unit = channel.properties.get("unit_string", "")
            recording.channels.append(Channel(name_of(group, channel), clocks[key], np.asarray(channel[:]), unit))
    return recording
