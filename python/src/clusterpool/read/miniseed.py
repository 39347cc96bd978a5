"""miniSEED, SAC, GSE2 and others of seismology, by obspy."""

from __future__ import annotations

import pathlib

import numpy as np
import obspy

from .recording import Channel, Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read the traces of a file, those of one id as one channel, at their own times: what lies between them is missing.

    obspy's merge moves what follows a pause onto the samples before it. Where traces overlap, the first one counts.
    """
    stream = obspy.read(str(path))
    first = min(trace.stats.starttime for trace in stream)
    recording, clocks = Recording("", []), {}
    begin = {one: len(set(trace.id.split(".")[one] for trace in stream)) > 1 for one in range(4)}
    begin[3] = True
    for name in dict.fromkeys(trace.id for trace in stream):
        traces = sorted((trace for trace in stream if trace.id == name), key=lambda trace: trace.stats.starttime)
        times = np.concatenate(
            [trace.stats.starttime - first + np.arange(len(trace)) / trace.stats.sampling_rate for trace in traces]
        )
        values = np.concatenate([np.ma.filled(trace.data.astype(float), np.nan) for trace in traces])
        kept = times > np.r_[-np.inf, np.maximum.accumulate(times)[:-1]] + 0.5 / traces[0].stats.sampling_rate
        if not kept.all():
            recording.notes.append(
                f"{name}: {np.count_nonzero(~kept)} values come twice, where traces overlap; the first ones count"
            )
        times, values = times[kept], values[kept]
        clock = clocks.setdefault((len(times), times[0], times[-1]), times)
        short = ".".join(part for at, part in enumerate(name.split(".")) if begin[at])
        recording.channels.append(Channel(short, clock if np.array_equal(clock, times) else times, values))
    return [recording]
