#!/usr/bin/env bash
# asammdf 8.8.28, MDF.to_dataframe and MDF.resample: a channel that begins later or ends earlier than others gets its first value before it
# was measured, and its last one for the rest of the recording; and a pause is filled by a straight line. Nothing is NaN, and there is
# neither a warning nor a column that says so. A sensor that failed after 4 of 10 s seems to be steady.
# Packages: asammdf==8.8.28 numpy==2.3.5 pandas==2.3.3. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q --disable-pip-version-check asammdf==8.8.28 numpy==2.3.5 pandas==2.3.3
py/bin/python - <<'PYTHON'
import warnings
from importlib.metadata import version

import numpy as np
from asammdf import MDF, Signal

file = MDF()
file.append([Signal(np.arange(100.0), np.arange(100) / 10, name="whole")])
file.append([Signal(10 * np.arange(5.0), 2 + np.arange(5) / 2, name="part")])  # from 2 to 4 s
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    frame = file.to_dataframe()
print("asammdf", version("asammdf"), "warnings:", len(said))
print("measured from 2 to 4 s; values at 0, 1, 2, 4, 6 and 9.9 s:", frame["part"].iloc[[0, 10, 20, 40, 60, 99]].tolist())
paused = MDF()
paused.append([Signal(np.arange(20.0), np.r_[np.arange(10) / 10, 31 + np.arange(10) / 10], name="paused")])
line = paused.resample(10.0).get("paused")
print("nothing from 1 to 31 s; resampled each 10 s:", dict(zip(line.timestamps.tolist(), line.samples.round(2).tolist())))
held = frame["part"].iloc[[0, 60, 99]].tolist()
assert not said and held == [0, 40, 40] and not np.isnan(line.samples).any() and 9 < line.samples[1] < 10, "nothing is made up now"
PYTHON
