"""Try a machine's GPU: does ccp compute there what it computes on the CPU, does it repeat and resume, and how fast is it?

    go build -o build/ccp ./cmd/ccp && go build -o build/step ./benchmarks/step
    python3 benchmarks/gpu.py --build build --out gpu --data $CCP_DATA --python VENV/bin/python

It writes gpu/gpu.jsonl, a line for each row, and gpu/gpu.md, one table. Rows that gpu.jsonl holds already are not run again. Without
--data there is no CIFAR-10, without --python (with PyTorch and JAX for CUDA, see benchmarks/README.md) there are no peers.
`--backend xla:cpu` puts the CPU in the GPU's place, which shows that the script itself works.

By default a GPU multiplies float32 in TF32, whose products have 10 bits of mantissa. So the losses are compared with `tf32=false`.
The script ends with 1 if the GPU's losses are not the CPU's within --tolerance. That two trainings are equal to the last bit is a
promise for CPUs only: here it is a row of the table.
"""
import argparse
import csv
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

DIGITS = ["--data", "digits", "--hierarchy", "prepared"]


class Trial:
    def __init__(self, args):
        self.args, self.rows = args, []
        self.ccp, self.step = args.build.resolve() / "ccp", args.build.resolve() / "step"
        self.exact = args.backend + (",tf32=false" if "cuda" in args.backend else "")
        self.lines = args.out / "gpu.jsonl"
        if self.lines.exists():
            self.rows = [json.loads(line) for line in self.lines.read_text().splitlines()]

    def row(self, name, measure):
        """Add the row that measure returns as a figure and what is told besides, unless it is there."""
        known = [row for row in self.rows if row["row"] == name]
        if known:
            return known[0]
        print(name, "...", file=sys.stderr, flush=True)
        begun = time.time()
        try:
            row = measure()
        except subprocess.CalledProcessError as error:
            row = {"figure": "failed", "why": (error.stderr or str(error)).strip().splitlines()[-1]}
        row = {"row": name, "wall_s": round(time.time() - begun, 1)} | row
        self.rows.append(row)
        with self.lines.open("a") as out:
            out.write(json.dumps(row) + "\n")
        return row

    def call(self, *command):
        environment = os.environ | {"GOMLX_BACKEND": self.args.backend}  # for programs without --backend
        return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, env=environment).stdout

    def train(self, backend, name, *settings):
        """Train anew and return its row."""
        folder = self.args.out / name
        shutil.rmtree(folder, ignore_errors=True)
        out = self.call(self.ccp, "train", "--backend", backend, "--checkpoint", folder, "--json", *settings)
        return self.told(json.loads(out.splitlines()[-1]), folder)

    def told(self, result, folder):
        with (folder / "history.csv").open() as history:
            losses = [float(row["train_loss"]) for row in csv.DictReader(history)]
        return {"figure": f"{100 * result['test']['accuracy']:.2f}%, loss {result['test']['loss']:.4f}",
                "losses": losses, "compile_s": result["compile_seconds"], "train_s": result["seconds"]}

    def killed(self):
        """Train as the row before, but kill the training after its first checkpoint and resume it."""
        folder = self.args.out / "killed"
        shutil.rmtree(folder, ignore_errors=True)
        command = [self.ccp, "train", "--backend", self.exact, "--checkpoint", folder, "--json", *DIGITS]
        process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not any(folder.glob("last-*")):
            time.sleep(0.05)
        alive = process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        result = json.loads(self.call(*command).splitlines()[-1])
        return self.told(result, folder) | {"killed": alive}


def furthest(a, b):
    return max(abs(x - y) / max(abs(x), 1e-9) for x, y in zip(a, b, strict=True))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder of the programs ccp and step")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for the table and the trainings")
    parser.add_argument("--backend", default="xla:cuda")
    parser.add_argument("--data", type=pathlib.Path, help="folder of the data sets, for CIFAR-10")
    parser.add_argument("--python", help="a Python with PyTorch and JAX, for the peers")
    parser.add_argument("--epochs", type=int, default=4, help="of CIFAR-10")
    parser.add_argument("--steps", type=int, default=30, help="that are timed")
    parser.add_argument("--tolerance", type=float, default=0.02, help="how far the loss of the first epoch may be from the CPU's")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    trial = Trial(args)

    trial.row("doctor", lambda: {"figure": trial.call(trial.ccp, "doctor", "--backend", args.backend).strip().splitlines()[-1]})
    cpu = trial.row("digits, CPU", lambda: trial.train("xla:cpu", "cpu", *DIGITS))
    gpu = trial.row("digits, float32", lambda: trial.train(trial.exact, "gpu", *DIGITS))
    trial.row("digits, as it is by default", lambda: trial.train(args.backend, "default", *DIGITS))
    again = trial.row("digits, float32, again", lambda: trial.train(trial.exact, "again", *DIGITS))
    killed = trial.row("digits, float32, killed and resumed", trial.killed)
    wrong = [row["row"] for row in trial.rows if row["figure"] == "failed"]
    if not wrong:
        first = abs(gpu["losses"][0] / cpu["losses"][0] - 1)
        trial.row("loss of the first epoch, from the CPU's", lambda: {"figure": f"{first:.1e}"})
        for other in (again, killed):
            trial.row(f"losses of {other['row']}, furthest from the first time's",
                      lambda: {"figure": f"{furthest(gpu['losses'], other['losses']):.1e}"})
        if first > args.tolerance:
            wrong.append(f"the first epoch's loss is {first:.1%} from the CPU's")
    if args.data and (args.data / "cifar10").exists():
        for kind in ("float32", "bfloat16"):
            trial.row(f"CIFAR-10, {args.epochs} epochs, {kind}", lambda: trial.train(
                args.backend, "cifar10", "--data", "cifar10", "--data-dir", args.data, "--epochs", args.epochs, "--dtype", kind))
    for arch, mode in (("cifar10", "train"), ("cifar10", "infer-frozen"), ("ntu", "train")):
        for kind in ("float32", "bfloat16"):
            def timed():
                line = json.loads(trial.call(trial.step, "--arch", arch, "--mode", mode, "--dtype", kind, "--steps", args.steps)
                                  .splitlines()[-1])
                return line | {"figure": f"{line['median_ms']:.2f} ms"}
            trial.row(f"step of {arch}, {mode}, {kind}", timed)
    if args.python:
        peers = args.out / "peers.csv"
        trial.row("peers", lambda: trial.call(args.python, pathlib.Path(__file__).parent / "peers" / "compare.py", "--backend",
                                              args.backend, "--step", trial.step, "--out", peers, "--steps", args.steps)
                                              and {"figure": str(peers)})

    table = ["| row | figure | compiling, s | training, s |", "|---|---|---|---|"]
    for row in trial.rows:
        seconds = [f"{row[name]:.1f}" if name in row else "" for name in ("compile_s", "train_s")]
        table.append(f"| {row['row']} | {row['figure']} {row.get('why', '')} | {seconds[0]} | {seconds[1]} |")
    (args.out / "gpu.md").write_text("\n".join(table) + "\n")
    print("\n".join(table))
    if wrong:
        raise SystemExit(f"not right on this machine: {'; '.join(wrong)}")


if __name__ == "__main__":
    main()
