"""NetCDF 3 and 4, by xarray."""

from __future__ import annotations

import itertools
import pathlib

import numpy as np
import xarray

from .names import LABELS, SAMPLES, TIMES
from .netcdf_cells import known
from .recording import Recording, Unusable
from .times import since


def read(path: pathlib.Path) -> list[Recording]:
    """Read variables along a dimension of time; along one of samples, such as sample, trial or epoch, each is a recording."""
    with (
        xarray.open_dataset(path, decode_timedelta=False, mask_and_scale=False) as raw,
        xarray.open_dataset(path, decode_timedelta=False) as data,
    ):
        time, samples = _dimension(data, (*TIMES, "timepoint")) or _dated(data), _dimension(data, SAMPLES)
        if time is None:
            there = ", ".join(map(str, data.sizes))
            raise Unusable(f"no dimension is called time or has dates; there are {there}: rename one (xarray's rename)")
        variables = {name: known(one, raw[name].variable) for name, one in data.data_vars.items() if time in one.dims}
        timed = time in data.coords
        clock = data[time].values if timed else np.arange(float(data.sizes[time]))
        clock = since(clock, clock[0], str(data[time].attrs.get("units", "s")))
        recordings = []
        for at in range(data.sizes[samples]) if samples else [None]:
            recording = Recording(_name(data, samples, at), [], label=_label(data, samples, at), timed=timed)
            for name, values in variables.items():
                values = values.isel({samples: at}) if samples in values.dims else values
                values = values.transpose(time, ...)
                table = values.values.reshape(len(clock), -1)
                recording.add_columns(_names(str(name), values), clock, table, values.attrs.get("units", ""))
            recordings.append(recording)
    return recordings


def _dimension(data: xarray.Dataset, names: tuple[str, ...]) -> str | None:
    return next((str(one) for one in data.sizes if str(one).lower() in names), None)


def _dated(data: xarray.Dataset) -> str | None:
    """Return the dimension whose coordinate is dates, whatever it is called."""
    return next((str(one) for one in data.sizes if one in data.coords and data[one].dtype.kind == "M"), None)


def _name(data: xarray.Dataset, samples: str | None, at: int | None) -> str:
    if samples is None:
        return ""
    return str(data[samples].values[at]) if samples in data.coords else f"{samples} {at}"


def _label(data: xarray.Dataset, samples: str | None, at: int | None) -> str | None:
    """Return the class of a sample: of a variable along the samples that is called label, class or the like."""
    found = (one for name, one in data.data_vars.items() if one.dims == (samples,) and str(name).lower() in LABELS)
    return next((str(one.values[at]) for one in found), None)


def _names(name: str, values: xarray.DataArray) -> list[str]:
    """Return the names of a variable's columns, by the coordinates of the dimensions behind that of time, or their numbers."""
    parts = [map(str, values[one].values if one in values.coords else range(values.sizes[one])) for one in values.dims[1:]]
    return [".".join([name, *part]) for part in itertools.product(*parts)]
