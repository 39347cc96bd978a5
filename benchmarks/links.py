"""What programs have on data sets whose classes show along links or which are in the order of time, with several seeds, and
simple methods beside them.

    python benchmarks/links.py --out links.csv --ccp before=OLD/ccp --ccp after=build/ccp moving{seed}.npz season-us.npz …

Each data set is trained by each program with the training seeds 1, 2 and 3, by `ccp train --fast` and by `ccp train` alone; {seed}
in the name of a file stands for the seed. Files are those of generated.py and ordered.py, named by their kind, whose simple method is
fitted, too (of ordered.py the one that has most of the test right), or any other, which have none. A line of the table is a
training: test accuracy, test log-loss and processor seconds. Lines that the table has already are not made again. Without data
sets, the table's means and standard deviations over seeds are printed. Needs numpy and scikit-learn.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import resource
import subprocess
import tempfile

import numpy as np

COLUMNS = ["set", "method", "seed", "accuracy", "loss", "processor_s"]


def trained(program, flags, path, seed):
    """Test accuracy, test log-loss and processor seconds of one training."""
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [program, "train", "--data", path, *flags, "--seed", str(seed), "--checkpoint", folder + "/run"]
        subprocess.run(command, check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        test = json.loads(pathlib.Path(folder, "run", "result.json").read_text())["test"]
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return test["accuracy"], test["loss"], seconds


def simple(kind, data):
    """Test accuracy and log-loss of the kind's simple method; None if it has none."""
    import generated
    import ordered

    if kind in generated.KINDS:
        return generated.baseline(kind, data)["baseline"]
    if kind.split("-")[0] in {**ordered.REAL, **ordered.DRAWN}:
        return max(ordered.baseline(data).values())
    return None


def summary(path):
    """Prints each set's means and standard deviations over seeds."""
    groups = {}
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            groups.setdefault((row["set"], row["method"]), []).append([float(row[c] or "nan") for c in COLUMNS[3:]])
    for (name, method), rows in sorted(groups.items()):
        mean, deviation = np.mean(rows, 0), np.std(rows, 0, ddof=1) if len(rows) > 1 else [0, 0, 0]
        print(f"{name:20} {method:16} {len(rows)} {100 * mean[0]:5.1f} ± {100 * deviation[0]:.1f}% "
              f"loss {mean[1]:.3f} ± {deviation[1]:.3f} {mean[2]:6.1f} s")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="*")
    options.add_argument("--ccp", action="append", default=[], metavar="NAME=PROGRAM")
    options.add_argument("--only", choices=("fast", "default"), help="one of the two trainings")
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--out", required=True, help="the table, a CSV file")
    o = options.parse_args()
    if not o.data:
        return summary(o.out)
    made = set()
    if os.path.exists(o.out):
        with open(o.out, newline="") as f:
            made = {(row["set"], row["method"], row["seed"]) for row in csv.DictReader(f)}

    def add(name, method, seed, figures):
        fresh = not os.path.exists(o.out)
        with open(o.out, "a", newline="") as f:
            writer = csv.writer(f, lineterminator="\n")
            writer.writerows([COLUMNS] * fresh + [[name, method, seed, *figures]])
        print(name, method, seed, *figures, flush=True)

    for data in o.data:
        kind = re.sub(r"\{seed\}|\d+", "", pathlib.Path(data).stem)
        for seed in range(1, o.seeds + 1):
            path = data.replace("{seed}", str(seed))
            for program in o.ccp:
                name, binary = program.split("=", 1)
                for method, flags in (f"{name} --fast", ["--fast"]), (name, []):
                    if (kind, method, str(seed)) in made or o.only and (o.only == "fast") != bool(flags):
                        continue
                    accuracy, loss, seconds = trained(binary, flags, path, seed)
                    add(kind, method, seed, [f"{accuracy:.4f}", f"{loss:.4f}", f"{seconds:.1f}"])
            if (kind, "simple", str(seed)) not in made and (path != data or seed == 1):
                found = simple(kind, dict(np.load(path)))
                if found:
                    add(kind, "simple", seed, [f"{found[0]:.4f}", f"{found[1]:.4f}", ""])


if __name__ == "__main__":
    main()
