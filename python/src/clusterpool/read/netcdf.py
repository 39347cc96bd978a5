"""NetCDF 3 and 4, by xarray."""

from __future__ import annotations

import pathlib

import numpy as np
import xarray

from .recording import Channel, Recording, Unusable

TIMES, SAMPLES, LABELS = (
    ("time", "times", "timepoint", "t"),
    ("sample", "samples", "case", "trial", "epoch", "recording"),
    ("label", "labels", "class", "y"),
)
UNWRITTEN = {
    "f4": 9.969209968386869e36,
    "f8": 9.969209968386869e36,
    "i1": -127,
    "i2": -32767,
    "i4": -2147483647,
    "i8": -9223372036854775806,
}


def read(path: pathlib.Path) -> list[Recording]:
    """Read variables along a dimension of time; along one of samples, such as sample, trial or epoch, each is a recording.

    xarray gives cells that nobody wrote as 9.97e36 and the like where the variable names no fill value, and ignores valid_range;
    both are missing here. Other dimensions are sensors, named by their coordinates.
    """
    with (
        xarray.open_dataset(path, decode_timedelta=False, mask_and_scale=False) as raw,
        xarray.open_dataset(path, decode_timedelta=False) as data,
    ):
        time = next((one for one in data.sizes if str(one).lower() in TIMES), None)
        if time is None:
            raise Unusable(
                f"no dimension is called time; there are {', '.join(map(str, data.sizes))}: rename one (xarray's rename)"
            )
        samples = next((str(one) for one in data.sizes if str(one).lower() in SAMPLES), None)
        clock, timed = _clock(data, time)
        recordings = []
        for at in range(data.sizes[samples]) if samples else [None]:
            of = str(data[samples].values[at]) if samples and samples in data.coords else f"{samples} {at}"
            recording = Recording(of if samples else "", [], timed=timed)
            for name, variable in data.data_vars.items():
                if time in variable.dims:
                    values = _known(variable, raw[name].variable)
                    values = values.isel({samples: at}) if samples and samples in variable.dims else values
                    recording.channels += _channels(str(name), values, time, clock, variable.attrs.get("units", ""))
                elif samples and variable.dims == (samples,) and str(name).lower() in LABELS:
                    recording.label = str(variable.values[at])
            recordings.append(recording)
    return recordings


def _clock(data: xarray.Dataset, time: str) -> tuple[np.ndarray, bool]:
    """Return the times in s from the first on, and whether there are any."""
    if time not in data.coords:
        return np.arange(data.sizes[time]) * 1.0, False
    values, unit = data[time].values, str(data[time].attrs.get("units", "s"))
    if values.dtype.kind in "mM":
        return (values - values[0]) / np.timedelta64(1, "s"), True
    scale = {
        "ms": 1e-3,
        "milliseconds": 1e-3,
        "us": 1e-6,
        "µs": 1e-6,
        "ns": 1e-9,
        "min": 60.0,
        "minutes": 60.0,
        "h": 3600.0,
        "hours": 3600.0,
    }
    return (values - values[0]) * scale.get(unit, 1.0), True


def _known(variable: xarray.DataArray, raw: xarray.Variable) -> xarray.DataArray:
    """Return the values with NaN for cells without one."""
    if variable.dtype.kind not in "fiu" or not variable.size:
        return variable
    lost = np.zeros(raw.shape, bool)
    unwritten = UNWRITTEN.get(raw.dtype.str[1:])
    if unwritten is not None and "_FillValue" not in raw.attrs:
        lost |= raw.values == np.array(unwritten, raw.dtype)
    least, most = raw.attrs.get("valid_range", (raw.attrs.get("valid_min"), raw.attrs.get("valid_max")))
    lost |= (raw.values < least) if least is not None else False
    lost |= (raw.values > most) if most is not None else False
    return variable.where(~lost) if lost.any() else variable


def _channels(name: str, values: xarray.DataArray, time: str, clock: np.ndarray, unit: str) -> list[Channel]:
    others = [one for one in values.dims if one != time]
    table = values.transpose(time, *others).values.reshape(len(clock), -1)
    if not others:
        return [Channel(name, clock, table[:, 0], unit)]
    parts = [
        [str(one) for one in values[dim].values] if dim in values.coords else [str(at) for at in range(values.sizes[dim])]
        for dim in others
    ]
    names = [""]
    for part in parts:
        names = [f"{one}.{more}" for one in names for more in part]
    return [Channel(name + one, clock, table[:, at], unit) for at, one in enumerate(names)]
