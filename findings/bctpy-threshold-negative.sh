#!/usr/bin/env bash
# bctpy 0.6.1, threshold_proportional: of a signed matrix the strongest links are the largest, not those of the largest absolute
# value. A correlation of -0.8 is dropped, and one of 0.2 is kept.
# Packages: bctpy==0.6.1 numpy==2.2.6 scipy==1.15.3. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check bctpy==0.6.1 numpy==2.2.6 scipy==1.15.3
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
from importlib.metadata import version

import bct
import numpy as np

correlations = np.array([[0, .9, -.8, .1], [.9, 0, .2, .05], [-.8, .2, 0, .3], [.1, .05, .3, 0]])
kept = bct.threshold_proportional(correlations, 0.5)
print("bctpy", version("bctpy"))
print("half of the links are kept:", sorted({float(w) for w in kept.ravel() if w}))
assert kept[0, 2] == 0 and kept[1, 2] == 0.2, "strong negative links are kept now"
PYTHON
