"""BrainVision and EEGLAB, by MNE: EEG."""

from __future__ import annotations

import pathlib
import re

import mne
import numpy as np

from .eeg import mark_boundary, place, status_events
from .recording import Recording

SIEMENS = {"µS": "S", "uS": "S"}  # which MNE has turned into whole ones; other units stay


def read(path: pathlib.Path) -> list[Recording]:
    """Read a file whole, in microvolts where it is in volts; annotations are events, and EEGLAB's epochs are recordings.

    Where recording was paused or pieces were joined, no window may lie across: these marks keep the name "BAD boundary".
    """
    try:
        raw = mne.io.read_raw(path, preload=True, verbose="warning")
    except TypeError:  # by which MNE says that a .set holds epochs
        return _epochs(mne.read_epochs_eeglab(path, verbose="warning"))
    recording, units = Recording("", []), raw._orig_units or {}
    for name, kind, values in zip(raw.ch_names, raw.get_channel_types(), raw.get_data()):
        if kind == "stim":
            recording.events += status_events(raw.times, values.astype(np.int64))
        elif units.get(name, "").endswith("V") or not units and kind in ("eeg", "eog", "ecg", "emg"):
            recording.add(name, raw.times, values * 1e6, "µV")
        else:
            recording.add(name, raw.times, values, SIEMENS.get(units.get(name, ""), units.get(name, "")))
    _mark(recording, raw.annotations, raw.first_time, 1 / raw.info["sfreq"])
    place(recording)
    return [recording]


def _mark(recording: Recording, annotations: mne.Annotations, first: float, step: float) -> None:
    """Add annotations as events; those that last for a time point are moments."""
    for onset, duration, text in zip(annotations.onset - first, annotations.duration, annotations.description):
        text = re.sub("^Comment/(?=bad|edge)", "", text, flags=re.IGNORECASE)  # as MNE's export writes its annotations
        if not re.search("boundary|new segment", text, re.IGNORECASE):
            recording.mark(onset, onset + (duration if duration > 1.5 * step else 0), text)
        else:
            mark_boundary(recording, onset, step)


def _epochs(epochs: mne.Epochs) -> list[Recording]:
    """Return each epoch as a recording, whose class is the event that it is around."""
    names, recordings = {code: name for name, code in epochs.event_id.items()}, []
    for at, (values, (_, _, code)) in enumerate(zip(epochs.get_data(), epochs.events)):
        recordings.append(Recording(f"epoch {at}", [], label=names[code]))
        recordings[-1].add_columns(epochs.ch_names, epochs.times, values.T * 1e6, "µV")
        place(recordings[-1])
    return recordings
