"""Times our networks and other implementations in turn, each in its own process, and writes a CSV of medians and ratios.

    VENV/bin/python benchmarks/peers/compare.py --out FILE.csv

VENV has the packages of requirements.txt. Run it from the repository's root. All programs compute with the same network,
graph and signals. A ratio is our time over the row's. An implementation that fails has no row, the others have.
"""

import argparse
import csv
import fnmatch
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent

# Each implementation computes the networks of some models of models.Spec. PyTorch Geometric can hold a batch on one graph
# in three ways, see pyg.py.
PEERS = {
    "torch": (["ccp"], ["ccp_torch.py"]),
    "torch-bfloat16": (["ccp"], ["ccp_torch.py", "--dtype", "bfloat16"]),
    "torch-compiled": (["ccp"], ["ccp_torch.py", "--compile"]),
    "torch-bfloat16-compiled": (["ccp"], ["ccp_torch.py", "--dtype", "bfloat16", "--compile"]),
    "jax": (["ccp"], ["ccp_jax.py"]),
    "pyg-static": (["chebyshev", "gcn"], ["pyg.py", "--layout", "static"]),
    "pyg-blocks": (["chebyshev", "gcn", "gat"], ["pyg.py", "--layout", "blocks"]),
    "pyg-sparse": (["gcn"], ["pyg.py", "--layout", "sparse"]),
}
COLUMNS = ["median_ms", "cpu_ms", "peak_rss_mb"]
COPIES = "import numpy; a = numpy.ones(1 << 23); b = a.copy()\nwhile True: numpy.copyto(b, a)"


def flags():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--work", nargs="+", metavar="ARCH/MODE", help="workloads, as benchmarks/step has them",
                   default=[f"{a}/{m}" for a in ("cifar10", "ntu", "20news") for m in ("train", "infer-frozen")])
    p.add_argument("--with", dest="peers", nargs="+", default=["torch", "jax", "pyg-*"], metavar="NAME",
                   help="implementations beside ours: ccp-bfloat16, " + ", ".join(PEERS) + "; * stands for any text")
    p.add_argument("--rounds", type=int, default=3, help="the number of turns that each takes")
    p.add_argument("--batch", type=int, default=64, help="samples in a step")
    p.add_argument("--steps", type=int, default=10, help="timed steps in a turn")
    p.add_argument("--cpus", default="", help="processors to pin every process to, as taskset writes them")
    p.add_argument("--copies", action="store_true", help="beside a process that copies 64 MB again and again")
    p.add_argument("--backend", default="", help="xla:cpu or xla:cuda (default: the CPU for others, the best for ours)")
    p.add_argument("--step", help="our program (default: benchmarks/step is built)")
    p.add_argument("--out", required=True, help="CSV file to write, which must not be there yet")
    return p.parse_args()


def device(backend):
    """The name of the device that all implementations compute on."""
    if backend.startswith("xla:cuda"):
        query = ["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader", "--id=0"]
        return subprocess.run(query, check=True, capture_output=True, text=True).stdout.strip()
    info = pathlib.Path("/proc/cpuinfo")
    models = [line.split(":", 1)[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")] \
        if info.exists() else []
    return models[0] if models else platform.processor()


def contenders(f, arch, mode, folder):
    """The commands of ours and of the implementations that have the workload's model, by name; ours comes first."""
    common = ["--mode", mode, "--steps", str(f.steps), "--warmup", "3"]
    ours = [f.step, "--arch", arch, "--batch", str(f.batch)]
    subprocess.run([*ours, "--write", folder], check=True)
    model = json.loads((folder / "network.json").read_text())["model"]
    kind = "cuda" if f.backend.startswith("xla:cuda") else "cpu"
    asked = lambda name: any(fnmatch.fnmatch(name, pattern) for pattern in f.peers)
    pin = ["taskset", "-c", f.cpus] if f.cpus else []
    commands = {"ccp": pin + ours + common}
    if asked("ccp-bfloat16"):
        commands["ccp-bfloat16"] = pin + ours + ["--dtype", "bfloat16"] + common
    for name, (models, (script, *options)) in PEERS.items():
        if model in models and asked(name):
            commands[name] = [*pin, sys.executable, FOLDER / script, *options, "--workload", folder, "--device", kind, *common]
    return commands


def measure(commands, f, work):
    """The figures of each round by name, without the implementations that fail. A program prints its figures last."""
    env = {**os.environ, "GOMLX_BACKEND": f.backend} if f.backend else None
    measured = {name: [] for name in commands}
    for _ in range(f.rounds):
        for name in list(measured):
            done = subprocess.run(commands[name], env=env, stdout=subprocess.PIPE, text=True)
            try:
                figures = json.loads(done.stdout.strip().splitlines()[-1]) if done.returncode == 0 else None
            except (ValueError, IndexError):
                figures = None
            if figures is None:
                print(f"{work}, {name}: failed", file=sys.stderr)
                del measured[name]
                continue
            measured[name].append(figures)
            print(f"{work:28} {name:15} {figures['median_ms']:9.2f} ms", file=sys.stderr)
    return measured


def main():
    f = flags()
    failed = False
    copier = subprocess.Popen([sys.executable, "-c", COPIES]) if f.copies else None
    with tempfile.TemporaryDirectory() as scratch, open(f.out, "x", newline="") as out:
        if not f.step:
            f.step = os.path.join(scratch, "step")
            subprocess.run(["go", "build", "-o", f.step, "./benchmarks/step"], check=True)
        machine = [device(f.backend), f"{sys.platform}/{platform.machine()}"]
        table = csv.writer(out, lineterminator="\n")
        table.writerow(["work", "settings", "implementation", "median_ms", "ours_over_theirs", "cpu_ms", "cpu_ours_over_theirs",
                        "peak_rss_mb", "rounds", "cpus", "device", "platform", "versions"])
        for number, work in enumerate(f.work):
            arch, _, mode = work.partition("/")
            commands = contenders(f, arch, mode, pathlib.Path(scratch, str(number)))
            measured = measure(commands, f, work)
            medians = {name: [statistics.median_high(r[c] for r in rounds) for c in COLUMNS] for name, rounds in measured.items()}
            failed |= len(medians) < len(commands)
            for name, (wall, cpu, memory) in medians.items():
                ratios = [f"{ours / theirs:.3f}" if theirs else "" for ours, theirs in zip(medians["ccp"], (wall, cpu))] \
                    if "ccp" in medians else ["", ""]
                table.writerow([work, f"batch {f.batch}, {f.steps} steps" + ", beside copies" * f.copies,
                                 name, f"{wall:.3f}", ratios[0], f"{cpu:.3f}", ratios[1],
                                f"{memory:.0f}", f.rounds, f.cpus, *machine, measured[name][0]["versions"]])
                out.flush()
    if copier:
        copier.kill()
    sys.exit(failed)


if __name__ == "__main__":
    main()
