"""Writes recordings of EEG as data for ccp: a sample from TMIN to TMAX seconds after each annotation, which is its class.

MNE reads EDF, BDF, GDF, BrainVision, EEGLAB and more. Electrodes of the 10-05 system bring their positions; other channels
are left out. Of several files, the samples of each are a group, which no drawn split parts.

    pip install mne
    python3 examples/python/eeg.py eeg.npz TMIN TMAX s01.edf s02.edf
    ccp train --data eeg.npz
"""
import pathlib
import re
import sys

import mne
import numpy as np

out, tmin, tmax, *paths = sys.argv[1:]
montage = mne.channels.make_standard_montage("colin27_1005")
electrodes = {name.lower(): name for name in montage.ch_names}
recordings, labels, groups, names = [], [], [], []
for path in paths:
    raw = mne.io.read_raw(path, preload=True, verbose="warning")
    known = {name: electrodes.get(re.sub(r"^eeg |-\w+$|\.+$", "", name.lower())) for name in raw.ch_names}  # EEG Fp1-REF, Fc5..
    print(f"{path}: left out:", ", ".join(name for name in known if not known[name]) or "no channel")
    raw.pick([name for name in known if known[name]])
    raw.rename_channels({name: known[name] for name in raw.ch_names}).set_montage(montage)
    events, numbers = mne.events_from_annotations(raw, verbose="warning")  # of all but BAD annotations, whose times are left out
    end = float(tmax) - 1 / raw.info["sfreq"]
    epochs = mne.Epochs(raw, events, numbers, float(tmin), end, baseline=None, preload=True, verbose="warning")
    label = {number: label for label, number in numbers.items()}
    labels += [label[number] for number in epochs.events[:, 2]]
    names += [f"{pathlib.Path(path).stem} at {timepoint / raw.info['sfreq']:g} s" for timepoint in epochs.events[:, 0]]
    groups += [pathlib.Path(path).stem] * len(epochs)
    recordings.append(epochs)
recordings = mne.channels.equalize_channels(recordings)  # to those that all have, in one order
sensors, positions = recordings[0].ch_names, recordings[0].get_montage().get_positions()["ch_pos"]
series = np.concatenate([epochs.get_data(units="uV") for epochs in recordings]).astype(np.float32)  # [samples, sensors, timepoints]
np.savez(out, series=series, rate=recordings[0].info["sfreq"], labels=labels, sensor_names=sensors, sample_names=names,
         coordinates=[positions[sensor] for sensor in sensors],  # [sensors, 3] in m
         **({"groups": groups} if len(paths) > 1 else {}))
