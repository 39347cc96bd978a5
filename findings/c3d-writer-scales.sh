#!/usr/bin/env bash
# c3d 0.6.0, c3d.Writer: a file with analog channels has ANALOG:SCALE and ANALOG:OFFSET without any value unless set_analog_scales and
# set_analog_offsets are called, though the format has one of each for every channel of ANALOG:USED (c3d.org, the ANALOG group). Its own
# reader takes 1 and 0 for them; programs that trust the format read what is not there.
# Packages: c3d==0.6.0 numpy==2.3.5. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q --disable-pip-version-check c3d==0.6.0 numpy==2.3.5
py/bin/python - <<'PYTHON'
from importlib.metadata import version

import c3d
import numpy as np

writer = c3d.Writer(point_rate=100, analog_rate=100)
writer.set_point_labels(["LASI", "RASI", "C7"])
writer.set_analog_labels(["EMG1", "EMG2"])
writer.add_frames([(np.ones((3, 5), np.float32), np.full((2, 1), at, np.float32)) for at in range(10)])
with open("a.c3d", "wb") as file:
    writer.write(file)
with open("a.c3d", "rb") as file:
    reader = c3d.Reader(file)
    used = reader.get("ANALOG:USED").int16_value
    there = {name: int(np.prod(reader.get(f"ANALOG:{name}").dimensions)) for name in ("SCALE", "OFFSET")}
print("c3d", version("c3d"), "wrote", used, "analog channels with", there, "values")
assert used == 2 and there == {"SCALE": 0, "OFFSET": 0}, "each channel has a scale and an offset now"
PYTHON
