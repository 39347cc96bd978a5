#!/usr/bin/env bash
# nilearn 0.14.1, ConnectivityMeasure(kind="correlation", standardize="zscore_sample"): signals of different units are not
# standardised before their covariance is shrunk. Two signals that correlate by 0.80, one in units a thousand times larger, have
# 0.01; with standardize=True it is 0.78.
# Packages: nilearn==0.14.1 numpy==2.2.6. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check nilearn==0.14.1 numpy==2.2.6
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
import warnings

warnings.filterwarnings("ignore")
import nilearn
import numpy as np
from nilearn.connectome import ConnectivityMeasure

rng = np.random.default_rng(0)
common = rng.normal(size=200)
signals = np.c_[common + 0.5 * rng.normal(size=200), 1000 * (common + 0.5 * rng.normal(size=200))]
print("nilearn", nilearn.__version__)
print(f"numpy.corrcoef: {np.corrcoef(signals.T)[0, 1]:.3f}")
found = {}
for standardize in ("zscore_sample", True):
    found[standardize] = ConnectivityMeasure(kind="correlation", standardize=standardize).fit_transform([signals])[0][0, 1]
    print(f"standardize={standardize!r}: {found[standardize]:.3f}")
assert found["zscore_sample"] < 0.1, "zscore_sample standardises now"
PYTHON
