"""WFDB, by wfdb: the records and annotations of PhysioNet."""

from __future__ import annotations

import pathlib

import numpy as np
import wfdb

from .recording import Channel, Event, Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read a record by its header, each signal at its own rate, with the annotations that lie beside it.

    wfdb averages what a signal has more often than once a frame unless it is told not to. Rhythms, such as "(AFIB", last until
    the next one.
    """
    stem = str(path.with_suffix(""))
    record = wfdb.rdrecord(stem, smooth_frames=False)
    clocks = {}
    recording = Recording("", [])
    for name, unit, values in zip(record.sig_name, record.units, record.e_p_signal):
        clock = clocks.setdefault(len(values), np.arange(len(values)) * record.sig_len / record.fs / max(1, len(values)))
        recording.channels.append(Channel(name, clock, values, unit))
    beside = sorted(
        one.suffix[1:]
        for one in path.parent.glob(path.stem + ".*")
        if one.suffix[1:].isalpha() and one.suffix not in (".hea", ".dat", ".mat", ".csv", ".edf", ".txt", ".xws")
    )
    taken = next((one for one in ("atr", *beside) if one in beside), None)
    if taken is not None:
        recording.events = _events(wfdb.rdann(stem, taken), record.fs)
        left = [one for one in beside if one != taken]
        recording.notes += (
            [f"annotations are those of .{taken}, not of {', '.join('.' + one for one in left)}"] if left else []
        )
    return [recording]


def _events(annotations: wfdb.Annotation, rate: float) -> list[Event]:
    found, rhythm = [], None
    times = np.asarray(annotations.sample) / (annotations.fs or rate)
    for time, symbol, note in zip(times.tolist(), annotations.symbol, annotations.aux_note):
        label = note.strip(" \0") or symbol
        event = Event(time, time, label)
        if label.startswith("("):
            if rhythm is not None:
                rhythm.end = time
            event.end = np.inf  # the end of the recording
            rhythm = event
        found.append(event)
    return found
