"""EDF, EDF+, BDF and BDF+, by edfio: EEG, sleep, respiration."""

from __future__ import annotations

import pathlib
import re

import edfio
import numpy as np

from .eeg import place, status_events
from .recording import Recording
from .times import spread


def read(path: pathlib.Path) -> list[Recording]:
    """Read each signal at its own rate, with the pauses of a discontinuous file where they were.

    MNE puts all signals on the fastest rate by a Fourier transform, which swings beyond the values measured, and both MNE and
    edfio close the pauses, so that annotations lie beside what they mark. The status channel of a BDF file becomes moments.
    """
    with open(path, "rb") as content:
        is_bdf, recording = content.read(1) == b"\xff", Recording("", [])
    file = (edfio.read_bdf if is_bdf else edfio.read_edf)(path, header_encoding="latin-1")
    begins = _record_begins(path, file)
    for signal in file.signals:
        within = spread(signal.samples_per_data_record, file.data_record_duration)
        times = (begins[:, None] + within).ravel()
        if is_bdf and signal.label == "Status":
            recording.events += status_events(times, signal.digital)
        else:
            recording.add(signal.label, times, signal.data, signal.physical_dimension)
    for one in file.annotations:
        recording.mark(one.onset, one.onset + (one.duration or 0), one.text)
    place(recording)
    return [recording]


def _record_begins(path: pathlib.Path, file: edfio.Edf | edfio.Bdf) -> np.ndarray:
    """Return when each data record begins, in s; in a discontinuous file as the first annotation of each says.

    The annotations that keep the time are those of EDF+ (Kemp and Olivan 2003).
    """
    if file.reserved not in ("EDF+D", "BDF+D"):
        return np.arange(file.num_data_records) * file.data_record_duration
    content, head = np.fromfile(path, np.uint8), file.bytes_in_header_record
    count = (head - 256) // 256
    fields = content[256:head].tobytes()
    labels = [fields[16 * at : 16 * at + 16].strip() for at in range(count)]
    samples = [int(fields[216 * count + 8 * at :][:8]) for at in range(count)]
    sizes = np.array(samples) * (3 if file.reserved == "BDF+D" else 2)
    first = next(at for at, label in enumerate(labels) if label in (b"EDF Annotations", b"BDF Annotations"))
    records = content[head:][: sizes.sum() * file.num_data_records].reshape(-1, sizes.sum())
    stamps = [re.match(rb"[+-][\d.]+", one.tobytes()) for one in records[:, sizes[:first].sum() :]]
    begins = np.array([float(one[0]) for one in stamps])
    return begins - begins[0]  # edfio's annotations, too, count from the first value on
