"""Draws flawed data sets and sound twins, and counts what `ccp data check` tells of each.

    python benchmarks/audit.py --ccp build/ccp --draws 100 --out benchmarks/results/audit.csv
    python benchmarks/audit.py --ccp build/ccp --draws 20 --kinds pad missing

Families. 100 samples (99, 96) of two classes, two sensors and 64 time points: waves of which each family of 2, 3 or 8 has its own
frequencies and amplitudes, in noise. A family is of one class, by lot.
families-N-blocks    a family stands together in the file          families-N-turns     one of each family after another, in rounds
families-N-shuffled  the same in any order                         families-3-names     the same, and its files are named after it
twin                 every sample is a family of its own
drift                60 samples of each class, one class after the other; the levels of both sensors walk from sample to sample
twin                 the same order without the walk

Equal twice. Pieces of 12 random walks of two sensors, 64 time points each, nine of each walk, two classes by lot.
overlap-S            a piece has the share S of its time points in common with the next one
overlap-S-shuffled   in any order      overlap-S-zscored, overlap-S-shuffled-zscored    each piece and sensor is standardised by itself
twin                 as many walks of their own
copies               ten of 100 samples of noise equal another one. They stay together in every draw, so that a note is right

Shortcuts. Noise of two sensors and 64 time points, 150 samples of five classes, in any order. 70% of the samples of one class ...
pad                  ... end with 5 to 19 zeros                    twin: 30% of all samples, whatever their class
missing              ... lack a tenth of their values              twin: all samples lack 0 to a fifth
late                 ... begin with 5 to 19 missing time points    twin: 30% of all samples
rounding             ... have one decimal, all others three        twin: half of all samples
sensor               ... lack a fifth of sensor 1, all others of sensor 0, of three    twin: a sensor by lot
hum                  ... have 50 Hz of an amplitude of 0.4; two seconds at 250 Hz       twin: 30% of all samples

Graphs. 120 samples of 30 nodes of a ring in any order with chords, on which the values are smooth; two classes by lot.
edges-from-1         one of 31 nodes, the last one, has no link, and the links count nodes from 1
nodes-order          the columns are in another order than the graph's nodes
twin                 the right graph

mistakes             120 samples of two classes that one sensor tells, by lot; samples 48 to 59 have the other class's label. Trained by
                     `ccp train --fast`      twin: as many wrong labels at places by lot

What must get a note at most: drift-free (drift that no class goes with), sorted (a table that was sorted by a column), clusters (six
true ones, whatever the class), rain (two thirds of zeros), counts and coarse (Poisson), tiny (classes of three samples), gestures
(classes of different length, stored with NaN behind), amplitude (one class is five times as large). noise: 20 to 2,000 samples of 2 to
10 classes, features or recordings, with lengths, steps, zeros, missing values and scales by lot, none of which goes with a class.

A line of the table for each kind: in how many draws the finding that is meant was a warning, a question or a note, by the gravest;
in how many there was a warning of something else; and of the twins, which have nothing to be found, by the gravest of all findings.
For kinds without a flaw the first columns are empty, and they stand as twins. The question whose recordings these are, which every file
without groups gets, is left out, and so is what is said of odd values, which is true of these sets. Needs numpy.
"""
import argparse
import concurrent.futures
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

LEVELS = "warning", "question", "note"
COUNTED = {"copies", "overlap", "shortcut", "families", "order", "links", "mistakes"}
TIMES, SENSORS = 64, 2


def waves(rng, family, classes_of):
    """Waves of which each family has its own frequencies and amplitudes, with the classes of the families."""
    own, amplitude = rng.uniform(.2, 1.5, (family.max() + 1, SENSORS, 1)), rng.uniform(.8, 1.6, (family.max() + 1, SENSORS, 1))
    phase = rng.uniform(0, 2 * np.pi, (len(family), SENSORS, 1))
    x = amplitude[family] * np.sin(own[family] * np.arange(TIMES) + phase) + .4 * rng.normal(size=(len(family), SENSORS, TIMES))
    return dict(series=x, labels=classes_of[family])


def families(rng, twin, size, order):
    count = 100 // size
    of_family = rng.permutation(np.arange(count) % 2)
    if twin:
        return waves(rng, np.arange(count * size), rng.permutation(np.arange(count * size) % 2))
    family = np.tile(np.arange(count), size) if order == "turns" else np.repeat(np.arange(count), size)
    if order in ("shuffled", "names"):
        family = rng.permutation(family)
    data = waves(rng, family, of_family)
    if order == "names":
        data["sample_names"] = np.array([f"rat{f}-call{k}.wav" for k, f in enumerate(family)])
    return data


