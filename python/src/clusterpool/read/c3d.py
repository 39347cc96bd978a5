"""C3D, by ezc3d: motion capture."""

from __future__ import annotations

import pathlib

import ezc3d
import numpy as np

from .recording import Channel, Event, Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read markers as NAME.x, NAME.y and NAME.z, NaN where one was not seen, and analog channels at their own rate.

    Times count from the first frame. Those of events count from frame 1, of which a trial that was cut may begin later.
    """
    file = ezc3d.c3d(str(path))
    parameters, head = file["parameters"], file["header"]
    points, analogs = file["data"]["points"], file["data"]["analogs"]  # [4, markers, frames], [1, channels, timepoints]
    recording, rate = Recording("", []), float(parameters["POINT"]["RATE"]["value"][0])
    times = np.arange(points.shape[2]) / (rate or 1)
    lost = (file["data"]["meta_points"]["residuals"][0] < 0) | (points[:3] == 0).all(axis=0)
    axes = np.where(lost, np.nan, points[:3])
    units = [*_listed(parameters["POINT"], "UNITS"), ""]
    for at, name in enumerate(_names(parameters["POINT"], points.shape[1], "marker")):
        recording.channels += [
            Channel(f"{name}.{axis}", times, axes[number, at], units[0]) for number, axis in enumerate("xyz")
        ]
    scale = abs(float(parameters["POINT"].get("SCALE", {"value": [-1.0]})["value"][0])) * 65536
    if parameters["POINT"]["SCALE"]["value"][0] > 0 and (np.abs(np.diff(axes, axis=2)) > 0.9 * scale).any():  # whole numbers
        recording.notes.append("a marker jumps by 65,536 steps between two frames: the writer's whole numbers have run over")
    rate_analog = float(parameters["ANALOG"].get("RATE", {"value": [0]})["value"][0]) if analogs.shape[1] else 0.0
    of = np.arange(analogs.shape[2]) / (rate_analog or 1)
    units = _listed(parameters.get("ANALOG", {}), "UNITS")
    units += [""] * (analogs.shape[1] - len(units))
    for at, name in enumerate(_names(parameters.get("ANALOG", {}), analogs.shape[1], "analog")):
        recording.channels.append(Channel(name, of, analogs[0, at], units[at]))
    first = head["points"]["first_frame"] / rate if rate else 0.0  # ezc3d counts frames from 0
    event = parameters.get("EVENT", {})
    minutes = np.asarray(event.get("TIMES", {"value": np.zeros((2, 0))})["value"], float).reshape(2, -1)
    sides = [*_listed(event, "CONTEXTS"), *[""] * minutes.shape[1]]
    for at, name in enumerate(_names(event, minutes.shape[1], "event")):
        time = 60 * minutes[0, at] + minutes[1, at] - first
        recording.events.append(Event(time, time, f"{sides[at]} {name}".strip()))
    return [recording]


def _listed(group: dict, name: str) -> list[str]:
    """Return a parameter's texts; above 255 they go on in NAME2, NAME3 and so on."""
    parts = [name, *(f"{name}{at}" for at in range(2, 100))]
    return [str(text).strip() for part in parts if part in group for text in group[part]["value"]]


def _names(group: dict, count: int, what: str) -> list[str]:
    names = _listed(group, "LABELS")[:count]
    return names + [f"{what} {at}" for at in range(len(names), count)]
