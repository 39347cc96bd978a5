"""Which cells of a NetCDF file have no value, as the conventions CF and those of the library say it."""

from __future__ import annotations

import numpy as np
import xarray

UNWRITTEN = {"f4": 9.969209968386869e36, "f8": 9.969209968386869e36}  # what the library fills cells with, by their type
UNWRITTEN |= {"i1": -127, "i2": -32767, "i4": -2147483647, "i8": -9223372036854775806}


def known(variable: xarray.DataArray, raw: xarray.Variable) -> xarray.DataArray:
    """Return the values with NaN for cells without one; ``raw`` has them as the file does.

    xarray gives cells that nobody wrote as 9.97e36 and the like where the variable names no fill value, and ignores valid_range.
    """
    if variable.dtype.kind not in "fiu" or not variable.size:
        return variable
    lost = np.zeros(raw.shape, bool)
    if raw.dtype.str[1:] in UNWRITTEN and "_FillValue" not in raw.attrs:
        lost |= raw.values == np.array(UNWRITTEN[raw.dtype.str[1:]], raw.dtype)
    least, most = raw.attrs.get("valid_range", (raw.attrs.get("valid_min"), raw.attrs.get("valid_max")))
    lost |= (raw.values < least) if least is not None else False
    lost |= (raw.values > most) if most is not None else False
    return variable.where(~lost) if lost.any() else variable
