"""XDF, by pyxdf: the streams of LabRecorder."""

from __future__ import annotations

import pathlib

import numpy as np
import pyxdf

from .recording import Recording
from .texts import some
from .times import lines_between_pauses


def read(path: pathlib.Path) -> list[Recording]:
    """Read the streams of numbers as channels and those of texts as moments, on the clock of the recording computer.

    pyxdf makes times even over pauses shorter than 500 values, which moves values by seconds against the markers. Here each
    piece between pauses of more than 0.1 s and three steps is made even by itself.
    """
    streams, _ = pyxdf.load_xdf(path, dejitter_timestamps=False)
    streams = [one for one in streams if len(one["time_stamps"])]
    first = min((float(one["time_stamps"][0]) for one in streams), default=0.0)
    several = sum(not _is_markers(one) for one in streams) > 1
    recording, moved = Recording("", []), []
    for stream in streams:
        times, title = np.asarray(stream["time_stamps"]) - first, stream["info"]["name"][0]
        if _is_markers(stream):
            for time, row in zip(times, stream["time_series"]):
                recording.mark(time, time, " ".join(map(str, np.atleast_1d(row))).strip())
            continue
        evened, values = _even(times, float(stream["info"]["nominal_srate"][0])), np.asarray(stream["time_series"])
        names, units = _channels(stream["info"], values.shape[1])
        recording.add_columns([f"{title}/{name}" if several else name for name in names], evened, values, units)
        by = np.abs(evened - times).max()
        moved += [f"{title} ({1000 * by:.1f} ms)"] if by > 5e-4 else []
    if moved:
        recording.notes.append(f"times were made even, moved by at most: {some(moved)}")
    return [recording]


def _is_markers(stream: dict) -> bool:
    info = stream["info"]
    return info["channel_format"][0] == "string" or (info["type"][0] or "").lower() == "markers"


def _channels(info: dict, count: int) -> tuple[list[str], list[str]]:
    """Return the names and the units of the channels; without names they are counted."""
    try:
        listed = info["desc"][0]["channels"][0]["channel"]
    except (KeyError, TypeError, IndexError):
        listed = []
    listed = listed if len(listed) == count else [{}] * count
    names = [(one.get("label") or [None])[0] or str(at) for at, one in enumerate(listed)]
    return names, [(one.get("unit") or [None])[0] or "" for one in listed]


def _even(times: np.ndarray, rate: float) -> np.ndarray:
    """Return the times of a stream of a nominal rate without their jitter."""
    return lines_between_pauses(times, max(0.1, 3 / rate)) if rate > 0 else np.maximum.accumulate(times)
