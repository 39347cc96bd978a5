"""XDF, by pyxdf: the streams of LabRecorder."""

from __future__ import annotations

import pathlib

import numpy as np
import pyxdf

from .recording import Channel, Event, Recording
from .texts import some


def read(path: pathlib.Path) -> list[Recording]:
    """Read the streams of numbers as channels and those of texts as moments, on the clock of the recording computer.

    pyxdf makes times even over pauses shorter than 500 values, which moves values by seconds against the markers. Here each
    piece between pauses of more than 0.1 s and three steps is made even by itself.
    """
    streams, _ = pyxdf.load_xdf(path, dejitter_timestamps=False)
    streams = [one for one in streams if len(one["time_stamps"])]
    first = min((float(one["time_stamps"][0]) for one in streams), default=0.0)
    measured = [one for one in streams if not _is_markers(one)]
    recording, moved = Recording("", []), []
    for stream in streams:
        info, times = stream["info"], np.asarray(stream["time_stamps"]) - first
        if _is_markers(stream):
            labels = [" ".join(str(text) for text in np.atleast_1d(row)).strip() for row in stream["time_series"]]
            recording.events += [Event(time, time, label) for time, label in zip(times.tolist(), labels) if label]
            continue
        evened = _even(times, float(info["nominal_srate"][0]))
        if np.abs(evened - times).max() > 5e-4:
            moved.append(f"{info['name'][0]} ({1000 * np.abs(evened - times).max():.1f} ms)")
        values = np.asarray(stream["time_series"])
        for at, (name, unit) in enumerate(_channels(info, values.shape[1])):
            name = name if len(measured) == 1 else f"{info['name'][0]}/{name}"
            recording.channels.append(Channel(name, evened, values[:, at], unit))
    if moved:
        recording.notes.append(f"times were made even, moved by at most: {some(moved)}")
    return [recording]


def _is_markers(stream: dict) -> bool:
    info = stream["info"]
    return info["channel_format"][0] == "string" or (info["type"][0] or "").lower() == "markers"


def _channels(info: dict, count: int) -> list[tuple[str, str]]:
    """Return the name and the unit of each channel; without names they are counted."""
    try:
        listed = info["desc"][0]["channels"][0]["channel"]
    except (KeyError, TypeError, IndexError):
        listed = []
    listed = listed if len(listed) == count else [{}] * count
    return [
        ((one.get("label") or [None])[0] or str(at), (one.get("unit") or [None])[0] or "") for at, one in enumerate(listed)
    ]


def _even(times: np.ndarray, rate: float) -> np.ndarray:
    """Return times of a nominal rate on a line for each piece between pauses, by least squares."""
    if rate <= 0:
        return np.maximum.accumulate(times)
    pieces = np.split(times, np.flatnonzero(np.diff(times) > max(0.1, 3 / rate)) + 1)
    lines = []
    for piece in pieces:
        places = np.arange(len(piece)) - (len(piece) - 1) / 2
        slope = (places * (piece - piece.mean())).sum() / (places**2).sum() if len(piece) > 1 else 0.0
        lines.append(piece.mean() + places * slope)
    return np.maximum.accumulate(np.concatenate(lines))
