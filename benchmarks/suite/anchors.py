"""Methods from outside on the suite's .npz files, on the same splits: a yardstick for the networks of this repository.

    python3 benchmarks/suite/anchors.py --out benchmarks/results/anchors.csv FOLDER/*.npz

All fit the training and validation samples together and are tested once. What they must choose they choose by cross-validation of
those, which keeps groups whole; of equally good values the one nearest to scikit-learn's default is taken. A row is added to the CSV as
soon as it is measured; a row that is there is not measured again.

    svm                kernel SVM (radial), each value standardised
    logistic           logistic regression, each value standardised
    logistic-bands     the same on each sensor's mean, and the logarithms of its variance and of its power in 16 bands; series only
    forest             random forest of 500 trees
    forest-bands       the same on what logistic-bands sees; series only
    catch22            the same on 22 features of each sensor's series, its mean and its deviation (Lubba et al. 2019); series only
    minirocket         MiniRocket and a ridge classifier (Dempster et al. 2021), three seeds, five on five sets; series only
    multirocket        MultiRocket and a ridge classifier (Tan et al. 2022), three seeds; series of at most 5,000 samples only
    hydra              HYDRA and a ridge classifier (Dempster et al. 2023), three seeds; series only
    multirocket-hydra  MultiRocket's and HYDRA's features and a ridge classifier, three seeds; as multirocket
    dtw                nearest neighbour by dependent dynamic time warping; series only
    dtw-10             the same, with warping of at most a tenth of the length, where dtw takes long

If the first seed takes over 20 seconds, it is the only one. The ridge of hydra and multirocket-hydra leaves out single samples.

Each sensor of `series` is standardised as a whole. The bands are taken of each sample at its own length. All other methods need equal
lengths: shorter samples are padded at the end to the longest with zeros, the sensor's mean, as by aeon's Padder. Gaps of tables become
the mean of the training samples.
"""
import argparse
import csv
import itertools
import os
import pathlib
import time
import warnings

for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ[threads] = "1"  # before numpy: one processor, so that seconds compare

import aeon
import numpy as np
import sklearn
from aeon.classification.convolution_based import HydraClassifier, MultiRocketHydraClassifier
from aeon.distances import dtw_pairwise_distance
from aeon.transformations.collection.convolution_based import MiniRocket, MultiRocket
from aeon.transformations.collection.feature_based import Catch22
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifierCV
from sklearn.metrics import euclidean_distances
from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

COLUMNS = ["set", "model", "seed", "accuracy", "seconds", "n_train", "n_test", "versions"]
VERSIONS = f"aeon {aeon.__version__}, scikit-learn {sklearn.__version__}, numpy {np.__version__}"
TEST = 2  # in split
IMAGES = {"digits", "FashionMNIST", "CIFAR10"}  # their grid is not frames and sensors
FIVE_SEEDS = {"ERing", "Libras", "RacketSports", "UWaveGestureLibrary", "JapaneseVowels"}  # of minirocket


class Set:
    """A file of the suite: its samples, labels [samples], and masks of what is fitted and tested."""

    def __init__(self, path):
        self.name = path.stem
        file = np.load(path)
        self.labels = file["labels"]
        self.test = file["split"] == TEST
        self.train = ~self.test
        self.groups = file["groups"] if "groups" in file else None
        if "series" in file:
            self.samples, self.lengths = self.whole(file["series"], file["lengths"] if "lengths" in file else None)
            return
        self.samples, self.lengths = file["features"].astype(np.float32), None  # [samples, nodes, channels], no series
        if "grid" in file and self.name not in IMAGES:
            self.samples = self.samples.reshape(len(self.samples), file["grid"][0], -1).transpose(0, 2, 1)
            self.lengths = np.full(len(self.samples), self.samples.shape[2])

    def whole(self, series, lengths):
        """series [samples, sensors, timepoints] or [samples, sensors, timepoints, axes], as samples
        [samples, sensors, timepoints] and lengths.

        Each axis is a sensor of its own. A sensor is standardised by its mean and deviation over the training samples; the end is zero.
        """
        if series.ndim == 4:
            series = series.transpose(0, 1, 3, 2).reshape(len(series), -1, series.shape[2])
        timepoints = np.arange(series.shape[2])
        if lengths is None:
            lengths = (~np.isnan(series).all(1) * (timepoints + 1)).max(1)
        series = np.where(timepoints < lengths[:, None, None], series, np.nan).astype(float)
        mean, deviation = (f(series[self.train], axis=(0, 2), keepdims=True) for f in (np.nanmean, np.nanstd))
        return np.nan_to_num((series - mean) / np.where(deviation > 0, deviation, 1)).astype(np.float32), lengths

    def flat(self):
        """The samples [samples, values]."""
        return self.samples.reshape(len(self.samples), -1)

    def series(self):
        """The samples as series [samples, sensors, timepoints], padded to the longest, or None where they are not."""
        return None if self.lengths is None else np.ascontiguousarray(self.samples)

    def folds(self):
        """Pairs of indices into the training samples: at most five folds, stratified, with whole groups."""
        labels = self.labels[self.train]
        count = int(min(5, np.bincount(labels)[np.unique(labels)].min()))
        if self.groups is None:
            return list(StratifiedKFold(max(2, count)).split(labels, labels))
        groups = self.groups[self.train]
        return list(StratifiedGroupKFold(min(count, len(np.unique(groups)))).split(labels, labels, groups))

    def accuracy(self, values, model):
        """The share of test samples that model, fitted to the training samples, tells right; values [samples, ...]."""
        model.fit(values[self.train], self.labels[self.train])
        return np.mean(model.predict(values[self.test]) == self.labels[self.test])


