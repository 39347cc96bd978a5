"""COMTRADE (IEEE C37.111), by comtrade: recorders of faults in power grids."""

from __future__ import annotations

import pathlib

import comtrade
import numpy as np

from .recording import Channel, Recording, stretches


def read(path: pathlib.Path) -> list[Recording]:
    """Read a .cfg beside its .dat, or a .cff: analog channels as primary values, and the status channels' times at 1 as events.

    comtrade leaves values on the side of the transformer that the file has, takes a missing value of a text file as a number
    where blanks surround it, gives times in single precision, and has zeros where the .dat ends early.
    """
    file = comtrade.Comtrade(use_numpy_arrays=True, use_double_precision=True)
    try:
        file.load(str(path))
    except UnicodeDecodeError:  # the standard of 1999 knows ASCII alone, and its writers their own letters
        file.load(str(path), encoding="iso-8859-1")
    recording, primary = Recording("", []), []
    time = np.asarray(file.time, float)
    known = int(np.argmax(np.r_[np.diff(time) <= 0, True])) + 1
    if known < len(time):
        recording.notes.append(f"the data end after {known} of {len(time)} time points")
    for channel, values, times in zip(file.cfg.analog_channels, file.analog, file.analog_time):
        values = np.array(values[:known], float)
        if file.ft == "ASCII":
            values[np.isclose(values, 99999 * channel.a + channel.b, rtol=1e-9)] = np.nan
        if channel.pors.upper() == "S" and channel.secondary and channel.primary != channel.secondary:
            values *= channel.primary / channel.secondary
            primary.append(channel.name)
        times = time if not channel.skew else np.asarray(times, float)
        recording.channels.append(Channel(channel.name, times[:known], values, channel.uu))
    if primary:
        recording.notes.append(
            f"secondary values are put on the primary side: {', '.join(primary[:6])}{' …' if len(primary) > 6 else ''}"
        )
    for channel, values in zip(file.cfg.status_channels, file.status):
        values = np.asarray(values[:known])
        for event in stretches(Channel(channel.name, time[:known], values)):
            if event.label == "1":
                event.label = channel.name
                recording.events.append(event)
    return [recording]
