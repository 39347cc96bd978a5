"""Streams from end to end: an annotated one to a watched one, and eight hours on one core.

    python3 benchmarks/streams.py accuracy --program ccp [--noise 1.6]
    python3 benchmarks/streams.py hours --program ccp [--hours 8]

accuracy draws a stream of 24 stretches of three activities with transitions, imports it, trains and watches another
one, in three commands; it checks the figures of `ccp eval` against its own from the decisions alone. hours sends so many
hours of 6 sensors at 100 Hz through `ccp watch`, on one core, and compares its decisions with those of
`ccp predict --window` on the whole. Both need numpy and Linux.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import tempfile
import time

import numpy

NAMES = ["rest", "walk", "run"]


def draw(seed, stretches, sensors, rate, noise, shortest=20, longest=40):
    """Values [time points, sensors] of a stream, its class at each time point (-1 in transitions) and its events."""
    rng = numpy.random.default_rng(seed)
    mix = numpy.random.default_rng(0).normal(size=(sensors, 2))
    speed, height = [0.0, 1.1, 1.9], [0.3, 1.0, 1.0]
    speeds, heights, classes, events, last = [], [], [], [], 0
    for _ in range(stretches):
        to = (last + 1 + rng.integers(2)) % 3
        ramp = numpy.linspace(0, 1, rate)
        speeds.append(speed[last] + ramp * (speed[to] - speed[last]))
        heights.append(height[last] + ramp * (height[to] - height[last]))
        classes.append(numpy.full(rate, -1))
        n = int(rate * rng.uniform(shortest, longest))
        events.append((sum(map(len, classes)), to))
        speeds.append(numpy.full(n, speed[to]))
        heights.append(numpy.full(n, height[to]))
        classes.append(numpy.full(n, to))
        last = to
    phase = 2 * numpy.pi * numpy.cumsum(numpy.concatenate(speeds)) / rate
    height = numpy.concatenate(heights)
    hidden = numpy.stack([height * numpy.sin(phase), height * numpy.cos(phase)], axis=1)
    return hidden @ mix.T + noise * rng.normal(size=(len(phase), sensors)), numpy.concatenate(classes), events


def write(path, values, rate, classes=None):
    with open(path, "w") as f:
        heading = ["time"] + [f"s{k}" for k in range(values.shape[1])]
        f.write(",".join(heading + (["activity"] if classes is not None else [])) + "\n")
        for i, row in enumerate(values):
            cells = [f"{i / rate:.3f}"] + [f"{v:.4f}" for v in row]
            if classes is not None:
                cells.append(NAMES[classes[i]] if classes[i] >= 0 else "")
            f.write(",".join(cells) + "\n")


def call(*words, **more):
    done = subprocess.run(words, text=True, capture_output=True, check=False, **more)
    if done.returncode:
        raise SystemExit(f"{' '.join(words)}:\n{done.stderr}")
    return done.stdout


def events_of(rows):
    """The decisions of `ccp watch`: when each is told, its class, and since when."""
    return [(float(r["time"]), r["class"], float(r["since"])) for r in rows if r["class"]]


def judge(decisions, truth, rate, points, tolerance):
    """Hits, missed, false alarms and mean delay of each class by numpy alone."""
    told = [(int(numpy.searchsorted(numpy.arange(points) / rate, since - 0.5 / rate)), c, when) for when, c, since in decisions]
    free, scores = set(range(len(told))), {name: [0, 0, 0, 0.0] for name in NAMES}
    for begin, to in truth:
        near = [k for k in sorted(free) if told[k][1] == NAMES[to] and abs(told[k][0] - begin) <= tolerance]
        score = scores[NAMES[to]]
        if near:
            free.remove(near[0])
            score[0] += 1
            score[3] += told[near[0]][2] - begin / rate
        else:
            score[1] += 1
    for k in free:
        scores[told[k][1]][2] += 1
    return scores


def train(program, folder, sensors, rate, noise, step):
    values, classes, _ = draw(1, 24, sensors, rate, noise)
    write(f"{folder}/stream.csv", values, rate, classes)
    call(program, "data", "import", f"{folder}/stream.csv", "--label", "activity", "--window", "2s", "--step", step,
         "--out", f"{folder}/stream.npz")
    call(program, "train", "--data", f"{folder}/stream.npz", "--fast", "--checkpoint", f"{folder}/run")


def accuracy(args):
    rate = 50
    with tempfile.TemporaryDirectory() as folder:
        train(args.program, folder, 3, rate, args.noise, "1s")
        print("noise", args.noise)
        for seed in range(2, 2 + args.streams):
            values, classes, truth = draw(seed, 24, 3, rate, args.noise)
            write(f"{folder}/new.csv", values, rate)
            write(f"{folder}/known.csv", values, rate, classes)
            with open(f"{folder}/new.csv") as stream:
                out = call(args.program, "watch", "--checkpoint", f"{folder}/run", stdin=stream)
            result = json.loads(call(args.program, "eval", "--checkpoint", f"{folder}/run", "--data", f"{folder}/known.csv",
                                     "--label", "activity", "--tolerance", "3s", "--json"))
            scores = judge(events_of(csv.DictReader(out.splitlines())), truth, rate, len(values), 3 * rate)
            for one in result["per_class"]:
                hits, missed, alarms, delay = scores[one["class"]]
                assert (one["hits"], one["missed"], one["false_alarms"]) == (hits, missed, alarms), (one, scores)
                # a decision is taken with the time point after the window, as the window ends with it
                assert hits == 0 or abs(one["delay"] - delay / hits) < 1.5 / rate, (one, scores)
            alarms = sum(s[2] for s in scores.values())
            assert abs(result["false_alarms_per_hour"] - alarms / (len(values) / rate / 3600)) < 1e-9
            print(f"stream {seed}: {result['changes']} true changes, {result['told_changes']} told, "
                  f"{result['raw_changes']} of windows alone; F {result['f']:.3f}, {result['false_alarms_per_hour']:.2f} "
                  f"false alarms an hour, delay {result['delay']:.2f} s, right by then {100 * result['accuracy']:.1f}%")


def memory(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmRSS"))


def hours(args):
    rate, sensors = 100, 6
    with tempfile.TemporaryDirectory() as folder:
        train(args.program, folder, sensors, rate, args.noise, "1s")
        values, _, _ = draw(3, int(args.hours * 3600 / 31) + 1, sensors, rate, args.noise)
        values = values[:int(args.hours * 3600 * rate)]
        write(f"{folder}/long.csv", values, rate)
        core = {min(os.sched_getaffinity(0))}
        with open(f"{folder}/told.csv", "w") as out, open(f"{folder}/long.csv") as lines:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            watch = subprocess.Popen([args.program, "watch", "--checkpoint", f"{folder}/run", "--raw"], text=True,
                                     stdin=subprocess.PIPE, stdout=out, stderr=subprocess.PIPE,
                                     preexec_fn=lambda: os.sched_setaffinity(0, core))
            seen, began = [], time.time()
            for i, line in enumerate(lines):
                watch.stdin.write(line)
                if i and i % (3600 * rate) == 0:
                    watch.stdin.flush()
                    seen.append(memory(watch.pid))
            watch.stdin.flush()
            time.sleep(1)
            seen.append(memory(watch.pid))
            watch.stdin.close()
            said = watch.stderr.read()
            watch.wait()
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
        print(said.strip())
        print(f"{args.hours} h in {seconds:.0f} s of one core: {args.hours * 3600 / seconds:.0f} times real time "
              f"({time.time() - began:.0f} s by the clock); resident memory after each hour, MB:",
              " ".join(f"{m:.1f}" for m in seen))
        predicted = call(args.program, "predict", "--checkpoint", f"{folder}/run", "--window", "2s", "--step", "1s",
                         f"{folder}/long.csv")
        predicted = list(csv.DictReader(predicted.splitlines()))[:-1]
        with open(f"{folder}/told.csv") as f:
            told = list(csv.DictReader(f))
        other = sum((a["class"], a["since"], a["window"]) != (b["filtered"], b["since"], b["class"])
                    for a, b in zip(told, predicted))
        print(f"{len(told)} windows watched, {len(predicted)} predicted, {other} of them otherwise")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["accuracy", "hours"])
    parser.add_argument("--program", default="ccp")
    parser.add_argument("--noise", type=float, default=1.6)
    parser.add_argument("--streams", type=int, default=3)
    parser.add_argument("--hours", type=float, default=8)
    args = parser.parse_args()
    accuracy(args) if args.what == "accuracy" else hours(args)


if __name__ == "__main__":
    main()
