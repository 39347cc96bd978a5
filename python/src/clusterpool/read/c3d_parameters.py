"""The parameters of a C3D file, by its description (c3d.org): their texts, and their sizes, which ezc3d takes on trust."""

from __future__ import annotations

import math
import pathlib

from .recording import Unusable

MOST = 255  # values of one parameter; those of further channels are in SCALE2 and the like


def check(path: pathlib.Path) -> None:
    """Raise Unusable for a file at which ezc3d would end the process: one with fewer scales or offsets than channels."""
    found = _parameters(path)
    used = int.from_bytes(found.get("ANALOG:USED", (0, b""))[1], "little")
    for name in ("ANALOG:SCALE", "ANALOG:OFFSET"):
        there = found.get(name, (0, b""))[0]
        if there < min(used, MOST):
            raise Unusable(
                f"{name} has {there} values for the {used} channels of ANALOG:USED: write it with one for each (in the package "
                "c3d, Writer.set_analog_scales and set_analog_offsets)"
            )


def cut_off(path: pathlib.Path, there: int) -> list[str]:
    """Return a note if the header names more frames than there are; ezc3d has these in its place."""
    with open(path, "rb") as file:
        begin = file.read(10)
        file.seek(512 * (begin[0] - 1))
        order = "big" if file.read(4)[3:] == b"\x56" else "little"  # of the bytes of a number; 86 is MIPS
    said = int.from_bytes(begin[8:10], order) - int.from_bytes(begin[6:8], order) + 1
    return [f"the data end after {there} of {said} frames, which the header names: the file is cut off"] if there < said else []


def texts(group: dict, name: str) -> list[str]:
    """Return a parameter's texts; above 255 they go on in NAME2, NAME3 and so on."""
    parts = [name, *(f"{name}{at}" for at in range(2, 100))]
    return [str(text).strip() for part in parts if part in group for text in group[part]["value"]]


def _parameters(path: pathlib.Path) -> dict[str, tuple[int, bytes]]:
    """Return how many values each parameter has, by GROUP:NAME, and the bytes of the first one, the lowest byte first."""
    with open(path, "rb") as file:
        begin = file.read(2)
        if begin[1:] != b"\x50":  # no C3D, as ezc3d says
            return {}
        file.seek(512 * (begin[0] - 1))
        content = file.read(4).ljust(4, b"\0")
        content += file.read(512 * content[2] - 4)
    order = -1 if content[3] == 86 else 1  # of the bytes of a number; 86 is MIPS
    groups, found, at = {}, [], 4
    while at + 4 < len(content) and content[at]:
        length, group = (int.from_bytes(content[at + k : at + k + 1], "little", signed=True) for k in (0, 1))
        after = at + 2 + abs(length)
        name, step = content[at + 2 : after].decode("latin-1").upper(), content[after : after + 2][::order]
        if group < 0:
            groups[-group] = name
        else:
            size, dimensions = abs(content[after + 2] - (256 if content[after + 2] > 127 else 0)), content[after + 3]
            data = after + 4 + dimensions
            found.append((group, name, math.prod(content[after + 4 : data]), content[data : data + size][::order]))
        if not any(step):
            break
        at = after + int.from_bytes(step, "little")
    return {f"{groups.get(group, '')}:{name}": (count, first) for group, name, count, first in found}
