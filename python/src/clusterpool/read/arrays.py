"""Arrays whose sides have no names: which side is time, which are samples and sensors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .named_times import in_seconds, is_clock, unit_said
from .names import LABELS
from .recording import Recording, Unusable
from .texts import some


def recordings(arrays: dict[str, np.ndarray], rate_name: str, rate: float) -> list[Recording]:
    """Return the recordings in arrays of numbers and of texts.

    Time goes along the side that is as long as an array of times, or along the longest one; without times or a rate, 0, it has no
    clock. With labels for each sample, the side as long as they is that of the samples. All other sides are sensors, which texts
    that differ name. What has no side of time is left out, with a note.
    """
    largest = _largest(arrays)
    labels_in, labels = _labels(arrays, largest)
    sides = [side for side in largest.shape if side != len(labels)] or list(largest.shape)
    times = next((name for name, value in arrays.items() if len(value) in sides and is_clock(_field(name), value)), None)
    if times is None:
        clock = np.arange(max(sides)) / (rate or 1)
    else:
        clock = in_seconds(_field(times), arrays.pop(times), rate=rate, rate_name=rate_name)
    names = {name: texts for name, value in arrays.items() if (texts := _texts(value)) and len(set(texts)) == len(texts)}
    by_count = {len(texts): texts for texts in names.values()}
    timed, left = rate > 0 or times is not None, []
    made = [Recording(f"sample {at}", [], label=label, timed=timed) for at, label in enumerate(labels)]
    made = made or [Recording("", [], timed=timed)]
    for name, value in arrays.items():
        if name == labels_in or name in names:
            continue
        if len(clock) not in value.shape or value.dtype.kind != "f" and _texts(value) is None:
            left.append(f"{name} {list(value.shape)}")
            continue
        for recording, part in zip(made, _samples(value, len(labels))):
            columns = np.moveaxis(part, part.shape.index(len(clock)), 0).reshape(len(clock), -1)
            recording.add_columns(_names(name, columns.shape[1], by_count), clock, columns)
    made[0].notes.append(
        f"time goes along the side of {len(clock)}"
        + (f", samples along that of {len(labels)}" if labels else "")
        + (f"; left out: {some(left)}" if left else "")
    )
    return made


def _largest(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """Return the array of numbers with the most sides, and of these the one with the most values."""
    numbers = [value for name, value in arrays.items() if value.dtype.kind == "f" and unit_said(_field(name)) is None]
    numbers = numbers or [value for value in arrays.values() if value.dtype.kind == "f"]
    if not numbers:
        raise Unusable(
            "there is no array of numbers; tables, timetables and strings are MATLAB's own: save a struct or arrays"
        )
    return max(numbers, key=lambda value: (value.ndim, value.size))


def _labels(arrays: dict[str, np.ndarray], largest: np.ndarray) -> tuple[str, list[str]]:
    """Return the name and the texts of an array that has a label for each sample; a sensor may be called y, too."""
    for name, value in arrays.items():
        if _field(name).lower() in LABELS and value.ndim == 1 and largest.ndim > 1 and len(value) in largest.shape:
            texts = _texts(value)
            if texts is None and value.dtype.kind == "f" and (value == np.rint(value)).all():
                texts = [str(int(one)) for one in value]
            if texts is not None and len(set(texts)) < len(texts):
                return name, texts
    return "", []


def _field(name: str) -> str:
    """Return the name of a field without that of its struct."""
    return name.split(".")[-1]


def _texts(value: np.ndarray) -> list[str] | None:
    """Return an array of texts as a list, or None if there is anything else in it."""
    if value.ndim != 1 or value.dtype.kind not in "OU" or not all(isinstance(one, str) for one in value):
        return None
    return [str(one).strip() for one in value]


def _samples(value: np.ndarray, count: int) -> Iterator[np.ndarray]:
    """Yield the part of an array for each sample; one without a side of samples belongs to all."""
    if count and count in value.shape and value.ndim > 1:
        yield from np.moveaxis(value, value.shape.index(count), 0)
    else:
        while True:
            yield value


def _names(name: str, count: int, by_count: dict[int, list[str]]) -> list[str]:
    """Return the names of an array's columns: its own of a single one, those of as many texts, or numbers."""
    return [name] if count == 1 else by_count.get(count) or [f"{name}.{at}" for at in range(count)]
