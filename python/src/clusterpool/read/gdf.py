"""GDF 1 and 2, by MNE: EEG of BCI experiments."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import mne

from . import gdf_records
from .eeg import mark_boundary, place
from .recording import Recording
from .times import spread

ENDS, NEW_SEGMENT = 0x8000, 0x7FFE  # the bit of a code that says that the event ends here; the code of what follows a pause


def read(path: pathlib.Path) -> list[Recording]:
    """Read each signal at its own rate, in microvolts where it is in volts, and events by their numbers.

    MNE reads the header. It gives all values as volts and as numbers of the first signal's type, puts slow signals on the fastest
    rate by a Fourier transform, and counts events in the steps of the fastest signal, not in those of their table.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Omitted .* annotation")  # which MNE counts in other steps
        raw = mne.io.read_raw_gdf(path, verbose="warning")
    recording, header = Recording("", []), raw._raw_extras[0]
    signals = gdf_records.signals(path, header)
    seconds = header["n_records"] * header["record_length"][0] / header["record_length"][1]
    lost = gdf_records.fillings(signals, header["digital_min"])
    for at, (name, volts, digital) in enumerate(zip(raw.ch_names, header["units"], signals)):
        values, is_voltage = gdf_records.physical(digital, header, at), volts < 1  # MNE takes 1 for all but µV and mV
        values, unit = (values * volts * 1e6, "µV") if is_voltage else (values, "")
        recording.add(name, spread(len(values), seconds), values, unit, lost)
    _mark(recording, header["events"], gdf_records.event_rate(path, header) or raw.info["sfreq"], 1 / raw.info["sfreq"])
    place(recording)
    return [recording]


def _mark(recording: Recording, events: list[Any], rate: float, step: float) -> None:
    """Add the events. Some last by their length, others until the same code comes with the bit of an end."""
    _, positions, codes, _, lengths = events or [0, [], [], [], []]
    for position, code, length in zip(positions, codes, lengths):
        onset, code = position / rate, int(code)
        if code == NEW_SEGMENT:
            mark_boundary(recording, onset, step)
        elif not code & ENDS or not recording.end(str(code - ENDS), onset):
            recording.mark(onset, onset + (length / rate if length > 1 else 0), str(code))
