"""miniSEED, SAC, GSE2 and others of seismology, by obspy."""

from __future__ import annotations

import pathlib

import numpy as np
import obspy

from .recording import Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read the traces of a file, those of one id as one channel, at their own times: what lies between them is missing.

    obspy's merge moves what follows a pause onto the samples before it. Where traces overlap, the first one counts.
    """
    stream = obspy.read(str(path)).sort(["starttime"])
    first, recording = stream[0].stats.starttime, Recording("", [])
    lengths = {trace.stats.mseed.record_length for trace in stream if "mseed" in trace.stats}
    if len(lengths) == 1 and path.stat().st_size % lengths.pop():
        recording.notes.append("the file ends within a record: it is cut off, and what came behind is lost")
    for name, short in _short_names(list(dict.fromkeys(trace.id for trace in stream))).items():
        traces = [trace for trace in stream if trace.id == name]
        if traces[0].data.dtype.kind not in "fiu":
            recording.leave_out(short, "it is a log, and no measurement")
            continue
        times = np.concatenate([trace.stats.starttime - first + trace.times() for trace in traces])
        values = np.concatenate([np.ma.filled(trace.data.astype(float), np.nan) for trace in traces])
        recording.add_ahead([short], times, values[:, None], min(trace.stats.delta for trace in traces))
    return [recording]


def _short_names(ids: list[str]) -> dict[str, str]:
    """Return ids, NETWORK.STATION.LOCATION.CHANNEL, without the parts that all of them share; the channel stays."""
    parts = [one.split(".") for one in ids]
    kept = [at for at in range(4) if at == 3 or len({part[at] for part in parts}) > 1]
    return {one: ".".join(part[at] for at in kept) for one, part in zip(ids, parts)}
