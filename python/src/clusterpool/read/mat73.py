"""MATLAB 7.3, by h5py, as scipy gives earlier versions."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np


def is_one(path: pathlib.Path) -> bool:
    """Return whether a .mat file is of version 7.3, which is HDF5 behind a header of MATLAB's."""
    with open(path, "rb") as file:
        return b"MATLAB 7.3" in file.read(128)


def load(path: pathlib.Path) -> dict[str, Any]:
    """Read a file: sides turned round to MATLAB's order, texts as texts, structs as dictionaries, cells as arrays of objects."""
    import h5py

    with h5py.File(path, "r") as file:
        return _value(file)


def _value(item: Any) -> Any:
    if hasattr(item, "keys"):
        return {name: _value(item[name]) for name in item if not name.startswith("#")}
    kind, is_empty = item.attrs.get("MATLAB_class", b"").decode(), "MATLAB_empty" in item.attrs
    content = np.zeros(0) if is_empty else item[()].T
    if kind == "char":
        lines = ["".join(map(chr, line)).rstrip() for line in content]
        return np.array(lines) if len(lines) > 1 else "".join(lines)
    if kind == "cell":
        cells = np.empty(content.size, dtype=object)  # np.array would join those whose first sides are alike
        for at, one in enumerate(content.ravel(order="F")):
            cells[at] = _value(item.file[one])
        return cells
    return content
