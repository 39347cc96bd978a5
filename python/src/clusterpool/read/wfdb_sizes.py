"""How many frames the files of a WFDB record have, which may be cut off."""

from __future__ import annotations

import pathlib
from typing import Any

BYTES = {"8": 1, "16": 2, "24": 3, "32": 4, "61": 2, "80": 1, "160": 2, "212": 1.5, "310": 4 / 3, "311": 4 / 3}  # of a value


def frames(folder: pathlib.Path, header: Any) -> int | None:
    """Return how many frames lie in all files of signals, by their sizes; None where these do not tell it, as of FLAC."""
    found, names = [], getattr(header, "file_name", None) or []  # a record of segments has none
    for name in dict.fromkeys(names):
        of = [at for at, other in enumerate(names) if other == name]
        if name == "~" or not (folder / name).exists() or any(header.fmt[at] not in BYTES for at in of):
            return None
        size = (folder / name).stat().st_size - (header.byte_offset[of[0]] or 0)
        found.append(int(size / sum(BYTES[header.fmt[at]] * header.samps_per_frame[at] for at in of)))
    return min(found, default=None)
