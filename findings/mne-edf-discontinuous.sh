#!/usr/bin/env bash
# MNE 1.13.2 and edfio 0.4.18: the pauses of a discontinuous file (EDF+D) are closed, while annotations keep their times. What was marked
# after a pause of 60 s is then read 60 s too late in the signal, without a warning as long as the file is longer than that.
# EDF+ (Kemp and Olivan 2003) says when each data record begins in its first annotation.
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


def fields(width, *values):
    return b"".join(str(value).encode().ljust(width) for value in values)


# 20 s, a pause of 60 s, and 180 s more, in records of 1 s at 10 Hz. From 100 to 101 s the signal is 1,000 µV, and marked.
begins = [*range(20), *range(80, 260)]
head = fields(8, 0) + fields(80, "X X X X", "Startdate 01-JAN-2020 X X X") + fields(8, "01.01.20", "00.00.00", 768) + fields(44, "EDF+D")
head += fields(8, len(begins), 1) + fields(4, 2) + fields(16, "Cz", "EDF Annotations") + fields(80, "", "")
head += fields(8, "uV", "", -3276.8, -1, 3276.7, 1, -32768, -32768, 32767, 32767) + fields(80, "", "") + fields(8, 10, 20) + fields(32, "", "")
with open("a.edf", "wb") as file:
    file.write(head)
    for begin in begins:
        file.write(np.full(10, 10000 if begin == 100 else 0, "<i2").tobytes())
        file.write((f"+{begin}\x14\x14\0" + (f"+{begin}\x151\x14blink\x14\0" if begin == 100 else "")).encode().ljust(40, b"\0"))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    raw = mne.io.read_raw_edf("a.edf", preload=True, verbose="warning")
marked = raw.copy().crop(raw.annotations.onset[0], raw.annotations.onset[0] + 0.9).get_data()[0]
where = np.flatnonzero(raw.get_data()[0] > 5e-4) / 10
print("mne", version("mne"), "warnings:", [str(one.message) for one in said])
print(f"{raw.annotations.description[0]} at {raw.annotations.onset[0]:g} s, where the signal is {marked.max() * 1e6:.0f} µV; it is 1,000 µV from {where[0]:g} s on")
own = edfio.read_edf("a.edf")
print(f"edfio {version('edfio')}: {own.annotations[0].text} at {own.annotations[0].onset:g} s, 1,000 µV from {np.flatnonzero(own.signals[0].data > 500)[0] / 10:g} s on")
assert not said and raw.annotations.onset[0] == 100 and where[0] == 40, "MNE keeps the pause now, or says so"
assert own.annotations[0].onset == 100 and np.flatnonzero(own.signals[0].data > 500)[0] == 400, "edfio keeps the pause now"
PYTHON
