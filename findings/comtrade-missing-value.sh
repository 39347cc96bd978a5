#!/usr/bin/env bash
# comtrade 0.2.0: a missing value of an ASCII data file, 99999 in IEEE C37.111, is NaN only if no blank stands beside it. "1, 0, 99999" is
# read as 99,999 steps: 49,999.5 V at 0.5 V a step. Fields with blanks are read as numbers otherwise.
# Packages: comtrade==0.2.0 numpy==2.3.5. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q --disable-pip-version-check comtrade==0.2.0 numpy==2.3.5
py/bin/python - <<'PYTHON'
from importlib.metadata import version

import comtrade

with open("a.cfg", "w") as file:
    file.write("station,1,1999\n1,1A,0D\n1,VA,A,,V,0.5,0,0,-99999,99999,1,1,P\n50\n1\n1000,4\n01/01/2024,00:00:00.000000\n"
               "01/01/2024,00:00:00.000000\nASCII\n1\n")
read = {}
for blank in ("", " "):
    with open("a.dat", "w") as file:
        file.writelines(f"{at + 1},{blank}{at * 1000},{blank}{value}\r\n" for at, value in enumerate([10, 20, 99999, 30]))
    recorded = comtrade.Comtrade()
    recorded.load("a.cfg", "a.dat")
    read[blank] = list(recorded.analog[0])
    print("comtrade", version("comtrade"), "with blanks:   " if blank else "without blanks:", read[blank])
assert read[""][2] != read[""][2] and read[" "] == [5, 10, 49999.5, 15], "blanks make no difference now"
PYTHON
