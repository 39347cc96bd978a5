#!/usr/bin/env bash
# tslearn 0.10.0, PiecewiseAggregateApproximation: time points that are left over at the end are left out. Of 199 time points in 100
# segments each segment is one time point, and the last 99 are not seen.
# Packages: tslearn==0.10.0 numpy==2.2.6 scipy==1.15.3 scikit-learn==1.7.2 numba==0.65.1. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check tslearn==0.10.0 numpy==2.2.6 scipy==1.15.3 scikit-learn==1.7.2 numba==0.65.1
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
import numpy as np
import tslearn
from tslearn.piecewise import PiecewiseAggregateApproximation

series = np.zeros((1, 199, 1))
series[0, 100:] = 100
segments = PiecewiseAggregateApproximation(n_segments=100).fit_transform(series)
print("tslearn", tslearn.__version__)
print(f"a series that is 100 from time point 100 of 199 on: {segments.shape[1]} segments, the largest is {segments.max()}")
assert segments.max() == 0, "the end is seen now"
PYTHON
