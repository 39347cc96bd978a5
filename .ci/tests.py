"""Runs go test, and fails if a test fails or one is skipped that .ci/skipped does not list: python3 .ci/tests.py ARGUMENT...

It prints a line for each package and all that a failed test has written; at the end how many tests passed and were skipped, and why.
"""
import collections
import fnmatch
import json
import pathlib
import subprocess
import sys

MODULE = "github.com/clusterpool/ccp/"


def listed():
    """Returns the lines of .ci/skipped: tests, and a part of what they say when they are skipped."""
    lines = pathlib.Path(__file__).with_name("skipped").read_text().splitlines()
    return [tuple(part.strip() for part in line.split("|")) for line in lines if line and not line.startswith("#")]


def main(arguments):
    allowed, output, counts = listed(), collections.defaultdict(list), collections.Counter()
    unlisted, reasons = [], collections.Counter()
    run = subprocess.Popen(["go", "test", "-json", *arguments], stdout=subprocess.PIPE, text=True)
    for line in run.stdout:
        event = json.loads(line) if line.startswith("{") else {"Action": "build-output", "Output": line}
        if event["Action"] in ("build-output", "build-fail"):
            print(event.get("Output", ""), end="", flush=True)
            continue
        package, test = event["Package"].removeprefix(MODULE), event.get("Test", "")
        name = f"{package} {test}".strip()
        if event["Action"] == "output":
            output[name].append(event["Output"])
        if event["Action"] not in ("pass", "fail", "skip"):
            continue
        written = "".join(output.pop(name, []))
        if event["Action"] == "fail":
            print(written, end="", flush=True)
        elif not test:
            print(f"{event['Action']:4} {package} {event.get('Elapsed', 0):.1f}s", flush=True)
            continue
        counts[event["Action"]] += 1
        if event["Action"] == "skip" and test:
            found = [said for pattern, said in allowed if fnmatch.fnmatchcase(name, pattern) and said in written]
            reasons.update(found[:1])
            if not found:
                unlisted.append(f"{name}:\n{written}")
    for said, count in reasons.most_common():
        print(f"{count} skipped: {said}")
    print(f"{counts['pass']} passed, {counts['skip']} skipped, {counts['fail']} failed")
    if unlisted:
        print("\nskipped, and not on the list of .ci/skipped:\n" + "\n".join(unlisted))
    return run.wait() or bool(unlisted)


sys.exit(main(sys.argv[1:]))
