"""What an audit costs: processor time of two builds, one of them without it, in turn.

    python benchmarks/audit_cost.py --ccp build/ccp --before build/ccp-without --out benchmarks/results/audit-cost.csv suite/ERing.npz …

The build without it is of the same source, in which datasets.Audit and findFamilies return at once with nothing: builds of other days
differ in more. Each file is trained by `ccp train --fast` so many times by each build. Then `ccp data check` looks at 20,000
recordings of 100 time points and two classes, of noise and of sums of three waves, and at 100,000 of noise of --sensors sensors. A line has
the least and the median processor time (user and system) of each build, in seconds: on a busy machine the least says most. Needs numpy.
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
            frequency, size, phase = rng.uniform(.02, .3, (3, 20_000, 1)), rng.normal(size=(3, 20_000, 1)), rng.uniform(0, 6.3, (3, 20_000, 1))
            waves = (size * np.sin(frequency * np.arange(100) + phase)).sum(0)
            for what, x in dict(noise=rng.normal(size=(20_000, 100)), waves=waves).items():
                np.savez(folder + "/some.npz", series=x[:, None].astype(np.float32), labels=rng.integers(0, 2, 20_000).astype(str))
                compare(f"data check 20,000 x 1 x 100 {what}", ["data", "check", folder + "/some.npz"])
            np.savez(folder + "/many.npz", series=rng.normal(size=(100_000, o.sensors, 100)).astype(np.float32),
                     labels=rng.integers(0, 2, 100_000).astype(str))
            compare(f"data check 100,000 x {o.sensors} x 100 noise", ["data", "check", folder + "/many.npz"])
    if o.out:
        with open(o.out, "w", newline="") as f:
            csv.writer(f).writerows([columns, *rows])


if __name__ == "__main__":
    main()
