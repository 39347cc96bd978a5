"""What the formats of EEG share: codes of a trigger channel, and electrodes' names and positions."""

from __future__ import annotations

import functools
import re

import numpy as np

from .recording import Event, Recording

PREFIX = re.compile(r"^eeg[ _-]*", re.IGNORECASE)
REFERENCE = re.compile(r"[-_ ]*(ref|le|ar|avg|a1|a2|m1|m2)$|\.+$", re.IGNORECASE)


def status_events(times: np.ndarray, codes: np.ndarray) -> list[Event]:
    """Return a moment for each change of a trigger channel to a code other than 0, of which the lower 16 bits count."""
    codes = codes & 0xFFFF
    at = np.flatnonzero((codes != 0) & (codes != np.r_[codes[:1], codes[:-1]]))
    return [Event(float(times[one]), float(times[one]), str(codes[one])) for one in at]


def mark_boundary(recording: Recording, onset: float, step: float) -> None:
    """Mark that no window may lie across the moment before a time point, where recording was paused or pieces were joined."""
    if onset > step / 2:
        recording.mark(onset - step / 4, onset - step / 4, "BAD boundary")


@functools.cache
def _positions() -> dict[str, np.ndarray]:
    """Return where the electrodes of the 10-05 system are, by their names; nothing without MNE."""
    try:
        import mne
    except ImportError:
        return {}
    return mne.channels.make_standard_montage("colin27_1005").get_positions()["ch_pos"]


def place(recording: Recording) -> None:
    """Name electrodes as the 10-05 system does, "EEG FP2-REF" as Fp2, and say where they are if MNE is there to tell.

    Bipolar leads such as Fpz-Cz keep their names and have no place.
    """
    positions = _positions()
    standard = {name.lower(): name for name in positions}
    short = [standard.get(REFERENCE.sub("", PREFIX.sub("", one.name)).strip().lower()) for one in recording.channels]
    for one, name in zip(recording.channels, short):
        if name is not None and short.count(name) == 1:
            one.name = name
            recording.positions[name] = positions[name]
