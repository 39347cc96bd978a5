"""NetCDF 3 and 4, by xarray."""

from __future__ import annotations

import itertools
import pathlib

import numpy as np
import xarray

from .named_times import in_seconds
from .names import LABELS, SAMPLES
from .netcdf_cells import known
from .netcdf_dimensions import dimension, time_of
from .recording import Recording
from .texts import text_of


def read(path: pathlib.Path) -> list[Recording]:
    """Read variables along a dimension of time; along one of samples, such as sample, trial or epoch, each is a recording."""
    with (
        xarray.open_dataset(path, decode_timedelta=False, mask_and_scale=False) as raw,
        xarray.open_dataset(path, decode_timedelta=False) as data,
    ):
        samples = dimension(data, SAMPLES)
        time, times = time_of(data, samples)
        if times:
            clock = in_seconds(times, data[times].values, str(data[times].attrs.get("units", "")))
        else:
            clock = np.arange(float(data.sizes[time]))
        data = data.drop_vars([times] if times else [])
        variables = {name: known(one, raw[name].variable) for name, one in data.data_vars.items() if time in one.dims}
        recordings = []
        for at in range(data.sizes[samples]) if samples else [None]:
            recording = Recording(_name(data, samples, at), [], label=_label(data, samples, at), timed=bool(times))
            for name, values in variables.items():
                values = values.isel({samples: at}) if samples in values.dims else values
                values = values.transpose(time, ...)
                table = values.values.reshape(len(clock), -1)
                recording.add_columns(_names(str(name), values), clock, table, values.attrs.get("units", ""))
            recordings.append(recording)
    return recordings


def _name(data: xarray.Dataset, samples: str | None, at: int | None) -> str:
    if samples is None:
        return ""
    return text_of(data[samples].values[at]) if samples in data.coords else f"{samples} {at}"


def _label(data: xarray.Dataset, samples: str | None, at: int | None) -> str | None:
    """Return the class of a sample: of a variable along the samples that is called label, class or the like."""
    found = (one for name, one in data.data_vars.items() if one.dims == (samples,) and str(name).lower() in LABELS)
    return next((text_of(one.values[at]) for one in found), None)


def _names(name: str, values: xarray.DataArray) -> list[str]:
    """Return the names of a variable's columns, by the coordinates of the dimensions behind that of time, or their numbers."""
    parts = [map(text_of, values[one].values if one in values.coords else range(values.sizes[one])) for one in values.dims[1:]]
    return [".".join([name, *part]) for part in itertools.product(*parts)]
