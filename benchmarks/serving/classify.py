"""Classifier.Classify and ONNX Runtime on the same checkpoints, in turn: medians in ms, and our time over theirs.

    go build -o classify ./benchmarks/serving/classify && ccp export --checkpoint runs/digits-ccp-1 --out digits.onnx
    VENV/bin/python benchmarks/serving/classify.py ./classify runs/digits-ccp-1 digits.onnx

Each further pair of a checkpoint and its export is timed too. With more than one program before the pairs, all take
turns. VENV has numpy and onnxruntime. Signals are zeros.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time


def onnx(path, batch, runs):
    """Times ONNX Runtime, in this process, and prints the median in ms."""
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(path)
    given = session.get_inputs()[0]
    signals, took = np.zeros([batch] + given.shape[1:], np.float32), []
    for _ in range(runs + runs // 10):
        start = time.perf_counter()
        session.run(["probabilities"], {given.name: signals})
        took.append(1e3 * (time.perf_counter() - start))
    print(json.dumps({"ms": statistics.median(took[runs // 10:])}))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="programs, then a checkpoint and its export, and so on")
    parser.add_argument("--batch", nargs="+", type=int, default=[1, 64])
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", action="store_true", help="time one export at one batch, in this process")
    options = parser.parse_args()
    if options.alone:
        return onnx(options.files[0], options.batch[0], options.runs)
    programs = [f for f in options.files if not os.path.isdir(f) and not f.endswith(".onnx")]
    pairs = options.files[len(programs):]
    for checkpoint, export in zip(pairs[::2], pairs[1::2]):
        for batch in options.batch:
            count = ["--batch", str(batch), "--runs", str(options.runs)]
            commands = [[p, "--checkpoint", checkpoint] + count for p in programs]
            commands.append([sys.executable, __file__, export, "--alone"] + count)
            took = [[] for _ in commands]
            for _ in range(options.rounds):
                for command, all_of in zip(commands, took):
                    all_of.append(json.loads(subprocess.check_output(command))["ms"])
            theirs = statistics.median(took[-1])
            print(f"{export} batch {batch}: ONNX Runtime {theirs:.3f}", end="")
            for program, all_of in zip(programs, took):
                ratios = sorted(a / b for a, b in zip(all_of, took[-1]))
                print(f", {program} {statistics.median(all_of):.3f} ({statistics.median(all_of) / theirs:.2f}, "
                      f"rounds {ratios[0]:.2f} to {ratios[-1]:.2f})", end="")
            print(flush=True)


if __name__ == "__main__":
    main()
