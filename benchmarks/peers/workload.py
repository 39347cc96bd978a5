"""What the programs of this folder share: reading a workload, and timing steps of it.

`go run ./benchmarks/step --arch ARCH --write DIR` writes a workload:

    network.json   the model, its levels and hidden layers, and the shapes of the data
    graph.npz      the affinity, symmetric and without self-loops, in scipy's CSR form
    signals.npz    signals [4, batch, nodes, channels] and labels [4, batch]
"""

import argparse
import json
import os
import resource
import statistics
import time

import numpy as np
import scipy.sparse


class Workload:
    """A network to build, its graph and its data.

    levels: (clusters, filters, neighbours) of each level; hidden: widths of the hidden dense layers.
    graph: scipy CSR matrix, float64, indices sorted.
    batches: four pairs of signals, float32 [batch, nodes, channels], and labels, int64 [batch].
    """

    def __init__(self, folder):
        with open(os.path.join(folder, "network.json")) as file:
            network = json.load(file)
        self.model = network["model"]
        self.nodes, self.channels, self.classes = network["nodes"], network["channels"], len(network["class_names"])
        self.levels = [(level["clusters"], level["filters"], level["neighbours"]) for level in network["levels"]]
        self.hidden = network["hidden"] or []
        self.graph = scipy.sparse.load_npz(os.path.join(folder, "graph.npz")).tocsr()
        self.graph.sort_indices()
        with np.load(os.path.join(folder, "signals.npz")) as data:
            self.batches = list(zip(data["signals"], data["labels"].astype(np.int64)))


def processors():
    """The number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def parser(about, modes=("train", "infer-frozen", "infer-learned")):
    """The arguments that all the programs take."""
    p = argparse.ArgumentParser(description=about)
    p.add_argument("--workload", required=True, help="folder that `go run ./benchmarks/step --write` wrote")
    p.add_argument("--mode", choices=modes, default="train")
    p.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    p.add_argument("--steps", type=int, default=10, help="steps to time")
    p.add_argument("--warmup", type=int, default=3, help="steps before them")
    return p


def report(step, steps, warmup, **about):
    """Calls step(0), step(1) and so on, and prints the times as a line of JSON.

    step returns a number, so that it ends when its result is at hand.
    """
    began = time.perf_counter()
    for i in range(warmup):
        last = step(i)
    warmup_s = time.perf_counter() - began
    wall, cpu = [], []
    for i in range(warmup, warmup + steps):
        began, spent = time.perf_counter(), time.process_time()
        last = step(i)
        wall.append(1e3 * (time.perf_counter() - began))
        cpu.append(1e3 * (time.process_time() - spent))
    print(json.dumps({
        "median_ms": statistics.median_high(wall), "min_ms": min(wall), "cpu_ms": statistics.median_high(cpu),
        "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "warmup_s": warmup_s, "last": last, **about,
    }))