def drift(rng, twin, follows=True):
    labels = np.repeat([0, 1], 60) if follows else rng.integers(0, 2, 120)
    x = rng.normal(size=(120, SENSORS, TIMES))
    if not twin or not follows:
        x += np.cumsum(.25 * rng.normal(size=(120, SENSORS)), 0)[:, :, None]
    if not follows:
        x[labels == 1, 0] += 1.5 * np.sin(.7 * np.arange(TIMES))
    return dict(series=x, labels=labels)


def overlap(rng, twin, share, shuffled, zscored):
    step, pieces = int(TIMES * (1 - share)), 9
    x, labels = [], []
    for _ in range(12 * pieces if twin else 12):
        count = 1 if twin else pieces
        walk = np.cumsum(rng.normal(size=(SENSORS, TIMES + step * (count - 1))), 1)
        x += [walk[:, at * step:at * step + TIMES] for at in range(count)]
        labels += [int(rng.integers(0, 2))] * count
    x, labels = np.array(x), np.array(labels)
    if zscored:
        x = (x - x.mean(2, keepdims=True)) / x.std(2, keepdims=True)
    if shuffled:
        order = rng.permutation(len(x))
        x, labels = x[order], labels[order]
    return dict(series=x, labels=labels)


def copies(rng, twin):
    x, labels = rng.normal(size=(100, SENSORS, TIMES)), rng.integers(0, 2, 100)
    if not twin:
        some = rng.permutation(100)[:20]
        x[some[:10]], labels[some[:10]] = x[some[10:]], labels[some[10:]]
    return dict(series=x, labels=labels)


def shortcut(rng, twin, how):
    """Five classes of noise; `how` marks the samples that it is given, which are 70% of one class, or drawn by lot."""
    labels = rng.permutation(np.arange(150) % 5)
    marked = rng.random(150) < (.5 if how is rounded else .3) if twin else (labels == rng.integers(0, 5)) & (rng.random(150) < .7)
    return how(rng, twin, marked, labels)


def noise_of(rng, sensors=SENSORS, times=TIMES):
    return rng.normal(size=(150, sensors, times))


def padded(rng, twin, marked, labels):
    x = noise_of(rng)
    for i in np.flatnonzero(marked):
        x[i, :, TIMES - rng.integers(5, 20):] = 0
    return dict(series=x, labels=labels)


def missing(rng, twin, marked, labels):
    x = noise_of(rng)
    for i in range(150):
        share = rng.uniform(0, .2) if twin else .1 * marked[i]
        x[i][rng.random(x[i].shape) < share] = np.nan
    return dict(series=x, labels=labels)


def late(rng, twin, marked, labels):
    x = noise_of(rng)
    for i in np.flatnonzero(marked):
        x[i, :, :rng.integers(5, 20)] = np.nan
    return dict(series=x, labels=labels)


def rounded(rng, twin, marked, labels):
    x = noise_of(rng)
    return dict(series=np.where(marked[:, None, None], np.round(x, 1), np.round(x, 3)), labels=labels)


def one_sensor(rng, twin, marked, labels):
    x = noise_of(rng, 3)
    sensor = rng.integers(0, 3, 150) if twin else marked.astype(int)
    for i in range(150):
        x[i, sensor[i], rng.random(TIMES) < .2] = np.nan
    return dict(series=x, labels=labels)


def hum(rng, twin, marked, labels):
    x = noise_of(rng, times=500)
    for i in np.flatnonzero(marked):
        x[i] += .4 * np.sin(2 * np.pi * 50 * np.arange(500) / 250 + rng.uniform(0, 2 * np.pi))
    return dict(series=x, labels=labels, rate=250.)


def graph(rng, twin, flaw):
    nodes = 30
    ring = rng.permutation(nodes)
    links = {tuple(sorted((int(i), int(j)))) for i, j in zip(ring, np.roll(ring, 1))}
    links |= {tuple(sorted(int(i) for i in rng.permutation(nodes)[:2])) for _ in range(15)}
    edges = np.array(sorted(links))
    laplacian = np.zeros((nodes, nodes))
    for i, j in edges:
        laplacian[[i, j], [j, i]] -= 1
        laplacian[[i, j], [i, j]] += 1
    x = rng.normal(size=(120, nodes)) @ np.linalg.inv(np.eye(nodes) + laplacian)
    if flaw == "from-1":
        x = np.c_[x, .3 * rng.normal(size=120)]
        edges = edges if twin else edges + 1
    elif not twin:
        x = x[:, rng.permutation(nodes)]
    return dict(features=x, labels=rng.integers(0, 2, 120), edges=edges)


