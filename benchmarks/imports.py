"""`ccp data import` beside pandas and polars, in turn, on the same tables: seconds and peak memory.

A table of time points (sample, time, sensors, label) and folders of recordings are drawn. All make the array `series`
[samples, sensors, timepoints] and labels. Its rows are compared. Prints one line for each program and input.

    VENV/bin/python benchmarks/imports.py --ccp ./ccp --recordings 20000 --rounds 3
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

TIMEPOINTS, SENSORS = 100, 6


def draw(folder, recordings):
    rng = np.random.default_rng(0)
    table, apart = folder / "timepoints.csv", folder / "apart"
    with open(table, "w") as out:
        out.write("sample,time," + ",".join(f"s{k}" for k in range(SENSORS)) + ",label\n")
        for sample in range(recordings):
            values = rng.normal(size=(TIMEPOINTS, SENSORS)).astype(np.float32)
            label = "ab"[sample % 2]
            for timepoint, row in enumerate(values):
                out.write(f"r{sample:06d},{timepoint}," + ",".join(f"{v:.6g}" for v in row) + f",{label}\n")
            if sample < recordings // 10:
                (apart / label).mkdir(parents=True, exist_ok=True)
                with open(apart / label / f"r{sample:06d}.csv", "w") as one:
                    one.write("time," + ",".join(f"s{k}" for k in range(SENSORS)) + "\n")
                    for timepoint, row in enumerate(values):
                        one.write(f"{timepoint}," + ",".join(f"{v:.6g}" for v in row) + "\n")


def by(library, source, out):
    """What a person writes: read, sort, reshape, save."""
    names = [f"s{k}" for k in range(SENSORS)]
    source = pathlib.Path(source)
    order = ["label"] * source.is_dir() + ["sample", "time"]
    files = sorted(source.glob("*/*.csv")) if source.is_dir() else [source]
    if library == "pandas":
        import pandas
        frames = [pandas.read_csv(f) for f in files]
        if source.is_dir():
            frames = [t.assign(sample=f.stem, label=f.parent.name) for f, t in zip(files, frames)]
        table = pandas.concat(frames).sort_values(order)
        values, labels = table[names].to_numpy(np.float32), table["label"].to_numpy()[::TIMEPOINTS]
    else:
        import polars
        frames = [polars.read_csv(f) for f in files]
        if source.is_dir():
            frames = [t.with_columns(sample=polars.lit(f.stem), label=polars.lit(f.parent.name)) for f, t in zip(files, frames)]
        table = polars.concat(frames).sort(order)
        values, labels = table.select(names).to_numpy().astype(np.float32), table["label"].to_numpy()[::TIMEPOINTS]
    series = values.reshape(-1, TIMEPOINTS, SENSORS).transpose(0, 2, 1)
    np.savez(out, series=series, labels=np.unique(labels.astype(str), return_inverse=True)[1].astype(np.int32))


def same(*files):
    """Compares what all have read. The default parser of pandas rounds the last digit of some values."""
    ours, *others = [np.load(file) for file in files]
    for other in others:
        assert np.array_equal(other["labels"], ours["labels"])
        assert np.allclose(other["series"].reshape(-1, SENSORS, TIMEPOINTS), ours["series"][..., 0], rtol=1e-6, atol=0)


def main():
    if sys.argv[1] == "by":
        return by(*sys.argv[2:])
    if sys.argv[1] == "draw":
        return draw(pathlib.Path(sys.argv[2]), int(sys.argv[3]))
    if sys.argv[1] == "same":
        return same(*sys.argv[2:])
    p = argparse.ArgumentParser()
    p.add_argument("--ccp", required=True)
    p.add_argument("--recordings", type=int, default=20_000)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--folder", default=None)
    args = p.parse_args()
    with tempfile.TemporaryDirectory(dir=args.folder) as folder:
        folder = pathlib.Path(folder)
        this = [sys.executable, __file__]  # a child's peak memory is at least its parent's: this process stays small
        subprocess.run([*this, "draw", folder, str(args.recordings)], check=True)
        for source in (folder / "timepoints.csv", folder / "apart"):
            size = sum(f.stat().st_size for f in ([source] if source.is_file() else source.glob("*/*.csv"))) / 1e6
            outs = {name: folder / f"{name}.npz" for name in ("ccp", "pandas", "polars")}
            took = {name: [] for name in outs}
            for _ in range(args.rounds):
                for name, out in outs.items():
                    command = [args.ccp, "data", "import", str(source), "--out", str(out), "--overwrite"] if name == "ccp" else \
                        [*this, "by", name, str(source), str(out)]
                    took[name].append(measured(command))
            subprocess.run([*this, "same", *outs.values()], check=True)
            for name, all in took.items():
                seconds, cpu, memory = (statistics.median(column) for column in zip(*all))
                print(f"{source.name}, {size:.0f} MB: {name} {seconds:.2f} s, {cpu:.2f} s of processor time, {memory:.0f} MB")


def measured(command):
    """Seconds, processor seconds and peak memory in MB of a command, in a process of its own."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, command
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    main()