def svm(s, _):
    values = make_pipeline(SimpleImputer(), StandardScaler()).fit(s.flat()[s.train]).transform(s.flat())
    apart = euclidean_distances(values, values[s.train], squared=True) / values.shape[1]  # once, for all kernels
    searches = []
    for gamma in (1, 0.3, 3, 0.1, 0.03):
        search = GridSearchCV(SVC(kernel="precomputed"), {"C": [1, 10, 0.1, 100]}, cv=s.folds())
        searches.append((search.fit(np.exp(-gamma * apart[s.train]), s.labels[s.train]), gamma))
    search, gamma = max(searches, key=lambda found: found[0].best_score_)
    return search.score(np.exp(-gamma * apart[s.test]), s.labels[s.test])


def linear(s, values):
    """Logistic regression. It is fitted along principal axes, all of them: the same model, and fewer values where samples are few."""
    values = make_pipeline(SimpleImputer(), StandardScaler(), PCA()).fit(values[s.train]).transform(values)
    search = GridSearchCV(LogisticRegression(max_iter=2000, tol=1e-3), {"C": [1, 10, 0.1, 100, 1e-2, 1e-3, 1e-4, 1e-5]}, cv=s.folds())
    return s.accuracy(values, search)


def logistic(s, _):
    return linear(s, s.flat())


def bands(s, count=16):
    """Each sensor's mean, log variance and log power in count bands, [samples, values], or None where the samples are no series.

    Bands are equally wide on a logarithmic scale, from one cycle in the longest series to half a cycle a time point.
    """
    series = s.series()
    if series is None:
        return None
    edges = np.geomspace(1 / s.lengths.max(), 0.5, count + 1)
    values = []
    for sample, length in zip(series, s.lengths):
        sample = sample[:, :length]
        mean = sample.mean(1, keepdims=True)
        power = np.abs(np.fft.rfft((sample - mean) * np.hanning(length + 2)[1:-1])[:, 1:]) ** 2 / length
        ends = np.r_[0, (np.arange(1, power.shape[1]) + 0.5) / length, 0.5]  # of the frequencies; the lowest reaches down to zero
        share = np.clip(np.minimum(ends[1:], edges[1:, None]) - np.maximum(ends[:-1], edges[:-1, None]), 0, None)
        power = power @ (share / share.sum(1, keepdims=True)).T
        values.append(np.concatenate([mean, np.log(np.c_[sample.var(1), power] + 1e-6)], axis=1).ravel())  # a sensor may be constant
    return np.array(values)


def logistic_bands(s, _):
    values = bands(s)
    return None if values is None else linear(s, values)


def forest(s, seed):
    return s.accuracy(s.flat(), make_pipeline(SimpleImputer(), RandomForestClassifier(500, random_state=seed)))


def forest_bands(s, seed):
    values = bands(s)
    return None if values is None else s.accuracy(values, RandomForestClassifier(500, random_state=seed))


def catch22(s, seed):
    series = s.series()
    if series is None:
        return None
    values = Catch22(catch24=True, n_jobs=1).fit_transform(series.astype(float))  # of float32 it does not compile
    values = np.nan_to_num(values)  # some features of a constant series are none
    return s.accuracy(values, RandomForestClassifier(500, random_state=seed))


def stretched(s):
    """The set's series. Those too short for kernels are four times as long, linearly, which did best on training samples."""
    series = s.series()
    if series is None or series.shape[2] >= 9:
        return series
    old = np.arange(series.shape[2])
    new = np.linspace(0, old[-1], 4 * len(old))
    return np.apply_along_axis(lambda values: np.interp(new, old, values), 2, series).astype(np.float32)


def rocket(s, kernels):
    """Ridge regression on the shares that kernels, of MiniRocket or MultiRocket, compute of the set's series."""
    series = stretched(s)
    if series is None:
        return None
    values = np.asarray(kernels.fit(series[s.train]).transform(series), np.float32)
    ridge = RidgeClassifierCV(np.logspace(-3, 5, 17), cv=s.folds() if s.groups is not None else None)
    return s.accuracy(values, make_pipeline(StandardScaler(), ridge))


def minirocket(s, seed):
    return rocket(s, MiniRocket(random_state=seed, n_jobs=1))


def multirocket(s, seed):
    return None if s.train.sum() > 5000 else rocket(s, MultiRocket(random_state=seed, n_jobs=1))


def hydra(s, seed):
    series = stretched(s)
    return None if series is None else s.accuracy(series, HydraClassifier(random_state=seed, n_jobs=1))


