"""What the user is told of recordings and of the data set made of them."""

from __future__ import annotations

import collections
import itertools
import pathlib
from typing import TYPE_CHECKING

import numpy as np

from . import formats
from .clock import Table
from .names import split_axes
from .texts import counted, some

if TYPE_CHECKING:
    from .collect import Read
    from .samples import Samples


def line_of(one: Read) -> str:
    """Return the line that says what was read of a recording."""
    table, recording = one.table, one.recording
    sensors, axes = split_axes(table.names)
    step = table.typical_step
    if not recording.timed:
        pace = f"{len(table.times):,} time points without times"
    else:
        even = "" if table.step else "uneven times, about "
        pace = f"{table.times[-1] - table.times[0] + step:.6g} s at {even}{1 / step:.6g} Hz"
    events = collections.Counter(event.label for event in recording.events)
    return (
        f"{one.name}: {pace}, {len(sensors)} sensor{'s' * (len(sensors) > 1)}"
        + (f" of {len(axes)} axes" if axes else "")
        + (f"; events {counted(events)}" if events else "")
        + (f"; {_gaps(table)}" if np.isnan(table.values).any() else "")
    )


def _gaps(table: Table) -> str:
    """Say which share of the values is missing, and how long the longest stretch without any is."""
    empty = np.r_[False, np.isnan(table.values).all(axis=1), False].astype(int)
    starts, ends = np.flatnonzero(np.diff(empty) == 1), np.flatnonzero(np.diff(empty) == -1)
    share = 100 * np.isnan(table.values).mean()
    if not len(starts):
        return f"{share:.3g}% missing"
    longest = int((ends - starts).max())
    return (
        f"{share:.3g}% missing, for {longest * table.step:.4g} s at the longest" if table.step else f"{share:.3g}% missing"
    )


def _with_units(sensors: list[str], table: Table) -> str:
    """Join names of sensors with their units, of those that follow each other with the same one once."""
    units = dict(zip(table.names, table.units)) | {
        name.rpartition(".")[0]: unit for name, unit in zip(table.names, table.units)
    }
    runs = itertools.groupby(sensors[:10], key=lambda name: units.get(name, ""))
    parts = [", ".join(names) + (f" ({unit})" if unit else "") for unit, names in runs]
    return ", ".join(parts) + (f" and {len(sensors) - 10} more" if len(sensors) > 10 else "")


def describe(out: pathlib.Path, arrays: dict[str, np.ndarray], samples: Samples) -> list[str]:
    """Return the lines that say what was written."""
    series, sensors = arrays["series"], [str(one) for one in arrays["sensor_names"]]
    classes = collections.Counter(arrays["class_names"][arrays["labels"]].tolist()) if "labels" in arrays else None
    table = samples.recordings[0].table
    lines = [
        f"{out}: {len(series)} samples"
        + (f" in {len(classes)} class{'es' * (len(classes) > 1)}" if classes else "")
        + f", {out.stat().st_size / 1e6:.2g} MB"
    ]
    readers = sorted({formats.reader_of(formats.format_of(one.path)) for one in samples.recordings})
    lines.append(
        f"  read      {len(samples.recordings)} recording{'s' * (len(samples.recordings) > 1)}, by {', '.join(readers)}"
    )
    lines.append(f"  classes   {counted(classes, 20)}" if classes else "  classes   none: for ccp predict")
    lines.append(f"  sensors   {len(sensors)}: {_with_units(sensors, table)}")
    if series.ndim == 4:
        lines.append(f"  channels  {series.shape[3]}")
    lengths = sorted({len(one.values) for one in samples.all})
    rate = (
        f", {float(arrays['rate']):.6g} a second"
        if "rate" in arrays
        else ", at times of their own"
        if "times" in arrays
        else ", without times"
    )
    lines.append(
        f"  lengths   {lengths[0]:,}" + (f" to {lengths[-1]:,}" if len(lengths) > 1 else "") + f" time points{rate}"
    )
    if "groups" in arrays:
        lines.append(f"  groups    {len(set(arrays['groups'].tolist()))}")
    if "split" in arrays:
        lines.append(
            f"  split     {np.count_nonzero(arrays['split'] == 0)} training, {np.count_nonzero(arrays['split'] == 2)} test samples"
        )
    inside = sum(int(np.isnan(one.values).sum()) for one in samples.all)
    lines.append(
        f"  gaps      {inside:,} of {sum(one.values.size for one in samples.all):,} values" if inside else "  gaps      none"
    )
    if sum(samples.lost.values()):
        lines.append(f"note: left out are windows {counted(samples.lost)}")
    if classes and len(classes) == 1:
        lines.append(
            f"note: there is one class, {next(iter(classes))}, and nothing to tell it from: a training takes two or more"
            + (
                ", such as --rest NAME makes of what no event covers"
                if samples.choices.window and not samples.choices.rest
                else ""
            )
        )
    return [
        *lines,
        f"try: ccp data check {out}" if classes and len(classes) > 1 else f"try: ccp predict --checkpoint runs/NAME {out}",
    ]
