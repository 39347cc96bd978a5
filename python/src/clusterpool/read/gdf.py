"""GDF 1 and 2, by MNE: EEG of BCI experiments."""

from __future__ import annotations

import pathlib
from typing import Any

from .eeg import place
from .mne_raw import load
from .recording import Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read a file in microvolts where it is in volts, and events by their numbers; MNE takes all values for volts."""
    raw, notes = load(path)
    recording, header = Recording("", [], notes=notes), raw._raw_extras[0]
    for name, values, factor in zip(raw.ch_names, raw.get_data(), header["units"]):
        recording.add(name, raw.times, values * (1e6 if factor < 1 else 1), "µV" if factor < 1 else "")
    _mark(recording, header["events"], raw.info["sfreq"])
    place(recording)
    return [recording]


def _mark(recording: Recording, events: list[Any], rate: float) -> None:
    """Add the events; those that last for a time point are moments."""
    _, positions, codes, _, lengths = events or [0, [], [], [], []]
    for position, code, length in zip(positions, codes, lengths):
        recording.mark(position / rate, (position + (length if length > 1 else 0)) / rate, str(code))
