"""Which headers of WFDB are segments of another record, with which they are read."""

from __future__ import annotations

import pathlib


def segments(header: pathlib.Path) -> set[pathlib.Path]:
    """Return the headers of a record's segments; a record of several has their number behind its name, NAME/NUMBER."""
    lines = header.read_text("utf-8", "replace").splitlines()
    lines = [line for line in lines if line.strip() and not line.startswith("#")]
    if not lines or "/" not in lines[0].split()[0]:
        return set()
    return {header.with_name(f"{line.split()[0]}.hea") for line in lines[1:]}
