"""C3D, by ezc3d: motion capture."""

from __future__ import annotations

import pathlib

import ezc3d
import numpy as np

from .c3d_parameters import check, cut_off, texts
from .recording import Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read markers as NAME.x, NAME.y and NAME.z, and analog channels at their own rate. Times count from the first frame."""
    check(path)
    file = ezc3d.c3d(str(path))
    groups, rate = file["parameters"], float(file["parameters"]["POINT"]["RATE"]["value"][0])
    recording, data = Recording("", []), file["data"]
    recording.notes += cut_off(path, data["points"].shape[2])
    _add_markers(recording, data, groups["POINT"], rate)
    _add_analog(recording, data["analogs"][0], groups.get("ANALOG", {}))
    if data["rotations"].size:
        recording.leave_out("ROTATION", "turns of segments, as markerless systems write them, are not read")
    first = file["header"]["points"]["first_frame"] / rate if rate else 0.0  # ezc3d counts frames from 0
    _add_events(recording, groups.get("EVENT", {}), first)
    if not recording.events:
        _add_header_events(recording, file["header"]["events"])
    return [recording]


def _add_markers(recording: Recording, data: dict, group: dict, rate: float) -> None:
    """Add the markers' positions. One that was not seen has a negative residual, or by some writers lies at 0, 0, 0."""
    points = data["points"][:3]  # [axes, markers, frames]
    points = np.where((data["meta_points"]["residuals"][0] < 0) | (points == 0).all(axis=0), np.nan, points)
    times, unit = np.arange(points.shape[2]) / (rate or 1), [*texts(group, "UNITS"), ""][0]
    for at, name in enumerate(_labels(group, points.shape[1], "marker")):
        recording.add_columns([f"{name}.{axis}" for axis in "xyz"], times, points[:, at].T, unit)
    step = float(group["SCALE"]["value"][0]) if "SCALE" in group else -1.0  # of whole numbers; negative for real ones
    if step > 0 and (np.abs(np.diff(points, axis=2)) > 0.9 * 65536 * step).any():
        recording.notes.append("a marker jumps by 65,536 steps between two frames: the writer's whole numbers have run over")


def _add_analog(recording: Recording, values: np.ndarray, group: dict) -> None:
    rate = float(group["RATE"]["value"][0]) if len(values) and "RATE" in group else 0.0
    units = [*texts(group, "UNITS"), *[""] * len(values)]
    recording.add_columns(_labels(group, len(values), "analog"), np.arange(values.shape[1]) / (rate or 1), values.T, units)


def _add_events(recording: Recording, group: dict, first: float) -> None:
    """Add the events, whose minutes and seconds count from frame 1, of which a trial that was cut may begin later."""
    minutes, seconds = np.asarray(group["TIMES"]["value"], float).reshape(2, -1) if "TIMES" in group else np.zeros((2, 0))
    sides = [*texts(group, "CONTEXTS"), *[""] * len(minutes)]
    for time, side, name in zip(60 * minutes + seconds - first, sides, _labels(group, len(minutes), "event")):
        recording.mark(time, time, f"{side} {name}".strip())


def _add_header_events(recording: Recording, events: dict) -> None:
    """Add the events of the header, where older programs keep up to 18, in seconds from the first frame that was kept."""
    for time, name in zip(events["events_time"], events["events_label"]):
        recording.mark(time, time, name.strip(" \0"))


def _labels(group: dict, count: int, what: str) -> list[str]:
    labels = texts(group, "LABELS")[:count]
    return labels + [f"{what} {at}" for at in range(len(labels), count)]