def mistakes(rng, twin):
    labels = rng.integers(0, 2, 120)
    x = rng.normal(size=(120, SENSORS, TIMES))
    x[labels == 1, 0] += 1.5 * np.sin(.7 * np.arange(TIMES))
    wrong = rng.permutation(120)[:12] if twin else np.arange(48, 60)
    labels[wrong] = 1 - labels[wrong]
    return dict(series=x, labels=labels)


def table(x, labels):
    """A table without a graph, whose columns --knn links."""
    return dict(features=x, labels=labels)


def sorted_table(rng, _):
    x = rng.normal(size=(120, 10))
    return table(x[np.argsort(x[:, 3])], rng.integers(0, 2, 120))


def clusters(rng, _):
    return table(4 * rng.normal(size=(6, 10))[rng.integers(0, 6, 150)] + rng.normal(size=(150, 10)), rng.integers(0, 3, 150))


def rain(rng, _):
    return dict(series=np.maximum(0, rng.gamma(.2, 5, size=(100, 3, TIMES)) - 1.5), labels=rng.integers(0, 2, 100))


def counts(rng, _):
    return dict(series=rng.poisson(1.5, size=(100, 3, TIMES)), labels=rng.integers(0, 3, 100))


def coarse(rng, _):
    return table(rng.poisson(1., size=(150, 8)), rng.integers(0, 3, 150))


