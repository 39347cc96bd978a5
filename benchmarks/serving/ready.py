"""Starts servers of one model in turn, each of them several times: seconds and processor seconds until it is ready, its memory then, and
memory and processor seconds after as many requests of one signal, 1 s later. These are medians. A server is a command without --addr.

    python3 benchmarks/serving/ready.py 'ccp serve --checkpoint examples/digits' 'ccp serve --checkpoint examples/digits --backend xla:cpu'
"""

import argparse
import base64
import http.client
import json
import shlex
import socket
import statistics
import subprocess
import time

import load
import request


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("servers", nargs="+", help="commands")
    p.add_argument("--most", type=int, default=16, help="the largest value of a signal")
    p.add_argument("--requests", type=int, default=2000)
    p.add_argument("--rounds", type=int, default=5)
    f = p.parse_args()
    rounds = [[measure(s, f.requests, f.most) for s in f.servers] for _ in range(f.rounds)]
    for server, of in zip(f.servers, zip(*rounds)):
        wait, cpu, memory, later, served = map(statistics.median, zip(*of))
        print(f"{server}: ready in {wait:.2f} s, {cpu:.2f} s of processor, {memory:.0f} MB; "
              f"after {f.requests} requests {later:.0f} MB, {served:.2f} s of processor more")


def measure(server, requests, most):
    """Returns seconds, processor seconds and MB when the server is ready, then MB and the further processor seconds after requests."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = "%s:%d" % free.getsockname()
    start = time.monotonic()
    process = subprocess.Popen([*shlex.split(server), "--addr", address], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        process.stdout.readline()  # it says where it serves
        client = http.client.HTTPConnection(address)
        ask(client, "GET", "/v2/health/ready")
        wait, cpu, memory = time.monotonic() - start, load.seconds(process.pid), resident(process.pid)
        (name, *_) = json.loads(ask(client, "GET", "/v2/models"))["models"]
        one = json.loads(request.target(f"http://{address}/v2/models/{name}", 1, False, most))
        body, headers = base64.b64decode(one["body"]), {k: v[0] for k, v in one["header"].items()}
        for _ in range(requests):
            ask(client, "POST", f"/v2/models/{name}/infer", body, headers)
        time.sleep(1)
        return wait, cpu, memory, resident(process.pid), load.seconds(process.pid) - cpu
    finally:
        process.terminate()
        process.wait()


def ask(client, *what):
    """Returns the body of an answer, which has to be 200."""
    client.request(*what)
    answer = client.getresponse()
    body = answer.read()
    if answer.status != 200:
        raise SystemExit(f"{what[1]}: {answer.status} {body.decode()}")
    return body


def resident(pid):
    """Returns the resident memory of a process in MB."""
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) / 1000


if __name__ == "__main__":
    main()
