"""MATLAB 5 to 7 by scipy, 7.3 by h5py."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import scipy.io

from .recording import Channel, Recording, Unusable
from .texts import some

RATES, TIMES = (
    ("fs", "fsample", "rate", "srate", "sfreq", "samplingrate", "sample_rate", "sampling_rate", "samplerate"),
    ("time", "times", "t", "timestamps"),
)
LABELS = ("labels", "label", "y", "classes", "class")


def read(path: pathlib.Path) -> list[Recording]:
    """Read the numbers of a file: time goes along the longest side that its arrays share, and the rest are sensors.

    fs, rate or srate says the rate, and time or t the times. With labels for each sample, the side as long as they is that of the
    samples. Texts that differ name the sensors. A v7.3 file's sides are in MATLAB's order, not in h5py's, and whole numbers are
    doubles, which scipy gives in the size in which MATLAB packed them. A struct of FieldTrip's is read by its own rules.
    """
    with open(path, "rb") as file:
        is_hdf5 = b"MATLAB 7.3" in file.read(128)
    content = _load_hdf5(path) if is_hdf5 else scipy.io.loadmat(path, simplify_cells=True)
    for one in [content, *content.values()]:
        if isinstance(one, dict) and {"label", "trial", "time"} <= set(one):
            return _fieldtrip(one)
    arrays: dict[str, np.ndarray] = {}
    rate, times, label = 0.0, None, None
    for name, value in _flat(content).items():
        key, value = name.split(".")[-1].lower(), np.squeeze(np.asarray(value))
        if key in RATES and value.size == 1 and value.dtype.kind in "fiu":
            rate = float(value)
        elif key in TIMES and value.ndim == 1 and value.dtype.kind in "fiu":
            times = value.astype(float)
        elif key in LABELS and value.ndim == 0 and value.dtype.kind == "U":
            label = str(value).strip()
        elif value.ndim and value.size > 1:
            arrays[name] = value.astype(float) if value.dtype.kind in "biu" else value
    recordings = _recordings(arrays, times, rate)
    recordings[0].label = recordings[0].label or label
    return recordings


def _fieldtrip(data: dict[str, Any]) -> list[Recording]:
    """Read FieldTrip's struct of trials: numbers [sensors, timepoints] in each cell; the first column of trialinfo is the class."""
    trials = data["trial"] if isinstance(data["trial"], list) or data["trial"].dtype == object else [data["trial"]]
    times = [data["time"]] if len(trials) == 1 and np.ndim(data["time"][0]) == 0 else list(data["time"])
    names = [str(one) for one in np.ravel(data["label"])]
    info = np.asarray(data.get("trialinfo", np.zeros(0)))
    recordings = []
    for at, (trial, clock) in enumerate(zip(trials, times)):
        clock, trial = np.ravel(clock).astype(float), np.atleast_2d(trial).astype(float)
        recording = Recording(
            f"trial {at}" if len(trials) > 1 else "", [Channel(*one) for one in zip(names, [clock] * len(names), trial)]
        )
        if len(info) == len(trials) > 1 and info.dtype.kind in "fiu":
            recording.label = f"{np.ravel(info[at])[0]:g}"
        recordings.append(recording)
    return recordings


def _texts(value: np.ndarray) -> list[str] | None:
    """Return an array of texts as a list, or None if there is anything else in it."""
    if value.ndim != 1 or value.dtype.kind not in "OU" or not all(isinstance(one, str) for one in value):
        return None
    return [str(one).strip() for one in value]


def _labels(arrays: dict[str, np.ndarray], most: np.ndarray) -> tuple[str, list[str]]:
    """Return the name and the texts of an array that has a label for each sample; a sensor may be called y, too."""
    for name, value in arrays.items():
        if name.split(".")[-1].lower() in LABELS and value.ndim == 1 and most.ndim > 1 and len(value) in most.shape:
            texts = _texts(value)
            if texts is None and value.dtype.kind == "f" and (value == np.rint(value)).all():
                texts = [str(int(one)) for one in value]
            if texts is not None and len(set(texts)) < len(texts):
                return name, texts
    return "", []


def _recordings(arrays: dict[str, np.ndarray], times: np.ndarray | None, rate: float) -> list[Recording]:
    numbers = [value for value in arrays.values() if value.dtype.kind == "f"]
    if not numbers:
        raise Unusable(
            "there is no array of numbers; tables, timetables and strings are MATLAB's own: save a struct or arrays"
        )
    most = max(numbers, key=lambda value: (value.ndim, value.size))
    name_of, labels = _labels(arrays, most)
    sides = [side for side in most.shape if side != len(labels)] or list(most.shape)
    length = len(times) if times is not None and len(times) in most.shape else max(sides)
    clock = times - times[0] if times is not None and len(times) == length else np.arange(length) / (rate or 1)
    named = {len(texts): texts for value in arrays.values() if (texts := _texts(value)) and len(set(texts)) == len(texts)}
    recordings, left = [], {}
    for at in range(len(labels) or 1):
        recording = Recording(f"sample {at}" if labels else "", [], timed=bool(rate) or times is not None)
        recording.label = labels[at] if labels else None
        for name, value in arrays.items():
            along, texts = list(value.shape), _texts(value)
            if labels and len(labels) in along and value.ndim > 1:
                value = np.take(value, at, axis=along.index(len(labels)))
            if name == name_of or texts and texts in named.values():
                continue
            if length in value.shape and (value.dtype.kind == "f" or texts):
                table = np.moveaxis(value, value.shape.index(length), 0).reshape(length, -1)
                names = (
                    [name]
                    if table.shape[1] == 1
                    else named.get(table.shape[1]) or [f"{name}.{one}" for one in range(table.shape[1])]
                )
                recording.channels += [Channel(one, clock, table[:, sensor]) for sensor, one in enumerate(names)]
            else:
                left[name] = along
        recordings.append(recording)
    recordings[0].notes.append(
        f"time goes along the side of {length}"
        + (f", samples along that of {len(labels)}" if labels else "")
        + (f"; left out: {some([f'{name} {along}' for name, along in left.items()])}" if left else "")
    )
    return recordings


def _flat(fields: dict[str, Any], before: str = "") -> dict[str, Any]:
    """Return the fields of structs beside each other, as STRUCT.FIELD."""
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{before}{name}.")
        elif not name.startswith("__") and name != "None":
            flat[before + name] = value
    return flat


def _load_hdf5(path: pathlib.Path) -> dict[str, Any]:
    """Read a v7.3 file: sides turned round to MATLAB's order, texts as texts, cells of texts as arrays of texts."""
    import h5py

    def value_of(item: Any) -> Any:
        if isinstance(item, h5py.Group):
            return {name: value_of(item[name]) for name in item if not name.startswith("#")}
        kind, content = item.attrs.get("MATLAB_class", b"").decode(), item[()]
        if kind == "char":
            lines = [] if "MATLAB_empty" in item.attrs else ["".join(map(chr, line)).rstrip() for line in content.T]
            return np.array(lines) if len(lines) > 1 else "".join(lines)
        if kind == "cell":
            return np.array([value_of(item.file[one]) for one in content.T.ravel(order="F")], dtype=object)
        return np.zeros(0) if "MATLAB_empty" in item.attrs else content.T

    with h5py.File(path, "r") as file:
        return value_of(file)
