#!/usr/bin/env bash
# PyGSP 0.6.1, graphs.NNGraph: the kernel is exp(-d^2 / sigma) with sigma a distance, so that weights depend on the unit of the
# coordinates. The same 30 points in metres and in millimetres: the heaviest weight is 0.998 and 0.216, the lightest 0.13 and 0.
# Packages: pygsp==0.6.1 numpy==2.2.6 scipy==1.15.3. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pygsp==0.6.1 numpy==2.2.6 scipy==1.15.3
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
import numpy as np
import pygsp
from pygsp import graphs

points = np.random.default_rng(0).random((30, 2))
weights = {unit: graphs.NNGraph(points * unit, k=3, center=False, rescale=False).W.data for unit in (1, 1000)}
print("PyGSP", pygsp.__version__)
for unit, w in weights.items():
    print(f"coordinates times {unit}: weights from {w.min():.3g} to {w.max():.3g}")
assert not np.isclose(weights[1].max(), weights[1000].max()), "the weights do not depend on the unit any more"
PYTHON
