#!/usr/bin/env bash
# aeon 1.6.0, load_from_ts_file: lines are put into lower case, and each "nan" or "?" in them becomes "NaN", classes too. So A and a
# become one class, and "dominant" becomes "domiNaNt", in silence; aeon's own save_to_ts_file has written the file.
# Seen with aeon 1.6.0 on Python 3.11. Exits with 1 if aeon behaves otherwise, 0 if it does as written here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q aeon==1.6.0
py/bin/python - <<'PYTHON'
import sys, warnings
from importlib.metadata import version
warnings.simplefilter("ignore")
import numpy as np
from aeon.datasets import load_from_ts_file, save_to_ts_file
print("aeon", version("aeon"))
written = ["A", "a", "dominant", "A", "a", "dominant"]
save_to_ts_file(np.random.default_rng(0).normal(size=(6, 1, 4)), np.array(written), label_type="classification", problem_name="labels")
read = load_from_ts_file("labels.ts")[1].tolist()
print("written", written)
print("read   ", read)
sys.exit(0 if read == ["a", "a", "domiNaNt"] * 2 else 1)
PYTHON
