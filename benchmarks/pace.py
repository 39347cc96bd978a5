"""Processor time, peak memory, accuracy and log-loss of builds of ccp, in turns on the same data sets.

    python3 benchmarks/pace.py --ccp before=OLD after=NEW --out FILE.csv FILE.npz…
    python3 benchmarks/pace.py --ccp before=OLD after=NEW --flags=--fast --seeds 1 2 3 --core 0 --out FILE.csv FILE.npz…

Each training is a process of its own, in a temporary folder. Its time is that of the processor, user and system, so that what else
runs matters little; --core has all on one core, which a busy machine disturbs least. Needs a Unix.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def train(program, file, flags, seed, core):
    """Returns processor seconds, peak MB, accuracy and log-loss on the test of one training."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = os.path.join(folder, "run")
        command = [program, "train", "--data", file, "--seed", str(seed), "--checkpoint", checkpoint, *flags]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if core is not None:
            os.sched_setaffinity(process.pid, {core})
        complaint = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"{' '.join(command)}:\n{complaint}")
        test = json.loads(pathlib.Path(checkpoint, "result.json").read_text())["test"]
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, 100 * test["accuracy"], test["loss"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ccp", nargs="+", required=True, metavar="NAME=PROGRAM")
    parser.add_argument("--flags", default="", help="of ccp train, such as --fast")
    parser.add_argument("--seeds", nargs="+", type=int, default=[1])
    parser.add_argument("--core", type=int)
    parser.add_argument("--out", required=True)
    parser.add_argument("files", nargs="+")
    asked = parser.parse_args()
    builds = [build.split("=", 1) for build in asked.ccp]
    with open(asked.out, "w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["set", "flags", "seed", "build", "processor_seconds", "peak_mb", "accuracy", "loss"])
        for file in asked.files:
            for seed in asked.seeds:
                for name, program in builds:
                    seconds, peak, accuracy, loss = train(program, file, asked.flags.split(), seed, asked.core)
                    table.writerow([pathlib.Path(file).stem, asked.flags, seed, name, f"{seconds:.1f}", f"{peak:.0f}",
                                    f"{accuracy:.2f}", f"{loss:.4f}"])
                    out.flush()


if __name__ == "__main__":
    main()
