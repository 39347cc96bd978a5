"""Times steps with the ways to keep freed memory, in turn, and prints a table.

    python3 benchmarks/heaps.py --rounds 5 --tcmalloc /usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4

Ways: `program` as ccp is built, `glibc` without internal/heap, `tcmalloc` the latter with that library preloaded (leave
out --tcmalloc to do without), `before` a step of an older build (--before FILE). Each process runs alone, so close other
programs. Columns: the median over the rounds of a process's median step in ms; the slowest round's over the fastest's;
processor ms of a step; the greatest peak of memory in MB; thousands of page faults a step, compiling included.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--work", nargs="+", default=[f"{w}/{t}" for w in ("ntu/infer-frozen", "cifar10/infer-frozen",
                    "cifar10/train") for t in ("float32", "bfloat16")], help="ARCH/MODE/DTYPE")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--tcmalloc", help="path of the library")
parser.add_argument("--before", help="path of an older benchmarks/step")
args = parser.parse_args()


def measure(program, environment, work):
    arch, mode, dtype = work.split("/")
    command = [program, "--arch", arch, "--mode", mode, "--dtype", dtype, "--steps", str(args.steps), "--warmup", "4"]
    faults = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt
    out = subprocess.run(command, env={**os.environ, **environment}, check=True, stdout=subprocess.PIPE).stdout
    faults = resource.getrusage(resource.RUSAGE_CHILDREN).ru_minflt - faults
    return {**json.loads(out), "faults": faults / (args.steps + 4) / 1e3}


with tempfile.TemporaryDirectory() as folder:
    build = {way: str(pathlib.Path(folder) / way) for way in ("program", "glibc")}
    for way, tag in (("program", ""), ("glibc", "plain")):
        subprocess.run(["go", "build", "-tags", tag, "-o", build[way], "./benchmarks/step"], check=True)
    ways = {"program": (build["program"], {}), "glibc": (build["glibc"], {})}
    if args.tcmalloc:
        ways["tcmalloc"] = (build["glibc"], {"LD_PRELOAD": args.tcmalloc})
    if args.before:
        ways["before"] = (args.before, {})
    rows = {}
    for _ in range(args.rounds):
        for work in args.work:
            for way, (program, environment) in ways.items():
                rows.setdefault((work, way), []).append(measure(program, environment, work))

print("| step | way | ms | slowest / fastest round | processor ms | peak MB | faults, thousands |\n|---|---|---|---|---|---|---|")
for (work, way), lines in rows.items():
    ms = [line["median_ms"] for line in lines]
    print(f"| {work} | {way} | {statistics.median(ms):.1f} | {max(ms) / min(ms):.2f} "
          f"| {statistics.median(line['cpu_ms'] for line in lines):.0f} | {max(line['peak_rss_mb'] for line in lines):.0f} "
          f"| {statistics.median(line['faults'] for line in lines):.1f} |")
