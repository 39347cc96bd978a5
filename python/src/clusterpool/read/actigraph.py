"""ActiGraph (.gt3x), by pygt3x."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import numpy as np
from pygt3x import activity_payload, reader

from .recording import Recording, Unusable

SECONDS_OF = {0: "read_activity1_payload", 26: "read_activity2_payload", 27: "read_activity3_payload"}  # by the packet's kind
EVENT, SLEEPS, WAKES = 3, b"\x08", b"\x09"
SCALES = {"NEO": 341.0, "CLE": 341.0, "MOS": 256.0}  # steps a g where info.txt does not say it, by the serial number


def read(path: pathlib.Path) -> list[Recording]:
    """Read acceleration in g, each second at its own stamp; while the device slept, the values are missing.

    pygt3x repeats the last value over the whole of a sleep, and refuses a file with a second that has fewer values than others.
    """
    with reader.FileReader(str(path), num_rows=0) as file:  # 0: the packets are read here
        file.info.acceleration_scale = file.info.acceleration_scale or SCALES.get((file.info.serial_number or "")[:3], 0.0)
        if not file.info.acceleration_scale and not file.nhanes:
            raise Unusable("info.txt has no Acceleration Scale")
        table = file.acceleration if file.nhanes else np.concatenate([np.empty((0, 5)), *_seconds(file)])
        values = table[:, 1:4] if file.nhanes else file.calibrate_acceleration(table[:, 1:4])
    if not len(table):
        raise Unusable("there is no acceleration")
    order, recording = np.argsort(table[:, 0], kind="stable"), Recording("", [])
    times = table[order, 0] - table[order[0], 0]
    recording.add_ahead(["acc.x", "acc.y", "acc.z"], times, values[order], 1 / file.info.sample_rate, "g")
    slept = np.count_nonzero(np.isnan(recording.channels[0].values))
    if slept:
        recording.notes.append(f"{slept} values are missing, as the device slept")
    return [recording]


def _seconds(file: reader.FileReader) -> Iterator[np.ndarray]:
    """Yield each packet of a second, and each sleep, as pygt3x has them: [values, time in s, x, y, z and a mark].

    A sleep ends at its event, or if that is lost at the next packet or at the end of the file.
    """
    end, slept_since, at, rate = None, None, 0, file.info.sample_rate
    for event in file.read_events():
        if not event.is_checksum_valid:
            continue
        kind, at = event.header.event_type, event.header.timestamp
        is_second = kind in SECONDS_OF and len(event.payload) > 1  # one byte: the device was plugged in
        if slept_since is not None and (is_second or kind == EVENT and event.payload == WAKES):
            yield _sleep(slept_since, at, rate)
            slept_since = None
        if kind == EVENT and event.payload == SLEEPS and slept_since is None:
            slept_since = end
        if is_second:
            yield getattr(activity_payload, SECONDS_OF[kind])(event.payload, at, rate)
            end = at + 1
    if slept_since is not None:
        yield _sleep(slept_since, at, rate)


def _sleep(start: int, end: int, rate: int) -> np.ndarray:
    """Return the rows of some seconds without values."""
    table = np.full((max(0, end - start) * rate, 5), np.nan)
    table[:, 0] = start + np.arange(len(table)) / rate
    return table
