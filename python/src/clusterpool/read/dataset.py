"""Samples as the arrays of a data set."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .collect import Read
from .names import split_axes
from .samples import Samples
from .texts import some


def arrays_of(samples: Samples, say: Callable[[str], None]) -> dict[str, np.ndarray]:
    """Return the arrays of the data set. ``say`` gets what is left out.

    Raises
    ------
    ValueError
        The recordings have no sensor in common, or one in two units, or ``--group`` finds nothing.
    """
    sensors = common_sensors(samples.recordings, say)
    names, axes = split_axes(sensors)
    longest = max(len(one.values) for one in samples.all)
    series = np.full((len(samples.all), len(sensors), longest), np.nan)
    for at, one in enumerate(samples.all):
        places = [one.read.table.names.index(name) for name in sensors]
        series[at, :, : len(one.values)] = one.values[:, places].T
    spread = np.nanmax(np.abs(series), axis=(0, 2)) / np.maximum(np.nanstd(series, axis=(0, 2)), 1e-300)
    if not (spread > 1e4).any():
        series = series.astype(np.float32)
    if axes:
        series = series.reshape(len(series), len(names), len(axes), longest).transpose(0, 1, 3, 2)
    arrays = {
        "series": series,
        "sensor_names": np.array(names),
        "sample_names": np.array([one.name for one in samples.all]),
    }
    arrays |= _clock(samples, longest)
    if samples.all[0].label is not None:
        arrays |= _classes(samples)
    return arrays | _positions(names, samples.recordings[0], say)


def _classes(samples: Samples) -> dict[str, np.ndarray]:
    """Return the class of each sample, whose it is, and where in its recording it lies."""
    names, labels = np.unique([str(one.label) for one in samples.all], return_inverse=True)
    arrays, groups = {"labels": labels, "class_names": names}, samples.groups()
    if samples.split:
        arrays["split"] = np.array(samples.split)
    elif groups:
        arrays["groups"] = np.array(groups)
    used = sorted({one.window.stretch for one in samples.all if one.window})
    stretches = [samples.stretches[at] for at in used]
    lasting = all(event.end > event.start for _, event in stretches)  # of moments nobody knows how long they last
    if not stretches or not lasting or not samples.recordings[0].recording.timed:
        return arrays
    recordings = {one.name: at for at, one in enumerate(samples.recordings)}
    classes, places = {str(name): at for at, name in enumerate(names)}, {stretch: at for at, stretch in enumerate(used)}
    arrays["stretches"] = np.array(
        [
            (recordings[one.name], event.start - one.table.times[0], event.end - one.table.times[0], classes[event.label])
            for one, event in stretches
        ],
        float,
    )
    windows = [(one.window, one.read.table.times[0]) for one in samples.all if one.window]
    arrays["windows"] = np.array([(places[one.stretch], one.start - begin, one.end - begin) for one, begin in windows])
    return arrays


def _clock(samples: Samples, longest: int) -> dict[str, np.ndarray]:
    """Return the rate of all samples, or else their times, or nothing where files have neither."""
    steps = [one.step for one in samples.all]
    if not samples.recordings[0].recording.timed:
        return {}
    if min(steps) > 0 and longest * (max(steps) / min(steps) - 1) < 0.1:  # time points apart at the end, as clocks drift
        return {"rate": np.array(round(1 / float(np.median(steps)), 9))}
    times = np.full((len(samples.all), longest), np.nan)
    for at, one in enumerate(samples.all):
        times[at, : len(one.times)] = one.times
    return {"times": times}


def common_sensors(recordings: list[Read], say: Callable[[str], None]) -> list[str]:
    """Return the sensors that all recordings have, in the first one's order, and say which are left out."""
    first = recordings[0]
    all_names = dict.fromkeys(name for one in recordings for name in one.table.names)
    lacks = {name: next((one for one in recordings if name not in one.table.names), None) for name in all_names}
    common = [name for name, one in lacks.items() if one is None]
    if not common:
        other = next((one for one in recordings if not set(one.table.names) & set(first.table.names)), recordings[-1])
        raise ValueError(
            f"{other.path} and the files before it have no sensor in common: {some(other.table.names)}, and in {first.path} "
            f"{some(first.table.names)}"
        )
    for name, one in lacks.items():
        if one:
            say(f"note: sensor {name} is left out, as {one.path} lacks it")
    for name in common:
        units = {one.table.units[one.table.names.index(name)]: one.path for one in recordings}
        if len(units) > 1:
            (unit, path), (second, other_path) = list(units.items())[:2]
            raise ValueError(
                f"sensor {name} is in {unit or 'no unit'} in {path}, and in {second or 'no unit'} in {other_path}: bring it into "
                "one unit, or leave it out (--leave)"
            )
    return common


def _positions(names: list[str], first: Read, say: Callable[[str], None]) -> dict[str, np.ndarray]:
    """Return the positions of the sensors, if all have one."""
    positions = first.recording.positions
    others = [name for name in names if name not in positions]
    if positions and others:
        say(
            f"note: no positions are written, as {some(others)} {'have' if len(others) > 1 else 'has'} none: no electrode of the 10-05 "
            f"system, or one that comes twice; --leave {'them' if len(others) > 1 else 'it'}, if positions are wanted"
        )
    if not positions or others:
        return {}
    return {"coordinates": np.array([positions[name] for name in names])}
