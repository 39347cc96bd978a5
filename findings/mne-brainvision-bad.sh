#!/usr/bin/env bash
# MNE 1.13.2: what is marked as bad is no longer left out once a recording was exported to BrainVision and read again. The export writes the
# annotation BAD_blink as a comment, the reader calls it Comment/BAD_blink, and reject_by_annotation goes by names that begin with bad.
# With ignore_marker_types=True the reader gives the name back, for all marks. There is no warning.
# Packages: mne==1.13.2 pybv==0.8.1 numpy==2.3.5. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q --disable-pip-version-check mne==1.13.2 pybv==0.8.1 numpy==2.3.5
py/bin/python - <<'PYTHON'
from importlib.metadata import version

import mne
import numpy as np

raw = mne.io.RawArray(np.random.default_rng(0).normal(0, 1e-5, (1, 1000)), mne.create_info(["Cz"], 100, "eeg"), verbose="error")
raw.set_annotations(mne.Annotations([2.0], [3.0], ["BAD_blink"]))
raw.export("a.vhdr", verbose="error")
left = {}
for name, one in (("before", raw), ("after", mne.io.read_raw_brainvision("a.vhdr", preload=True, verbose="error"))):
    left[name] = one.get_data(reject_by_annotation="omit", verbose="error").shape[1]
    print("mne", version("mne"), f"{name} the export:", left[name], "time points are not bad,", list(one.annotations.description))
assert left["before"] == 700 and left["after"] == 1000, "the mark is still one of what is bad"
PYTHON
