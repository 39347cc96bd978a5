"""COMTRADE (IEEE C37.111), by comtrade: recorders of faults in power grids."""

from __future__ import annotations

import pathlib

import comtrade
import numpy as np

from .recording import Channel, Recording, stretches
from .texts import some


def read(path: pathlib.Path) -> list[Recording]:
    """Read a .cfg beside its .dat, or a .cff: analog channels as primary values, and the status channels' times at 1 as events.

    comtrade gives times in single precision unless it is told not to, and has zeros where the .dat ends early.
    """
    file, recording = _load(path), Recording("", [])
    time = np.asarray(file.time, float)
    known = int(np.argmax(np.r_[np.diff(time) <= 0, True])) + 1
    if known < len(time):
        recording.notes.append(f"the data end after {known} of {len(time)} time points")
    for channel, values, skewed in zip(file.cfg.analog_channels, file.analog, file.analog_time):
        values, lost = _primary(channel, values[:known], file.ft == "ASCII")
        times = np.asarray(skewed, float) if channel.skew else time
        recording.add(channel.name, times[:known], values, channel.uu, lost)
    turned = [one.name for one in file.cfg.analog_channels if _is_secondary(one)]
    if turned:
        recording.notes.append(f"secondary values are put on the primary side: {some(turned)}")
    for channel, values in zip(file.cfg.status_channels, file.status):
        for event in stretches(Channel(channel.name, time[:known], np.asarray(values[:known]))):
            if event.label == "1":
                recording.mark(event.start, event.end, channel.name)
    return [recording]


def _load(path: pathlib.Path) -> comtrade.Comtrade:
    file = comtrade.Comtrade(use_numpy_arrays=True, use_double_precision=True)
    try:
        file.load(str(path))
    except UnicodeDecodeError:  # the standard of 1999 knows ASCII alone, and its writers their own letters
        file.load(str(path), encoding="iso-8859-1")
    return file


def _is_secondary(channel: comtrade.AnalogChannel) -> bool:
    return channel.pors.upper() == "S" and bool(channel.secondary) and channel.primary != channel.secondary


def _primary(channel: comtrade.AnalogChannel, values: np.ndarray, in_text: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return values on the primary side of the transformer, and which are missing; comtrade gives them as the file has them.

    99999 stands for a missing value of a text file; comtrade takes it for a number where blanks surround it.
    """
    values = np.array(values, float)
    lost = np.isclose(values, 99999 * channel.a + channel.b, rtol=1e-9) & in_text
    return values * (channel.primary / channel.secondary if _is_secondary(channel) else 1), lost
