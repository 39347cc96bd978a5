"""Say what compiling the program costs, package by package, and which of our packages need each.

    GOCACHE=$(mktemp -d) go build -debug-actiongraph=graph.json -o /dev/null ./cmd/ccp
    python3 benchmarks/packages.py graph.json > benchmarks/results/packages.csv

A row has the processor seconds of a package's compiler, assembler, cgo and C compiler, whether `-tags lean` compiles it, and up to three of
our packages that import it, directly or through packages of others. Packages below 0.2 s are one row for each module. Seconds are those of one
build: they vary with what else the machine does.
"""
import collections
import csv
import json
import subprocess
import sys

OURS = "github.com/clusterpool/ccp/"
LEAST = 0.2  # seconds


def imports(*tags):
    """Return the packages that each package of the program imports."""
    listed = subprocess.run(["go", "list", "-deps", "-json=ImportPath,Imports", *tags, "./cmd/ccp"], check=True,
                            stdout=subprocess.PIPE, text=True).stdout
    decoder, at, found = json.JSONDecoder(), 0, {}
    while at < len(listed):
        package, at = decoder.raw_decode(listed, at)
        found[package["ImportPath"]] = package.get("Imports") or []
        at += 1  # the end of the line
    return found


def module(package):
    """Return the module of a package, about."""
    if package.startswith(OURS):
        return OURS.rstrip("/")
    parts = package.split("/")
    return "/".join(parts[:3]) if "." in parts[0] else "the standard library"


def main():
    whole, lean = imports(), imports("-tags", "lean")
    importers = collections.defaultdict(set)
    for package, needs in whole.items():
        for need in needs:
            importers[need].add(package)

    def ours(package):
        found, seen, left = set(), set(), list(importers[package])
        while left:
            at = left.pop()
            if at in seen:
                continue
            seen.add(at)
            if at.startswith(OURS):
                found.add(at.removeprefix(OURS))
            else:
                left += importers[at]
        return sorted(found)

    seconds, link = collections.Counter(), 0
    for action in json.load(open(sys.argv[1])):
        spent = (action.get("CmdUser", 0) + action.get("CmdSys", 0)) / 1e9
        if action["Mode"] == "link":
            link += spent
        else:
            seconds[action["Package"]] += spent
    rest, count = collections.Counter(), collections.Counter()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["package", "packages", "seconds", "lean", "needed_by"])
    for package, spent in seconds.most_common():
        if package not in whole:
            continue
        if spent >= LEAST:
            needed = ours(package)
            more = [f"and {len(needed) - 3} more"] if len(needed) > 3 else []
            out.writerow([package, 1, f"{spent:.2f}", int(package in lean), "; ".join(needed[:3] + more)])
        else:
            key = module(package), package in lean
            rest[key] += spent
            count[key] += 1
    for (name, kept), spent in rest.most_common():
        out.writerow([f"others of {name}", count[name, kept], f"{spent:.2f}", int(kept), ""])
    out.writerow(["link", "", f"{link:.2f}", "", ""])
    total = sum(spent for package, spent in seconds.items() if package in whole)
    out.writerow(["all, compiled", len(whole), f"{total:.2f}", "", ""])
    out.writerow(["all, compiled with -tags lean", len(lean), f"{sum(seconds[p] for p in lean):.2f}", 1, ""])


main()
