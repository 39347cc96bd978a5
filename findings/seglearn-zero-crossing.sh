#!/usr/bin/env bash
# seglearn 1.2.5, feature_functions.zero_crossing(): it returns the number of time points less one, whatever the series is.
# mean_crossings counts sign changes of the values, not of what is left after the mean is subtracted: a series that is shifted by 10
# has none.
# Packages: seglearn==1.2.5 numpy==2.2.6 scipy==1.15.3 scikit-learn==1.7.2 pandas==2.3.3. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check seglearn==1.2.5 numpy==2.2.6 scipy==1.15.3 scikit-learn==1.7.2 pandas==2.3.3
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
from importlib.metadata import version

import numpy as np
from seglearn import feature_functions

series = np.sin(np.arange(100) / 5)[None, :, None]
signs = int(np.sum(np.diff(np.sign(series[0, :, 0])) != 0))
crossings = float(feature_functions.zero_crossing(0.0)(series)[0, 0])
shifted = float(feature_functions.mean_crossings(series + 10)[0, 0])
print("seglearn", version("seglearn"))
print(f"a sine with {signs} changes of sign: zero_crossing {crossings:.0f}, mean_crossings {feature_functions.mean_crossings(series)[0, 0]:.0f}, "
      f"mean_crossings of the sine plus 10: {shifted:.0f}")
assert crossings == 99 and shifted == 0, "crossings are counted now"
PYTHON
