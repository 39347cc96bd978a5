#!/usr/bin/env bash
# MAPIE 1.6.0, lac: of 19 calibration samples the largest score is the threshold of sets at 0.95, since ceil(20 · 0.95) = 19, and such sets
# hold the truth in 19 of 20 cases. MAPIE refuses the 19 as too few and takes 20; so it is with 9 samples at 0.9.
# Seen with MAPIE 1.6.0 on Python 3.11. Exits with 1 if MAPIE behaves otherwise, 0 if it does as written here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q MAPIE==1.6.0
py/bin/python - <<'PYTHON'
import sys, warnings
from importlib.metadata import version
warnings.simplefilter("ignore")
import numpy as np
from mapie.classification import SplitConformalClassifier
from sklearn.linear_model import LogisticRegression
print("MAPIE", version("MAPIE"))
draw = np.random.default_rng(0)
x, y = draw.normal(size=(200, 1)), np.arange(200) % 2
x[y == 1] += 2
model, answers = LogisticRegression().fit(x[:100], y[:100]), []
for samples, level in [(19, 0.95), (20, 0.95), (9, 0.9), (10, 0.9)]:
    sets = SplitConformalClassifier(model, confidence_level=level, conformity_score="lac", prefit=True)
    sets.conformalize(x[100:100 + samples], y[100:100 + samples])
    try:
        sets.predict_set(x[150:])
        answers.append("sets")
    except ValueError as error:
        answers.append("refused")
    print(samples, "samples at", level, answers[-1])
sys.exit(0 if answers == ["refused", "sets"] * 2 else 1)
PYTHON
