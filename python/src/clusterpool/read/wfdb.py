"""WFDB, by wfdb: the records and annotations of PhysioNet."""

from __future__ import annotations

import pathlib

import numpy as np
import wfdb

from . import wfdb_sizes
from .recording import Event, Recording, Unusable
from .times import spread
from .windows import until_next

NO_ANNOTATIONS = ("hea", "dat", "mat", "csv", "edf", "txt", "xws")  # endings of what else lies beside a header


def read(path: pathlib.Path) -> list[Recording]:
    """Read a record by its header, each signal at its own rate, with the annotations that lie beside it.

    wfdb averages what a signal has more often than once a frame unless it is told not to.
    """
    stem, recording = str(path.with_suffix("")), Recording("", [])
    header = wfdb.rdheader(stem, rd_segments=True)
    for segment in getattr(header, "segments", None) or []:
        there = wfdb_sizes.frames(path.parent, segment) if segment is not None else None
        if there is not None and there < (segment.sig_len or 0):
            raise Unusable(f"its segment {segment.record_name} is cut off: it has {there} of {segment.sig_len} frames")
    there = wfdb_sizes.frames(path.parent, header)
    cut = there is not None and there < (header.sig_len or 0)
    if cut:
        recording.notes.append(f"the data end after {there} of {header.sig_len} frames: the file of signals is cut off")
    record = wfdb.rdrecord(stem, smooth_frames=False, sampto=there if cut else None)
    for name, unit, values in zip(record.sig_name, record.units, record.e_p_signal):
        recording.add(name, spread(len(values), record.sig_len / record.fs), values, unit)
    endings = sorted(one.suffix[1:] for one in path.parent.glob(path.stem + ".*") if one.suffix[1:].isalpha())
    signals = [name.rpartition(".")[2] for name in record.file_name or []]  # as .xyz, which the PTB database has beside .dat
    annotators = [one for one in endings if one not in (*NO_ANNOTATIONS, *signals)]
    annotators.sort(key=lambda one: one != "atr")
    if annotators:
        recording.events = _events(wfdb.rdann(stem, annotators[0]), record.fs)
    if annotators[1:]:
        left = ", ".join(f".{one}" for one in annotators[1:])
        recording.notes.append(f"annotations are those of .{annotators[0]}, not of {left}")
    return [recording]


def _events(annotations: wfdb.Annotation, rate: float) -> list[Event]:
    """Return annotations as moments, and rhythms, such as "(AFIB", until the next one; the last one to the end."""
    times = np.asarray(annotations.sample) / (annotations.fs or rate)
    labels = [note.strip(" \0") or symbol for note, symbol in zip(annotations.aux_note, annotations.symbol)]
    moments = [Event(time, time, label) for time, label in zip(times.tolist(), labels)]
    rhythms = until_next([one for one in moments if one.label.startswith("(")])
    beats = [one for one in moments if not one.label.startswith("(")]
    return sorted(rhythms + beats, key=lambda one: one.start)
