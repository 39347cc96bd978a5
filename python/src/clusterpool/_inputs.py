"""Samples in the forms that people have: arrays, lists of recordings of unequal lengths, frames."""

from __future__ import annotations

import zipfile
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ._program import warn

AT_ONCE = 16 << 20  # bytes of samples that are copied at a time


class Samples:
    """Samples, of which no more than some are copied at a time.

    Attributes
    ----------
    values : array, or list of arrays
        An array [samples, sensors, timepoints], perhaps with an axis of channels behind, or [samples, nodes] and perhaps
        channels; or for recordings of unequal lengths a list of arrays [sensors, timepoints], perhaps with channels.
    times : array or None
        The time of each time point: [timepoints], or [samples, timepoints] with NaN after the end of a recording.
    names : list or None
        The names of the sensors.
    ids : list or None
        What the frame calls each sample.
    """

    def __init__(
        self,
        values: Any,
        times: np.ndarray | None = None,
        names: list[Hashable] | None = None,
        ids: list[Hashable] | None = None,
    ) -> None:
        self.values, self.times, self.names, self.ids = values, times, names, ids
        self.listed = isinstance(values, list)
        if self.listed:
            first = values[0]
            self.shape: tuple[int, ...] = (len(values), first.shape[0], max(one.shape[1] for one in values), *first.shape[2:])
            kind = np.result_type(*{one.dtype for one in values})
            equal = all(one.shape == self.shape[1:] for one in values)
            self.dtype = kind if equal or kind.kind == "f" else np.dtype(np.float64)  # for NaN after the end
        else:
            self.shape, self.dtype = values.shape, values.dtype
        self.dtype = np.dtype(np.uint8) if self.dtype == bool else self.dtype.newbyteorder("=")

    def __len__(self) -> int:
        return self.shape[0]

    def block(self, start: int, stop: int) -> np.ndarray:
        """Return some samples as one array, with NaN after the ends of shorter recordings."""
        if not self.listed:
            return np.ascontiguousarray(self.values[start:stop], dtype=self.dtype)
        some = self.values[start:stop]
        longest = max(one.shape[1] for one in some)
        if all(one.shape[1] == longest for one in some):
            return np.ascontiguousarray(np.stack(some), dtype=self.dtype)
        block = np.full((len(some), self.shape[1], longest, *self.shape[3:]), np.nan, dtype=self.dtype)
        for at, one in enumerate(some):
            block[at, :, :one.shape[1]] = one
        return block

    def times_of(self, start: int, stop: int, timepoints: int) -> np.ndarray | None:
        """Return the times of some samples, of that many time points."""
        if self.times is None:
            return None
        times = self.times if self.times.ndim == 1 else self.times[start:stop]
        return np.ascontiguousarray(times[..., :timepoints], dtype=np.float64)

    def parts(self, most: int) -> Iterator[tuple[int, int]]:
        """Yield the begin and the end of parts of ``most`` samples and AT_ONCE bytes at most."""
        size = max(1, int(np.prod(self.shape[1:])) * self.dtype.itemsize)
        step = max(1, min(most, AT_ONCE // size))
        step -= step % 64 if step > 64 else 0  # whole batches of the program
        for start in range(0, len(self), step):
            yield start, min(start + step, len(self))


def is_list_of_recordings(X: Any, time: bool | None = None) -> bool:
    """Report whether X is a list of recordings: arrays [sensors, timepoints] or, if ``time`` is True, [timepoints]."""
    least = 1 if time else 2
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(least <= getattr(one, "ndim", 0) <= 3 for one in X)


def check_rows(X: Any) -> None:
    """Refuse a list whose rows have unequal lengths, and which may be recordings of one sensor."""
    rows = X if isinstance(X, (list, tuple)) else []
    lengths = {len(row) for row in rows if isinstance(row, (list, tuple)) or getattr(row, "ndim", 0) == 1}
    if len(lengths) > 1:
        raise ValueError(f"X is a list of rows of {min(lengths)} to {max(lengths)} numbers: give recordings of one sensor as arrays "
                         "[1, timepoints], or say time=True, which takes arrays [timepoints]")


def is_long_frame(X: Any) -> bool:
    """Report whether X is a frame whose index has two levels: sample and time."""
    return hasattr(X, "columns") and getattr(getattr(X, "index", None), "nlevels", 1) == 2


def from_list(X: Sequence[Any]) -> Samples:
    """Read a list of arrays [sensors, timepoints], [sensors, timepoints, channels], or of one sensor [timepoints]."""
    arrays = [_checked(np.asarray(one), f"X[{at}]") for at, one in enumerate(X)]
    if all(one.ndim == 1 for one in arrays):
        arrays = [one[np.newaxis] for one in arrays]
    first = arrays[0]
    for at, one in enumerate(arrays):
        if one.ndim != first.ndim or one.shape[0] != first.shape[0] or one.shape[2:] != first.shape[2:]:
            raise ValueError(f"X[{at}] has shape {one.shape}, and X[0] has {first.shape}: recordings [sensors, timepoints] may differ "
                             "in their time points only")
        if one.shape[1] == 0:
            raise ValueError(f"X[{at}] has no time point: leave it out")
    return Samples(arrays)


def _checked(array: np.ndarray, what: str) -> np.ndarray:
    if array.dtype == object:
        array = array.astype(np.float64)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{what} has the type {array.dtype}: give numbers")
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError(f"{what} has infinite values: give NaN where nothing was measured")
    return array.astype(np.float32) if array.dtype == np.float16 else array


def from_long_frame(frame: Any, trained: Sequence[Hashable] | None = None) -> Samples:
    """Read a frame with a line for each sample and time, and a column for each sensor.

    Samples keep the order in which they come first, lines are put in the order of their times. ``trained`` are the sensors of
    the training, which are taken by their names.
    """
    names = list(frame.columns)
    if len(set(names)) < len(names):
        raise ValueError(f"X has two columns {next(name for name in names if names.count(name) > 1)!r}: name them apart")
    if trained is not None:
        missing = [name for name in trained if name not in names]
        if missing:
            raise ValueError(f"X has no column {missing[0]!r}, which the training had; it has {', '.join(map(repr, names[:8]))}")
        more = [name for name in names if name not in trained]
        if more:
            warn(f"X: the column {more[0]!r} is left out, as the training had none of this name")
        names = list(trained)
        frame = frame[names]
    ids = frame.index.get_level_values(0)
    codes, uniques = ids.factorize()  # in the order in which they come
    if (codes < 0).any():
        raise ValueError("X: the first level of the index, which names samples, has missing values")
    times = _times(frame.index.get_level_values(1))
    if np.isnan(times).any():
        raise ValueError("X: the second level of the index, which is the time, has missing values")
    order = np.lexsort((times, codes))
    codes, times = codes[order], times[order]
    again = np.flatnonzero((np.diff(codes) == 0) & (np.diff(times) == 0))
    if len(again):
        raise ValueError(f"X has two lines of sample {uniques[codes[again[0]]]!r} at one time: leave one out")
    values = _checked(frame.to_numpy(), "X")
    if (np.diff(order) != 1).any():
        values = values[order]
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    recordings = [part.T for part in np.split(values, starts[1:])]
    clock = [part - part[0] if _is_date(frame.index.get_level_values(1)) else part for part in np.split(times, starts[1:])]
    longest = max(len(part) for part in clock)
    if all(len(part) == longest for part in clock):
        whole = values.reshape(len(starts), longest, len(names)).transpose(0, 2, 1)
        if all(np.array_equal(part, clock[0]) for part in clock):
            plain = np.array_equal(clock[0], np.arange(longest))
            return Samples(whole, None if plain else clock[0], names, list(uniques))
        return Samples(whole, np.stack(clock), names, list(uniques))
    if all(np.array_equal(part, np.arange(len(part))) for part in clock):
        return Samples(recordings, None, names, list(uniques))
    padded = np.full((len(clock), longest), np.nan)
    for at, part in enumerate(clock):
        padded[at, :len(part)] = part
    return Samples(recordings, padded, names, list(uniques))


def _is_date(level: Any) -> bool:
    return level.dtype.kind in "Mm" or hasattr(level, "tz")


def _times(level: Any) -> np.ndarray:
    """Return times as numbers: dates and durations in seconds."""
    if _is_date(level):
        missing = np.asarray(level.isna())
        ticks = np.asarray(level.asi8)
        begin = ticks[~missing].min() if (~missing).any() else 0
        per_second = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[getattr(level, "unit", "ns")]
        return np.where(missing, np.nan, (ticks - begin) / per_second)
    try:
        return np.asarray(level, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"X: the second level of the index is the time, and has {level[0]!r}: give numbers or dates") from None


def write_npz(path: Any, samples: Samples, name: str, arrays: Mapping[str, Any]) -> None:
    """Write samples as the array ``name`` of the program's data file, part by part, and the other arrays beside it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        with archive.open(name + ".npy", "w", force_zip64=True) as file:
            header = {"descr": npy.dtype_to_descr(samples.dtype), "fortran_order": False, "shape": samples.shape}
            npy.write_array_header_1_0(file, header)
            for start, stop in samples.parts(1 << 30):
                block = samples.block(start, stop)
                if block.shape[1:] != samples.shape[1:]:  # the longest recording is in another part
                    wide = np.full((len(block), *samples.shape[1:]), np.nan, dtype=samples.dtype)
                    wide[:, :, :block.shape[2]] = block
                    block = wide
                file.write(block.data.cast("B"))
        for other, value in arrays.items():
            with archive.open(other + ".npy", "w", force_zip64=True) as file:
                npy.write_array(file, np.asarray(value), allow_pickle=False)
