"""GDF 1 and 2, by MNE: EEG of BCI experiments."""

from __future__ import annotations

import pathlib
import warnings
from typing import Any

import mne
import numpy as np

from .eeg import mark_boundary, place
from .recording import Recording
from .times import spread

TYPES = {1: "i1", 2: "u1", 3: "<i2", 4: "<u2", 5: "<i4", 6: "<u4", 7: "<i8", 8: "<u8", 16: "<f4", 17: "<f8"}
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
    signals = _signals(path, header)
    seconds = header["n_records"] * header["record_length"][0] / header["record_length"][1]
    lost = _fillings(signals, header["digital_min"])
    for at, (name, unit, digital) in enumerate(zip(raw.ch_names, header["units"], signals)):
        values = header["physical_min"][at] + (digital - header["digital_min"][at]) * _gain(header, at)
        is_voltage = unit < 1  # MNE knows µV and mV, and takes 1 for all else
        recording.add(
            name, spread(len(values), seconds), values * (unit * 1e6 if is_voltage else 1), "µV" if is_voltage else "", lost
        )
    _mark(recording, header["events"], _event_rate(path, header) or raw.info["sfreq"], 1 / raw.info["sfreq"])
    place(recording)
    return [recording]


def _signals(path: pathlib.Path, header: dict[str, Any]) -> list[np.ndarray]:
    """Return the numbers of each signal as the file has them, each of its own type, record after record."""
    count = header["nchan"]
    types = [TYPES[one] for one in np.fromfile(path, "<u4", count, offset=256 + 220 * count)]
    record = np.dtype([(str(at), one, (samples,)) for at, (one, samples) in enumerate(zip(types, header["n_samps"]))])
    records = np.fromfile(path, record, header["n_records"], offset=header["data_offset"])
    return [records[name].ravel() for name in record.names]


def _gain(header: dict[str, Any], at: int) -> float:
    digital = header["digital_max"][at] - header["digital_min"][at]
    return (header["physical_max"][at] - header["physical_min"][at]) / digital if digital else 1.0


def _fillings(signals: list[np.ndarray], lowest: np.ndarray) -> np.ndarray | None:
    """Return where all signals have their lowest value at once, with which writers fill pauses, such as those between runs."""
    if len(signals) < 2 or len({len(one) for one in signals}) > 1:
        return None
    found = np.all([one == least for one, least in zip(signals, lowest)], axis=0)
    return None if found.all() else found


def _event_rate(path: pathlib.Path, header: dict[str, Any]) -> float:
    """Return the steps a second in which the table of events counts; MNE keeps those of GDF 2 alone."""
    if "event_sfreq" in header:
        return float(header["event_sfreq"])
    table = header["data_offset"] + header["n_records"] * int(header["bytes_tot"])
    return float(int.from_bytes(np.fromfile(path, np.uint8, 3, offset=table + 1).tobytes(), "little"))


def _mark(recording: Recording, events: list[Any], rate: float, step: float) -> None:
    """Add the events. Some last by their length, others until the same code comes with the bit of an end."""
    _, positions, codes, _, lengths = events or [0, [], [], [], []]
    begun: dict[int, Any] = {}
    for position, code, length in zip(positions, codes, lengths):
        onset, code = position / rate, int(code)
        if code == NEW_SEGMENT:
            mark_boundary(recording, onset, step)
        elif code & ENDS and code - ENDS in begun:
            begun.pop(code - ENDS).end = onset
        else:
            recording.mark(onset, onset + (length / rate if length > 1 else 0), str(code))
            begun[code] = recording.events[-1]
