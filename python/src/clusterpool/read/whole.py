"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import pathlib
from collections.abc import Iterator
from typing import IO


@contextlib.contextmanager
def whole(out: pathlib.Path, mode: str) -> Iterator[IO]:
    """Open a file to write, which is there under its name once all of it is written."""
    part = out.with_name(out.name + ".part")
    try:
        with open(part, mode, **{} if "b" in mode else {"newline": "", "encoding": "utf-8"}) as file:
            yield file
        os.replace(part, out)
    finally:
        part.unlink(missing_ok=True)
