"""Whether an MCAP file is whole: the bytes with which it begins end it, too."""

from __future__ import annotations

from typing import BinaryIO

from .recording import Unusable

MAGIC = b"\x89MCAP0\r\n"


def check_end(file: BinaryIO) -> None:
    """Raise Unusable for a file without its end, and go back to its begin."""
    length = file.seek(0, 2)
    file.seek(max(len(MAGIC), length - len(MAGIC)))
    if file.read() != MAGIC:
        raise Unusable("it ends early: it is cut off, or its writer did not close it; mcap recover makes a whole file of it")
    file.seek(0)
