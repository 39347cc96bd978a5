"""BrainVision, EEGLAB and GDF, by MNE: EEG."""

from __future__ import annotations

import pathlib
import re
import warnings

import mne
import numpy as np

from .electrodes import place, status_events
from .recording import Channel, Event, Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read a file that MNE knows, whole, in microvolts where it is in volts; annotations are events.

    Where recording was paused or pieces were joined, no window may lie across: these marks keep the name "BAD boundary".
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        raw = mne.io.read_raw(path, preload=True, verbose="warning")
    recording = Recording(
        "", [], notes=[str(one.message).split("\n")[0] for one in said if issubclass(one.category, RuntimeWarning)]
    )
    step = 1 / raw.info["sfreq"]
    times, units = raw.times, raw._orig_units or {}
    if path.suffix.lower() == ".gdf":  # whose units are factors here; where MNE knows none, it takes the values for volts
        factors = raw._raw_extras[0]["units"]
        units = {name: "V" if factor < 1 else "" for name, factor in zip(raw.ch_names, factors)}
    for name, kind, values in zip(raw.ch_names, raw.get_channel_types(), raw.get_data()):
        if kind == "stim":
            recording.events += status_events(times, values.astype(np.int64))
        elif units.get(name, "").endswith("V") or not units and kind in ("eeg", "eog", "ecg", "emg"):
            recording.channels.append(Channel(name, times, values * 1e6, "µV"))
        else:
            recording.channels.append(Channel(name, times, values))
    for onset, duration, text in zip(
        raw.annotations.onset - raw.first_time, raw.annotations.duration, raw.annotations.description
    ):
        if re.search("boundary|new segment", text, re.IGNORECASE):
            if onset > step / 2:
                recording.events.append(Event(onset - step / 4, onset - step / 4, "BAD boundary"))
        else:
            recording.events.append(Event(onset, onset + (duration if duration > 1.5 * step else 0), text))
    place(recording)
    return [recording]
