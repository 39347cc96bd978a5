#!/usr/bin/env bash
# aeon 1.6.0, load_from_ts_file: after @timeStamps true it takes what looks like digits.digits out of a line. Minus signs and exponents go,
# whole numbers are skipped, decimal times become values; nothing is said. sktime 1.2.0 reads the same file right.
# Seen with aeon 1.6.0 on Python 3.11: 1.5, -2.25, 3.5 at the times 0, 1, 2 are read as 1.5, 2.25, 3.5; at the times 0.5, 1.5, 2.5 a
# series of three values has six.
# Exits with 1 if aeon behaves otherwise, 0 if it does as written here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q aeon==1.6.0
head='@problemName t\n@timeStamps true\n@missing false\n@univariate true\n@equalLength true\n@seriesLength 3\n@classLabel true u v\n@data\n'
printf "$head"'(0,1.5),(1,-2.25),(2,3.5):u\n(0,1.5),(1,-2.25),(2,3.5):v\n' >signs.ts
printf "$head"'(0.5,1.5),(1.5,2.25),(2.5,3.5):u\n(0.5,1.5),(1.5,2.25),(2.5,3.5):v\n' >decimal.ts
py/bin/python - <<'PYTHON'
import sys, warnings
from importlib.metadata import version
warnings.simplefilter("ignore")
from aeon.datasets import load_from_ts_file
print("aeon", version("aeon"))
seen = {}
for name in ("signs", "decimal"):
    X, y = load_from_ts_file(name + ".ts")
    seen[name] = X[0].ravel().tolist()
    print(name + ".ts:", open(name + ".ts").read().splitlines()[-2], "is read as", seen[name])
sys.exit(0 if seen == {"signs": [1.5, 2.25, 3.5], "decimal": [0.5, 1.5, 1.5, 2.25, 2.5, 3.5]} else 1)
PYTHON
