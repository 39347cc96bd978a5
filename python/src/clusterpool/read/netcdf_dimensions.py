"""Which dimension of a NetCDF file is time, and where its times are."""

from __future__ import annotations

import xarray

from .named_times import is_clock, unit_said
from .recording import Unusable


def dimension(data: xarray.Dataset, names: tuple[str, ...]) -> str | None:
    """Return the dimension of one of these names, if there is one."""
    return next((str(one) for one in data.sizes if str(one).lower() in names), None)


def time_of(data: xarray.Dataset, samples: str | None) -> tuple[str, str]:
    """Return the dimension of time, and the variable of its times, "" for none.

    The dimension is called time or the like, or its coordinate is dates, or there is a variable of that name along it.
    """
    lines = {name: one for name, one in data.variables.items() if one.ndim == 1 and one.dims != (samples,)}
    named = [name for name, one in lines.items() if is_clock(str(name), one.values)]
    dated = [one for one in data.sizes if one in data.coords and _is_dates(data[one])]
    time = next((one for one in data.sizes if str(one).lower() == "timepoint" or unit_said(str(one)) is not None), None)
    time = time or next((data[one].dims[0] for one in [*dated, *named]), None)
    if time is None:
        if not data.sizes:
            raise Unusable("nothing lies outside of groups: write the group that is meant by itself (xarray's group=)")
        there = ", ".join(map(str, data.sizes))
        raise Unusable(f"no dimension is called time or has dates; there are {there}: rename one (xarray's rename)")
    return str(time), next((str(one) for one in [time, *named] if one in data.variables and data[one].dims == (time,)), "")


def _is_dates(values: xarray.DataArray) -> bool:
    """Return whether values are dates, of whatever calendar; texts are objects, too."""
    return values.dtype.kind == "M" or values.dtype.kind == "O" and bool(values.size) and hasattr(values.values.flat[0], "calendar")
