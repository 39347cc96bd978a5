"""What arrays and dimensions are called that are no measurements, in formats that have no word for these themselves; and axes of sensors."""

from __future__ import annotations

RATES = ("fs", "fsample", "rate", "srate", "sfreq", "samplingrate", "sample_rate", "sampling_rate", "samplerate")
RATES += ("samplingfrequency", "sampling_frequency", "samplefrequency", "sample_frequency", "sampling_freq", "samp_rate")
LABELS = ("labels", "label", "y", "classes", "class")
SAMPLES = ("sample", "samples", "case", "trial", "epoch", "recording")


def split_axes(names: list[str]) -> tuple[list[str], list[str]]:
    """Return sensors and axes of hip.x, hip.y, hip.z, head.x, …; no axes, unless all sensors have the same ones in that order."""
    pairs = [name.rpartition(".") for name in names]
    sensors = list(dict.fromkeys(before for before, _, _ in pairs))
    axes = list(dict.fromkeys(axis for _, _, axis in pairs))
    if len(axes) > 1 and set(axes) <= set("xyzw") and [f"{one}.{axis}" for one in sensors for axis in axes] == names:
        return sensors, axes
    return names, []
