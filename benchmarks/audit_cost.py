"""What an audit costs: processor time of two builds, one of them without it, in turn.

    python benchmarks/audit_cost.py --ccp build/ccp --before build/ccp-before --out benchmarks/results/audit-cost.csv suite/ERing.npz …

Each file is trained by `ccp train --fast` so many times by each build. Then 100,000 recordings of noise of 100 time points, of --sensors
sensors and two classes, are looked at by `ccp data check`. A line has the least and the median processor time (user and system) of each
build, in seconds: on a busy machine the least says most. Needs numpy.
"""
import argparse
import csv
import os
import pathlib
import subprocess
import tempfile

import numpy as np


def seconds(command):
    """Returns the processor time of a command."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command}: {child.returncode}")
    return usage.ru_utime + usage.ru_stime


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("data", nargs="*")
    options.add_argument("--ccp", default="ccp")
    options.add_argument("--before", required=True)
    options.add_argument("--times", type=int, default=3)
    options.add_argument("--sensors", type=int, default=10, help="0: nothing is checked")
    options.add_argument("--out", help="a file for the table, as CSV")
    o = options.parse_args()
    columns = "what", "before_least", "before_median", "with_least", "with_median", "more_percent"
    rows = []

    def compare(what, arguments):
        taken = {build: [] for build in (o.before, o.ccp)}
        for _ in range(o.times):
            for build in taken:
                taken[build].append(seconds([build, *arguments]))
        before, after = taken.values()
        row = what, min(before), np.median(before), min(after), np.median(after), 100 * (min(after) / min(before) - 1)
        rows.append([row[0], *(f"{x:.2f}" for x in row[1:])])
        print(*rows[-1], sep="\t", flush=True)

    with tempfile.TemporaryDirectory() as folder:
        for data in o.data:
            compare(f"train --fast {pathlib.Path(data).stem}",
                    ["train", "--data", data, "--fast", "--checkpoint", folder + "/run", "--overwrite"])
        if o.sensors:
            rng = np.random.default_rng(1)
            np.savez(folder + "/many.npz", series=rng.normal(size=(100_000, o.sensors, 100)).astype(np.float32),
                     labels=rng.integers(0, 2, 100_000).astype(str))
            compare(f"data check 100,000 x {o.sensors} x 100", ["data", "check", folder + "/many.npz"])
    if o.out:
        with open(o.out, "w", newline="") as f:
            csv.writer(f).writerows([columns, *rows])


if __name__ == "__main__":
    main()
