"""NI TDMS, by npTDMS: LabVIEW, DIAdem, FlexLogger."""

from __future__ import annotations

import pathlib
import re

import nptdms
import numpy as np

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
    return [_recording("", {name if len(groups) > 1 else "": channels for name, channels in groups.items()})]


def _recording(name: str, groups: dict[str, list[nptdms.TdmsChannel]]) -> Recording:
    """Return the channels of groups as one recording, on the clock of the one that begins first."""
    recording, begins = Recording(name, []), [_begin(one) for channels in groups.values() for one in channels]
    first = min((begin for begin in begins if begin is not None), default=None)
    for group, channels in groups.items():
        stamps = next((one[:] for one in channels if one.dtype.kind == "M"), None)
        for channel in (one for one in channels if one.dtype.kind != "M"):
            times = _times(channel, first, stamps)
            recording.timed &= times is not None
            times = np.arange(float(len(channel))) if times is None else times
            name = f"{group}/{channel.name}" if group else channel.name
            recording.add(name, times, np.asarray(channel[:]), channel.properties.get("unit_string", ""))
    return recording


def _begin(channel: nptdms.TdmsChannel) -> np.datetime64 | None:
    return channel.properties.get("wf_start_time")


def _times(channel: nptdms.TdmsChannel, first: np.datetime64 | None, stamps: np.ndarray | None) -> np.ndarray | None:
    """Return when a channel was measured, in s: by its waveform's increment, or by its group's channel of time stamps."""
    step, begin = channel.properties.get("wf_increment", 0), _begin(channel)
    if step > 0:
        later = 0.0 if begin is None else since(begin, first)
        return later + channel.properties.get("wf_start_offset", 0) + np.arange(len(channel)) * step
    return since(stamps, first) if stamps is not None and len(stamps) == len(channel) else None