def multirocket_hydra(s, seed):
    series = stretched(s)
    if series is None or s.train.sum() > 5000:
        return None
    return s.accuracy(series, MultiRocketHydraClassifier(random_state=seed, n_jobs=1))


def warping(series, s):
    """What dynamic time warping computes for a set, in sums of one value each, without a limit to warping."""
    return series.shape[1] * series.shape[2] ** 2 * s.train.sum() * s.test.sum()


def dtw(s, _, window=None, most=1e11):
    series = s.series()
    if series is None or warping(series, s) > most:
        return None
    near = dtw_pairwise_distance(series[s.test].astype(float), series[s.train].astype(float), window=window).argmin(1)
    return np.mean(s.labels[s.train][near] == s.labels[s.test])


def dtw_10(s, seed):
    series = s.series()
    if series is None or warping(series, s) <= 1e11:
        return None
    return dtw(s, seed, window=0.1, most=1e12)


THREE = [1, 2, 3]
MODELS = {"svm": (svm, [""]), "logistic": (logistic, [""]), "logistic-bands": (logistic_bands, [""]), "forest": (forest, [1]),
          "forest-bands": (forest_bands, [1]), "catch22": (catch22, [1]), "minirocket": (minirocket, THREE),
          "multirocket": (multirocket, THREE), "hydra": (hydra, THREE), "multirocket-hydra": (multirocket_hydra, THREE),
          "dtw": (dtw, [""]), "dtw-10": (dtw_10, [""])}


def compile_for(models):
    """Have numba compile what these models run, on a little noise, before anything is timed."""
    noise = np.random.default_rng(0).normal(size=(2, 2, 20))
    transforms = [(MiniRocket, "minirocket", np.float32), (MultiRocket, "multirocket", np.float32), (Catch22, "catch22", float)]
    for (transform, model, kind), sensors in itertools.product(transforms, (1, 2)):
        if model in models:
            transform(n_jobs=1).fit_transform(np.ascontiguousarray(noise[:, :sensors], kind))
    for sensors in (1, 2) if "multirocket-hydra" in models else ():
        MultiRocketHydraClassifier(n_jobs=1).fit(noise[:, :sensors].astype(np.float32), np.arange(2)).predict(noise[:, :sensors])
    for window in (None, 0.1):
        dtw_pairwise_distance(noise, noise, window=window)


def read(path):
    """The rows of the CSV, by set, model and seed; none if there is no file."""
    if not path.exists():
        return {}
    with open(path, newline="") as file:
        return {(row["set"], row["model"], row["seed"]): row for row in csv.DictReader(file)}


def write(path, rows):
    """Write the CSV, sorted, whole or not at all."""
    part = path.with_suffix(".part")
    with open(part, "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows[key] for key in sorted(rows))
    part.rename(path)


def show(rows):
    """Print a line for each set: the accuracy of each model in %, the mean over seeds and their deviation."""
    print(f"{'set':28}" + "".join(f"{model:>18}" for model in MODELS))
    for name in sorted({row["set"] for row in rows.values()}):
        cells = []
        for model in MODELS:
            found = [100 * float(row["accuracy"]) for row in rows.values() if (row["set"], row["model"]) == (name, model)]
            spread = f" ± {np.std(found, ddof=1):.1f}" if len(found) > 1 else ""
            cells.append(f"{np.mean(found):.1f}{spread}" if found else "-")
        print(f"{name:28}" + "".join(f"{cell:>18}" for cell in cells))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, help=".npz files of the suite")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="CSV file to add to")
    parser.add_argument("--models", default=",".join(MODELS), help=f"models, with commas (default: {','.join(MODELS)})")
    args = parser.parse_args()
    warnings.filterwarnings("ignore", message="The least populated class")
    warnings.filterwarnings("ignore", message="unsafe cast")  # inside aeon
    warnings.filterwarnings("ignore", message="An ill-conditioned matrix|Singular matrix")  # small penalties, which lose
    chosen = args.models.split(",")
    if unknown := set(chosen) - set(MODELS):
        parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")

    compile_for(chosen)
    rows = read(args.out)
    for model, path in itertools.product(chosen, args.files):
        run, seeds = MODELS[model]
        first = path.stem, model, str(seeds[0])
        if model == "minirocket" and path.stem in FIVE_SEEDS:
            seeds = range(1, 6)
        for seed in seeds:
            if (path.stem, model, str(seed)) in rows:
                continue
            if first in rows and float(rows[first]["seconds"]) > 20:
                break
            s = Set(path)
            start = time.process_time()
            accuracy = run(s, seed)
            if accuracy is None:
                break
            rows[path.stem, model, str(seed)] = dict(zip(COLUMNS, [
                path.stem, model, seed, f"{accuracy:.4f}", f"{time.process_time() - start:.1f}", s.train.sum(), s.test.sum(), VERSIONS]))
            write(args.out, rows)
            print(path.stem, model, seed, f"{accuracy:.4f}", flush=True)
    show(rows)


if __name__ == "__main__":
    main()
