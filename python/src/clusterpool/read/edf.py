"""EDF, EDF+, BDF and BDF+, by edfio: EEG, sleep, respiration."""

from __future__ import annotations

import pathlib
import re

import edfio
import numpy as np

from .electrodes import place, status_events
from .recording import Channel, Event, Recording


def read(path: pathlib.Path) -> list[Recording]:
    """Read each signal at its own rate, with the pauses of a discontinuous file where they were.

    MNE puts all signals on the fastest rate by a Fourier transform, which swings beyond the values measured, and both MNE and
    edfio close the pauses, so that annotations lie beside what they mark. The status channel of a BDF file becomes moments.
    """
    file = (edfio.read_bdf if path.suffix.lower() == ".bdf" else edfio.read_edf)(path)
    starts = _record_starts(path)
    recording, clocks = Recording("", []), {}
    for signal in file.signals:
        count, values = len(signal.data) // len(starts), signal.data
        if count not in clocks:
            inside = np.arange(count) * float(file.data_record_duration) / max(1, count)
            clocks[count] = (starts[:, None] + inside).ravel()
        if signal.label == "Status" and path.suffix.lower() == ".bdf":
            recording.events += status_events(clocks[count], signal.digital)
            continue
        recording.channels.append(Channel(signal.label, clocks[count], values, signal.physical_dimension))
    recording.events += [Event(one.onset, one.onset + (one.duration or 0), one.text) for one in file.annotations if one.text]
    place(recording)
    return [recording]


def _record_starts(path: pathlib.Path) -> np.ndarray:
    """Return when each data record begins, in s; in a discontinuous file as the first annotation of each says.

    The header and the time-keeping annotations are those of EDF+ (Kemp and Olivan 2003).
    """
    with open(path, "rb") as file:
        head = file.read(256)
        records, seconds, count = int(head[236:244]), float(head[244:252]), int(head[252:256])
        fields = file.read(256 * count)
        body = np.fromfile(file, np.uint8)
    labels = [fields[16 * at : 16 * at + 16].strip() for at in range(count)]
    sizes = [
        int(fields[216 * count + 8 * at : 216 * count + 8 * at + 8]) * (3 if head[0] == 255 else 2) for at in range(count)
    ]
    records = len(body) // sum(sizes) if records < 0 else min(records, len(body) // sum(sizes))  # -1 while it was recorded
    starts = np.arange(records) * seconds
    if head[192:197] in (b"EDF+D", b"BDF+D"):
        keeps = next(at for at, label in enumerate(labels) if label in (b"EDF Annotations", b"BDF Annotations"))
        for record in range(records):
            text = body[record * sum(sizes) + sum(sizes[:keeps]) :][: sizes[keeps]].tobytes()
            starts[record] = float(re.match(rb"[+-][\d.]+", text)[0])
        starts -= np.floor(starts[0]) if records else 0  # the first record begins within the first second of the file
    return starts