def tiny(rng, _):
    return dict(series=rng.normal(size=(60, SENSORS, TIMES)), labels=rng.permutation(np.arange(60) // 3))


def gestures(rng, _):
    labels = rng.integers(0, 2, 80)
    x = np.full((80, 3, 90), np.nan)
    for i, label in enumerate(labels):
        length = int(30 + 25 * label + rng.integers(0, 20))
        x[i, :, :length] = rng.normal(size=(3, length))
    return dict(series=x, labels=labels)


def amplitude(rng, _):
    labels = rng.permutation(np.arange(150) % 5)
    return dict(series=np.round(noise_of(rng) * np.where(labels == 3, 5, 1)[:, None, None], 2), labels=labels)


def noise(rng, _):
    n, classes = int(10 ** rng.uniform(1.3, 3.3)), int(rng.integers(2, 11))
    labels = rng.integers(0, classes, n)
    if rng.random() < 1 / 3:
        return table(rng.normal(size=(n, int(rng.integers(3, 40)))) * 10. ** rng.uniform(-3, 3), labels)
    sensors, times = int(rng.integers(1, 6)), int(rng.integers(10, 150))
    x = rng.normal(size=(n, sensors, times))
    if rng.random() < .5:
        x = np.cumsum(x, 2)
    x *= 10. ** rng.uniform(-1, 1, (n, 1, 1))
    if rng.random() < .5:
        step = 10. ** (rng.integers(-2, 1, (n, 1, 1)) + np.floor(np.log10(x.std((1, 2), keepdims=True))))
        x = np.round(x / step) * step
    for i in range(n):
        if rng.random() < .3:
            x[i, :, times - rng.integers(1, times // 2):] = 0
        if rng.random() < .3:
            x[i][rng.random((sensors, times)) < rng.uniform(0, .3)] = np.nan
        if rng.random() < .3:
            x[i, :, times - rng.integers(1, times // 2):] = np.nan
    x[np.isnan(x).all(2)] = 0
    return dict(series=x, labels=labels)


def kinds():
    """Returns (make, the kinds of finding that are meant, twins) of each kind."""
    all_of = {}
    for size in 2, 3, 8:
        for order in "blocks", "turns", "shuffled":
            all_of[f"families-{size}-{order}"] = (lambda r, t, s=size, o=order: families(r, t, s, o)), {"families"}
    all_of["families-3-names"] = (lambda r, t: families(r, t, 3, "names")), {"families"}
    all_of["drift"] = drift, {"order", "families"}
    for share in 25, 75:
        for name in "", "-shuffled", "-zscored", "-shuffled-zscored":
            all_of[f"overlap-{share}{name}"] = (lambda r, t, s=share, n=name: overlap(r, t, s / 100, "shuffled" in n, "zscored" in n)), {"overlap"}
    all_of["copies"] = copies, {"copies"}
    for name, how in dict(pad=padded, missing=missing, late=late, rounding=rounded, sensor=one_sensor, hum=hum).items():
        all_of[name] = (lambda r, t, h=how: shortcut(r, t, h)), {"shortcut"}
    all_of["edges-from-1"] = (lambda r, t: graph(r, t, "from-1")), {"links"}
    all_of["nodes-order"] = (lambda r, t: graph(r, t, "order")), {"links"}
    all_of["mistakes"] = mistakes, {"mistakes"}
    for name, make in {"drift-free": lambda r, t: drift(r, t, False), "sorted": sorted_table, "clusters": clusters, "rain": rain,
                       "counts": counts, "coarse": coarse, "tiny": tiny, "gestures": gestures, "amplitude": amplitude, "noise": noise}.items():
        all_of[name] = make, None
    return all_of


KINDS = kinds()


def findings(ccp, kind, data, path):
    """Returns the findings on a data set."""
    for name in "series", "features":
        if name in data:
            data[name] = np.asarray(data[name], np.float32)
    np.savez(path, **dict(data, labels=data["labels"].astype(str)))
    if kind == "mistakes":
        run = path.with_suffix("")
        subprocess.run([ccp, "train", "--data", path, "--fast", "--checkpoint", run, "--overwrite"], check=True, capture_output=True)
        return counted(json.loads((run / "result.json").read_text()))
    graph_of = ["--knn", "2"] if "features" in data and "edges" not in data else []
    done = subprocess.run([ccp, "data", "check", "--json", path, *graph_of], capture_output=True)
    result = json.loads(done.stdout)
    if done.returncode:
        raise SystemExit(f"{kind}: {result['errors']}")
    return counted(result)


def counted(result):
    return [f for f in result.get("findings") or [] if f["kind"] in COUNTED]


def gravest(found):
    return next((level for level in LEVELS if any(f["level"] == level for f in found)), "silent")


def draw(ccp, kind, seed, folder, keep):
    """Returns what is told of a draw of a kind, and of its twin."""
    make, meant = KINDS[kind]
    told = {}
    for twin in (False, True) if meant else (True,):
        rng = np.random.default_rng([seed, list(KINDS).index(kind), twin])
        path = pathlib.Path(folder) / f"{kind}-{seed}{'-twin' if twin else ''}.npz"
        found = findings(ccp, kind, make(rng, twin), path)
        if twin:
            told["twin_" + gravest(found)] = 1
        else:
            told[gravest([f for f in found if f["kind"] in meant])] = 1
            told["other_warning"] = int(any(f["level"] == "warning" and f["kind"] not in meant for f in found))
        alarm = [f["text"] for f in found if f["level"] in keep and (twin or f["kind"] not in meant)]
        if alarm:
            print(path.name, *alarm, sep="\n    ", file=sys.stderr, flush=True)
        if not alarm or not keep:
            path.unlink()
    return told


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ccp", default="ccp")
    options.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options.add_argument("--draws", type=int, default=100, help="of noise twice as many")
    options.add_argument("--first", type=int, default=1, help="the first seed")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--keep", help="a folder for the sets of which something is told that should not be; its text goes to stderr")
    options.add_argument("--out", help="a file for the table, as CSV")
    o = options.parse_args()
    columns = ["kind", "draws", *LEVELS, "silent", "other_warning", *("twin_" + level for level in (*LEVELS, "silent"))]
    rows = []
    keep = LEVELS[:2] if o.keep else ()
    if o.keep:
        pathlib.Path(o.keep).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for kind in o.kinds:
            seeds = range(o.first, o.first + o.draws * (2 if kind == "noise" else 1))
            row = dict.fromkeys(columns, 0 if KINDS[kind][1] else "")
            row.update({"kind": kind, "draws": len(seeds)}, **{c: 0 for c in columns if c.startswith("twin_")})
            for told in pool.map(lambda seed: draw(o.ccp, kind, seed, o.keep or folder, keep), seeds):
                for column, count in told.items():
                    row[column] += count
            rows.append(row)
            print(*row.values(), sep="\t", flush=True)
    if o.out:
        with open(o.out, "w", newline="") as f:
            writer = csv.DictWriter(f, columns)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
