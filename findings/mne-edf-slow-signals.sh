#!/usr/bin/env bash
# MNE 1.13.2, read_raw_edf: a signal that is slower than others in the file gets values that nobody measured. It is put on the fastest rate
# by a Fourier transform of the whole, which swings beyond the values at each edge and joins the end of the recording to its begin: an
# oxygen saturation of 0, then 100% is from -14 to 114%, and a temperature that rises from 30 to 40 falls from 30 to 29 at first.
# There is no warning. edfio 0.4.18 reads each signal as it is.
# Packages: mne==1.13.2 edfio==0.4.18 numpy==2.3.5. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q --disable-pip-version-check mne==1.13.2 edfio==0.4.18 numpy==2.3.5
py/bin/python - <<'PYTHON'
import warnings
from importlib.metadata import version

import edfio
import mne
import numpy as np

saturation, temperature = np.repeat([0.0, 100.0], 50), np.linspace(30, 40, 10)
edfio.Edf([edfio.EdfSignal(np.zeros(2560), 256, label="EEG", physical_dimension="uV", physical_range=(-100, 100)),
           edfio.EdfSignal(saturation, 10, label="SaO2", physical_dimension="%"),
           edfio.EdfSignal(temperature, 1, label="Temp", physical_dimension="degC")]).write("a.edf")
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    read = mne.io.read_raw_edf("a.edf", preload=True, verbose="warning").get_data()
print("mne", version("mne"), "warnings:", [str(one.message) for one in said])
print(f"SaO2 written 0 to 100, read {read[1].min():.1f} to {read[1].max():.1f}")
print(f"Temp written {temperature[:3].round(1)}, read each half second {read[2, ::128][:5].round(1)}, lowest {read[2].min():.1f}, highest {read[2].max():.1f}")
own = edfio.read_edf("a.edf").signals[1].data
print(f"edfio: {own.min():.1f} to {own.max():.1f}")
assert not said and read[1].min() < -10 and read[1].max() > 110 and read[2].min() < 29.5 and read[2].max() > 40.5, "slow signals are read otherwise now"
PYTHON
