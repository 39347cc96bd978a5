"""What readers by MNE share."""

from __future__ import annotations

import pathlib
import warnings

import mne


def load(path: pathlib.Path, preload: bool = True) -> tuple[mne.io.BaseRaw, list[str]]:
    """Return a file as MNE reads it, and what MNE warns of, as notes."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        raw = mne.io.read_raw(path, preload=preload, verbose="warning")
    return raw, [str(one.message).split("\n")[0] for one in said if issubclass(one.category, RuntimeWarning)]
