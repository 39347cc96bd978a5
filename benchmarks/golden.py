"""Write what a build computes and what it costs, and compare two such files: how to refactor without moving a figure.

    go build -o build/ccp ./cmd/ccp && go build -o build/step ./benchmarks/step
    python3 benchmarks/golden.py run --build build --out before.json --data $CCP_DATA --suite suite
    python3 benchmarks/golden.py compare before.json after.json

A run trains the digits, sets of the suite, NW-UCLA and 20NEWS, and times steps of the benchmarks.
It takes some fifteen minutes on two cores.
Cases that are in the file already are not run again; --only takes cases whose name holds a text. A set that is missing has no case.
compare prints each figure that differs and ends with 1 if one does. Times and memory may differ by 2%: they are printed if they are more.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

COSTS = {"seconds", "compile_seconds", "peak_mb", "median_ms", "peak_rss_mb"}  # all other figures are exact


def cases(data, suite):
    """Yield name, program and arguments of each case."""
    for hierarchy in ("prepared", "learned"):
        for seed in (1, 2):
            yield f"digits {hierarchy} {seed}", "ccp", ["--data", "digits", "--hierarchy", hierarchy, "--seed", str(seed)]
    yield "digits bfloat16", "ccp", ["--data", "digits", "--dtype", "bfloat16", "--epochs", "6"]
    yield "digits transforms", "ccp", ["--data", "digits", "--model", "transforms"]
    for name in ("BreastCancer", "Khan", "ERing", "RacketSports"):  # the last two are series
        if suite and (suite / f"{name}.npz").exists():
            yield name, "ccp", ["--data", str(suite / f"{name}.npz")]
    for name, settings in (("nw-ucla", ["--epochs", "5"]), ("20news", [])):
        if data and (data / name).exists():
            yield name, "ccp", ["--data", name, "--data-dir", str(data), *settings]
    for arch, mode, steps in (("cifar10", "train", 200), ("cifar10", "infer-frozen", 20),
                               ("ntu", "infer-frozen", 10), ("digits", "infer-frozen", 200)):
        for dtype in ("float32", "bfloat16"):
            yield f"step {arch} {mode} {dtype}", "step", ["--arch", arch, "--mode", mode, "--dtype", dtype, "--steps", str(steps)]


def measured(command):
    """Run the command. Return the last line of its output, which is JSON, and its peak memory in MB."""
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(list(map(str, command)), stdout=output, stderr=subprocess.PIPE, text=True)
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(f"{' '.join(map(str, command))}\n{errors}")
        output.seek(0)
        unit = 1 if sys.platform == "darwin" else 1024  # bytes there, kilobytes elsewhere
        return json.loads(output.readlines()[-1]), usage.ru_maxrss * unit / 1e6


def trained(ccp, arguments):
    """Train. Return the result's figures and the sha256 of the exported network."""
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        line, peak = measured([ccp, "train", *arguments, "--checkpoint", run, "--json"])
        figures = {name: line.get(name) for name in ("parameters", "steps", "objective", "seconds", "compile_seconds")}
        figures |= {f"{part} {name}": value for part in ("train", "validation", "test") for name, value in (line.get(part) or {}).items()}
        exported = subprocess.run([ccp, "export", "--checkpoint", run, "--out", run / "network.onnx"], capture_output=True, text=True)
        if exported.returncode == 0:
            figures["onnx"] = hashlib.sha256((run / "network.onnx").read_bytes()).hexdigest()
        else:
            figures["onnx"] = exported.stderr.strip().splitlines()[-1]
        return figures | {"peak_mb": peak}


def stepped(step, arguments):
    line, _ = measured([step, *arguments])
    return {name: line[name] for name in ("last", "median_ms", "peak_rss_mb")}


def write(path, found):
    part = path.with_suffix(".part")
    part.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    part.rename(path)


def run(args):
    found = json.loads(args.out.read_text()) if args.out.exists() else {}
    for name, program, arguments in cases(args.data, args.suite):
        if name in found or args.only not in name:
            continue
        found[name] = (trained if program == "ccp" else stepped)(args.build / program, arguments)
        write(args.out, found)
        print(name, found[name], flush=True)


def compare(args):
    before, after = (json.loads(path.read_text()) for path in args.files)
    differs = 0
    for name in sorted({*before, *after}):
        if name not in before or name not in after:
            print(f"{name}: only in {args.files[name not in before]}")
            differs += 1
            continue
        for figure in sorted({*before[name], *after[name]}):
            old, new = before[name].get(figure), after[name].get(figure)
            if figure in COSTS:
                if old and new and new / old > 1.02:
                    print(f"{name}: {figure} {old:.4g} -> {new:.4g} ({new / old:.3f}), a cost")
            elif old != new:
                print(f"{name}: {figure} {old} -> {new}")
                differs += 1
    print(f"{len(before)} cases before, {len(after)} after; {differs} figures differ")
    return differs > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("--build", type=pathlib.Path, required=True, help="folder with the programs ccp and step")
    runs.add_argument("--out", type=pathlib.Path, required=True)
    runs.add_argument("--data", type=pathlib.Path, help="folder with nw-ucla and 20news")
    runs.add_argument("--suite", type=pathlib.Path, help="folder with the suite's sets")
    runs.add_argument("--only", default="", help="cases whose name holds this text")
    compares = verbs.add_parser("compare")
    compares.add_argument("files", nargs=2, type=pathlib.Path)
    args = parser.parse_args()
    sys.exit(run(args) if args.verb == "run" else compare(args))


if __name__ == "__main__":
    main()
