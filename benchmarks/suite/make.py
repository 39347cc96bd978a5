"""Make the suite's sets, an .npz file each, of the sources in $CCP_DATA.

    python3 benchmarks/suite/make.py --out FOLDER              # all sets; those that are there are kept
    python3 benchmarks/suite/make.py --out FOLDER Khan ABIDE   # these

The sets of series and the digits are written by ccp itself, the others by numpy. Whatever is computed of several samples (means,
deviations, axes, graphs, the choice of genes) is computed of the training samples.
"""
import argparse
import os
import pathlib
import shlex
import subprocess

import numpy as np

UEA = ["ArticularyWordRecognition", "BasicMotions", "ERing", "JapaneseVowels", "LSST", "Libras", "PenDigits", "RacketSports",
       "StandWalkJump", "UWaveGestureLibrary"]
SEED = 1
TRAIN, TEST = 0, 2


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


def eeg_alcohol(data):
    """Nodes are the 61 electrodes on the scalp, joined to the 6 nearest; channels are 64 moments of one second. Tests on 6 of 20 subjects.

    The value is microvolts against the mean of all electrodes. A dead electrode (all zeros; 41 in 9 trials) gets that mean: zero.
    Raw moments instead of logarithms of band powers, and that reference, were chosen by cross-validation over the training subjects.
    """
    files = [np.load(data / "eeg-alcohol" / name) for name in ("train.npz", "test.npz")]
    fresh = [np.ones(len(files[0]["label"]), bool), ~files[1]["in_train"]]  # 24 trials are in both files
    signal, label, subject = (np.concatenate([f[a][keep] for f, keep in zip(files, fresh)]) for a in ("signal", "label", "subject"))
    table = np.genfromtxt(data / "eeg-alcohol" / "electrodes.csv", delimiter=",", dtype=None, names=True, encoding="utf-8")
    names, places = table["channel"], np.stack([table[axis] for axis in "xyz"], 1)
    channels = files[0]["channel"].tolist()
    signal = signal[:, [channels.index(name) for name in names]] * np.float32(files[0]["scale"])  # no eyes, no reference

    live = np.ptp(signal, axis=2, keepdims=True) > 0
    signal = signal - signal.mean(2, keepdims=True)
    signal = (signal - signal.sum(1, keepdims=True) / live.sum(1, keepdims=True)) * live
    signal = signal.reshape(*signal.shape[:2], 64, 4).mean(3)

    draw = np.random.default_rng(SEED)
    tested = [draw.permutation(np.unique(subject[label == c]))[:3] for c in (0, 1)]
    distance = np.linalg.norm(places[:, None] - places, axis=2)
    return dict(features=signal, labels=label, class_names=np.array(["control", "alcoholic"]), groups=subject,
                split=split_of(len(label), np.isin(subject, tested)), edges=nearest(1 / (1 + distance), 6)[0], coordinates=places, node_names=names)


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


def microarray(data, name, repeated=()):
    """Nodes are the 2,000 genes that vary most, each standardised, joined to the 8 whose expressions go most with theirs. Tests on a third.

    repeated are samples that the file has twice; they are left out.
    """
    source = np.load(data / "microarray" / f"{name}.npz")
    values, label = (np.delete(source[array], repeated, axis=0) for array in ("features", "label"))
    split = split_of(len(label), every(3, label))
    varied = np.sort(np.argsort(-values[split == TRAIN].var(0), kind="stable")[:2000])
    values = values[:, varied]
    train = values[split == TRAIN]
    values = (values - train.mean(0)) / train.std(0)
    edges, weights = nearest(np.corrcoef(train.T), 8)
    names = dict(node_names=source["feature_name"][varied]) if "feature_name" in source else {}
    return dict(features=values[:, :, None], labels=label, class_names=source["class_name"], split=split, edges=edges, weights=weights, **names)


BY_NUMPY = {
    "EEGAlcohol": eeg_alcohol,
    "ABIDE": abide,
    "Khan": lambda data: microarray(data, "khan"),
    "Su": lambda data: microarray(data, "su", repeated=[50]),  # as sample 35
}
ON_REQUEST = {"ABIDESites": lambda data: abide(data, sites=True)}


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
    everything = [*UEA, *BY_NUMPY, "digits"]
    parser.add_argument("sets", nargs="*", help=f"sets to make (default: all of {', '.join(everything)}); on request: {', '.join(ON_REQUEST)}")
    parser.add_argument("--data", default=os.environ.get("CCP_DATA", "."), type=pathlib.Path, help="folder with uea, eeg-alcohol, abide and microarray")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder to write to")
    parser.add_argument("--ccp", default="go run ./cmd/ccp", help="the program (default: go run ./cmd/ccp)")
    args = parser.parse_args()
    makers = BY_NUMPY | ON_REQUEST
    unknown = set(args.sets) - {*everything, *makers}
    if unknown:
        parser.error(f"no set {', '.join(sorted(unknown))}; there are {', '.join([*everything, *ON_REQUEST])}")

    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.sets or everything:
        path = args.out / f"{name}.npz"
        if path.exists():
            print(f"{path} is there already")
        elif name in makers:
            write(path, makers[name](args.data))
            print(f"{path} made")
        else:
            task = ["export", name, "--npz"] if name == "digits" else ["import", str(args.data / "uea" / name), "--scale", "--out"]
            subprocess.run([*shlex.split(args.ccp), "data", *task, str(path)], check=True)


if __name__ == "__main__":
    main()
