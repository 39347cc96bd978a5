"""Loads servers of one model in turn with Vegeta, from the same machine: requests a second, the 99th percentile of the latency
and the server's processor time for a request. These are medians of the rounds and their range.

    ccp serve --checkpoint digits=runs/digits-ccp-1 &
    VENV/bin/python benchmarks/serving/ort_server.py digits digits.onnx 8081 &
    python3 benchmarks/serving/load.py http://127.0.0.1:8080/v2/models/digits http://127.0.0.1:8081/v2/models/digits --most 16 \
        --pids PID PID
"""
import argparse
import json
import os
import statistics
import subprocess

import request


def attack(target, clients, duration, pid):
    """Returns requests a second, p99 in ms and the server's processor time in ms. It is an error if a request fails."""
    command = ["vegeta", "attack", "-format", "json", "-rate", "0", "-max-workers", str(clients), "-workers", str(clients),
               "-connections", str(clients), "-duration", f"{duration}s", "-timeout", "60s"]
    before = seconds(pid)
    sent = subprocess.run(command, input=f"{target}\n".encode(), stdout=subprocess.PIPE, check=True).stdout
    took = 1e3 * (seconds(pid) - before)
    report = json.loads(subprocess.run(["vegeta", "report", "-type", "json"], input=sent, stdout=subprocess.PIPE, check=True).stdout)
    if report["success"] < 1:
        raise SystemExit(f"{clients} clients: {report['status_codes']} {report['errors']}")
    return report["throughput"], report["latencies"]["99th"] / 1e6, took / report["requests"]


def seconds(pid):
    """Returns the processor time of a process so far."""
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def spread(values):
    return f"{statistics.median(values):.5g} ({min(values):.5g} to {max(values):.5g})"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("models", nargs="+", help="URLs of the model")
    p.add_argument("--pids", nargs="+", type=int, required=True, help="processes of the servers")
    p.add_argument("--most", type=int, default=255, help="the largest value of a signal")
    p.add_argument("--batch", nargs="+", type=int, default=[1, 16])
    p.add_argument("--clients", nargs="+", type=int, default=[1, 8, 64])
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--seconds", type=int, default=5)
    p.add_argument("--json", action="store_true", help="numbers as JSON; the default is binary")
    f = p.parse_args()
    if len(f.pids) != len(f.models):
        p.error("--pids: one for each model")
    for batch in f.batch:
        targets = [request.target(m, batch, f.json, f.most) for m in f.models]
        for clients in f.clients:
            reached = [[] for _ in targets]
            for duration in [1] + f.rounds * [f.seconds]:  # the first one warms up
                for target, pid, of in zip(targets, f.pids, reached):
                    of.append(attack(target, clients, duration, pid))
            for model, of in zip(f.models, reached):
                rate, tail, processor = map(spread, zip(*of[1:]))
                print(f"batch {batch}, {clients} clients, {model}: {rate} requests/s, p99 {tail} ms, processor {processor} ms", flush=True)


if __name__ == "__main__":
    main()
