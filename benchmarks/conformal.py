"""Measure sets of classes and p-values (ccp predict --coverage, docs/sure.md) on data sets with splits.

    VENV/bin/python benchmarks/conformal.py coverage --ccp ./ccp --out benchmarks/results/coverage.csv suite/*.npz
    VENV/bin/python benchmarks/conformal.py table benchmarks/results/coverage.csv
    VENV/bin/python benchmarks/conformal.py people --ccp ./ccp --out benchmarks/results/coverage-people.csv
    VENV/bin/python benchmarks/conformal.py noise --ccp ./ccp --splits 8 --out benchmarks/results/coverage-noise.csv
    VENV/bin/python benchmarks/conformal.py unknown --ccp ./ccp --out benchmarks/results/unknown.csv suite/{ERing,…}.npz
    VENV/bin/python benchmarks/conformal.py equal --ccp ./ccp suite/ERing.npz

coverage draws five splits anew of each set with at least 200 test samples, each class in the sizes of the file's own split, trains transforms
alone and counts the sets that hold the truth: by the scores of the training samples, and with --by validation by those of validation samples,
a quarter that the classifier is not fitted to. A row has the share of them, what a valid predictor is expected to have with so many held-out
samples, ceil((n+1)c)/(n+1), and the 0.1% quantile of what it has by chance with so many test samples, which is Beta-binomial.

people draws 60 people of 8 samples each, whose sensors have levels of their own, trains on 40 and tests on the other 20, with groups and
without.

noise trains on samples whose classes are drawn by lot, and tests on 300 others.

table prints the means of the rows that coverage or people wrote, and how many of them are below the 0.1% quantile.

unknown leaves each class out of the training in turn, in the file's own split, and tells its test samples from those of the other classes: by
the largest p-value, by the largest probability, and by the Euclidean distance to the nearest training sample with all values standardised.
A row has the area under the ROC curve of each, and the share of the class that a p-value of at most 0.01 and of at most 0.05 tells, beside
that of the other classes.

equal compares the sets with those of MAPIE (lac) and the p-values with those of crepes (unsmoothed), of the scores that the checkpoint has.

Packages: numpy 2.3.5, scikit-learn 1.9.1, scipy 1.17.1; for equal MAPIE 1.6.0 and crepes 0.9.1.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import warnings

import heldout_noise
import numpy as np

COVERED = ["train", "test", "held_out", "coverage", "held", "expected", "quantile_0.1%", "classes", "none", "several"]
PER_SAMPLE = {"series", "features", "lengths", "times", "labels", "groups", "sample_names"}


def ccp(program, *arguments):
    line = [program, *map(str, arguments), "--offline", "--backend", "go"]
    return subprocess.run(line, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def load(path):
    with np.load(path) as file:
        return dict(file)


def rows_of(data, kept):
    """Return a data set of some samples."""
    n = len(data["labels"])
    return {name: value[kept] if name in PER_SAMPLE and value.ndim > 0 and len(value) == n else value
            for name, value in data.items() if name != "split"}


def train(program, folder, data, train_on, test_on, *settings):
    """Train transforms on some samples, and write the others into new.npz. Return the checkpoint."""
    np.savez(folder / "data.npz", **rows_of(data, train_on))
    new = rows_of(data, test_on)
    np.savez(folder / "new.npz", **{name: value for name, value in new.items() if name not in ("labels", "class_names", "groups")})
    ccp(program, "train", "--data", folder / "data.npz", "--fast", "--split", "none", "--checkpoint", folder / "run", "--overwrite", *settings)
    return folder / "run"


def predictions(program, folder, coverage):
    return [json.loads(line) for line in
            ccp(program, "predict", "--checkpoint", folder / "run", folder / "new.npz", "--json", "--coverage", coverage).splitlines()]


def names_of(data):
    if "class_names" in data:
        return data["class_names"].astype(str)[data["labels"]]
    return data["labels"].astype(str)


def drawn(data, seed):
    """Return a split with as many samples of each class in training and test as the file's own."""
    draw, sides = np.random.default_rng(seed), ([], [])
    for label in np.unique(data["labels"]):
        some = draw.permutation(np.flatnonzero(data["labels"] == label))
        count = np.sum((data["labels"] == label) & (data["split"] == 0))
        sides[0].extend(some[:count])
        sides[1].extend(some[count:])
    return [np.sort(side) for side in sides]


def coverage(arguments, out):
    from scipy.stats import betabinom

    out.writerow(["set", "split", "by", *COVERED])
    for path in arguments.files:
        data = load(path)
        if np.sum(data["split"] == 2) < 200:
            continue
        for seed in range(1, arguments.splits + 1):
            settings = ["--validation", 0.25] if arguments.by == "validation" else []
            for row in covered(arguments.ccp, data, drawn(data, seed), settings, betabinom):
                out.writerow([pathlib.Path(path).stem, seed, arguments.by, *row])
                sys.stderr.write(f"{path} {seed} {arguments.by}: {row}\n")


def people(arguments, out):
    from scipy.stats import betabinom

    out.writerow(["draw", "groups", *COVERED])
    for seed in range(1, arguments.splits + 1):
        draw, whose, labels = np.random.default_rng(seed), np.repeat(np.arange(60), 8), np.tile(np.arange(2), 240)
        x = draw.normal(size=(480, 3, 30)) + draw.normal(0, 0.35, (60, 3))[whose][:, :, None]
        x[labels == 1, 1] += 0.5
        sides = np.flatnonzero(whose < 40), np.flatnonzero(whose >= 40)
        for groups in ({"groups": whose}, {}):
            data = {"series": x, "labels": labels, "split": np.where(whose < 40, 0, 2), **groups}
            for row in covered(arguments.ccp, data, sides, ["--set", "transforms=values"], betabinom):
                out.writerow([seed, "yes" if groups else "no", *row])


def noise(arguments, out):
    """Sets where nothing tells the classes: kinds of heldout_noise.py, with 300 test samples."""
    from scipy.stats import betabinom

    kinds = {"table": (lambda draw: heldout_noise.signals(draw, 40, 30, 300), ["--knn", 3]),
             "few": (lambda draw: heldout_noise.recordings(draw, 40, 3, 40, 300), []),
             "knn-400": (lambda draw: heldout_noise.signals(draw, 64, 400, 300), ["--knn", 4]),
             "sensors-12": (lambda draw: heldout_noise.recordings(draw, 60, 12, 60, 300), [])}
    out.writerow(["set", "split", "by", *COVERED])
    for name, (make, settings) in kinds.items():
        for seed in range(1, arguments.splits + 1):
            data = make(np.random.default_rng(seed))
            sides = np.split(np.arange(len(data["labels"])), [len(data["labels"]) - 300])
            for row in covered(arguments.ccp, data, sides, settings, betabinom):
                out.writerow([name, seed, "training", *row])


def covered(program, data, sides, settings, betabinom):
    """Yield what sets at 0.9 and at 0.95 hold, if there are enough held-out samples for these."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        n = len(conformal_of(train(program, folder, data, *sides, *settings))["scores"])
        lines = predictions(program, folder, 0.5)
    truth = names_of(data)[sides[1]]
    for c in (0.9, 0.95):
        rank = int(np.ceil((n + 1) * c - 1e-9))
        if rank > n:
            continue
        sets = [[name for name, p in line["p_values"].items() if p > 1 - c + 1e-9] for line in lines]
        sizes, tested = np.array(list(map(len, sets))), len(sets)
        held = np.mean([name in some for name, some in zip(truth, sets)])
        least = betabinom.ppf(0.001, tested, rank, n + 1 - rank) / tested
        yield [*map(len, sides), n, c, f"{held:.4f}", f"{rank / (n + 1):.4f}", f"{least:.4f}", f"{sizes.mean():.3f}",
               f"{np.mean(sizes == 0):.4f}", f"{np.mean(sizes > 1):.4f}"]


def table(arguments, out):
    """Write the means of the rows at 0.9 that have the same set, or the same groups, as a table of Markdown."""
    means = {}
    for path in arguments.files:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["coverage"] == "0.9":
                    name = row["set"] + (" by validation samples" if row["by"] == "validation" else "") if "set" in row else row["groups"]
                    means.setdefault(name, []).append(row)
    lines = [["set", "splits", "training samples", "scores", "hold the truth at 0.9", "exact", "classes in a set", "empty sets"]]
    held = []
    for name, rows in means.items():
        of = {column: np.array([float(row[column]) for row in rows]) for column in ("held", "expected", "quantile_0.1%", "classes", "none")}
        below = np.sum(of["held"] < of["quantile_0.1%"])
        held.append(of["held"].mean())
        lines.append([name, len(rows), rows[0]["train"], rows[0]["held_out"],
                      f"{of['held'].mean():.1%} ({of['held'].min():.1%} to {of['held'].max():.1%})" + (f", {below} below" if below else ""),
                      f"{of['expected'].mean():.1%}", f"{of['classes'].mean():.2f}", f"{of['none'].mean():.1%}"])
    lines.insert(1, ["---"] * len(lines[0]))
    lines.append(["mean", "", "", "", f"{np.mean(held):.1%}", "", "", ""])
    sys.stdout.writelines("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def distances(data, train_on, test_on):
    """Return the distance of each test sample to the nearest training sample."""
    x = np.nan_to_num(data["series" if "series" in data else "features"].astype(np.float64)).reshape(len(data["labels"]), -1)
    mean, deviation = x[train_on].mean(axis=0), x[train_on].std(axis=0)
    x = (x - mean) / np.where(deviation > 0, deviation, 1)
    a, b = x[test_on], x[train_on]
    return np.sqrt(np.maximum((a ** 2).sum(1)[:, None] - 2 * a @ b.T + (b ** 2).sum(1), 0)).min(axis=1)


def unknown(arguments, out):
    from sklearn.metrics import roc_auc_score

    out.writerow(["set", "class", "held_out", "known", "unknown", "auroc_p_value", "auroc_probability", "auroc_distance", "told_at_1%",
                  "known_at_1%", "told_at_5%", "known_at_5%"])
    for path in arguments.files:
        data = load(path)
        names = names_of(data)
        for left in np.unique(names):
            train_on = np.flatnonzero((data["split"] == 0) & (names != left))
            test_on = np.flatnonzero(data["split"] == 2)
            with tempfile.TemporaryDirectory() as temporary:
                folder = pathlib.Path(temporary)
                known = {**data}
                if "class_names" in data:  # without the class that is left out
                    classes = [name for name in data["class_names"].astype(str) if name != left]
                    place = {name: at for at, name in enumerate(classes)}
                    known["class_names"] = np.array(classes)
                else:
                    place = {name: at for at, name in enumerate(dict.fromkeys(sorted(set(names) - {left}, key=int)))}
                known["labels"] = np.array([place.get(name, 0) for name in names])
                run = train(arguments.ccp, folder, known, train_on, test_on)
                lines = predictions(arguments.ccp, folder, 0.5)
                held = len(conformal_of(run)["scores"])
            truth = names[test_on] == left
            p = np.array([line["p_value"] for line in lines])
            told = [[np.mean(p[side] <= alpha) if alpha * (held + 1) >= 1 else np.nan for side in (truth, ~truth)] for alpha in (0.01, 0.05)]
            marks = [1 - p, 1 - np.array([line["probability"] for line in lines]), distances(data, train_on, test_on)]
            out.writerow([pathlib.Path(path).stem, left, held, np.sum(~truth), np.sum(truth),
                          *[f"{roc_auc_score(truth, mark):.4f}" for mark in marks], *[f"{share:.4f}" for pair in told for share in pair]])
            sys.stderr.write(f"{path} {left}\n")


def conformal_of(run):
    """Return the scores that a checkpoint holds."""
    state, = run.glob("best-*/state.json")
    return json.loads(state.read_text())["conformal"]


def equal(arguments, out):
    import crepes
    from mapie.classification import SplitConformalClassifier
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Known(ClassifierMixin, BaseEstimator):
        """A classifier whose X are the probabilities themselves."""

        def __init__(self, classes):
            self.classes_ = np.arange(classes)

        def fit(self, X, y):
            return self

        def __sklearn_is_fitted__(self):
            return True

        def predict_proba(self, X):
            return X

        def predict(self, X):
            return X.argmax(axis=1)

    for path in arguments.files:
        data = load(path)
        with tempfile.TemporaryDirectory() as temporary:
            folder = pathlib.Path(temporary)
            run = train(arguments.ccp, folder, data, *[np.flatnonzero(data["split"] == side) for side in (0, 2)])
            scores = np.array(conformal_of(run)["scores"])
            classes = json.loads((run / "model.json").read_text())["spec"]["class_names"]
            for c in (0.5, 0.8, 0.9):
                lines = predictions(arguments.ccp, folder, c)
                x = np.array([[line["probabilities"][name] for name in classes] for line in lines])
                # Probabilities whose class 0 has the held-out scores: only these count in calibration.
                held = np.column_stack([1 - scores, np.repeat(scores[:, None] / (len(classes) - 1), len(classes) - 1, axis=1)])
                ours = np.array([[name in line["set"] for name in classes] for line in lines])
                warnings.simplefilter("ignore", UserWarning)  # the held-out samples have one class
                mapie = SplitConformalClassifier(Known(len(classes)), confidence_level=c, conformity_score="lac", prefit=True)
                mapie.conformalize(held, np.zeros(len(held), int))
                theirs = mapie.predict_set(x)[1][:, :, 0]
                p = np.array([[line["p_values"][name] for name in classes] for line in lines])
                want = crepes.ConformalClassifier().fit(1 - held[:, 0]).predict_p(1 - x, smoothing=False)
                print(f"{pathlib.Path(path).stem} at {c}: {np.sum(ours != theirs)} of {ours.size} entries of sets differ from MAPIE, the "
                      f"largest difference of p-values from crepes is {abs(p - want).max():.3g}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["coverage", "people", "noise", "table", "unknown", "equal"])
    parser.add_argument("files", nargs="*", help="data sets, but for people and noise; for table what coverage or people wrote")
    parser.add_argument("--ccp", default="./ccp", help="the program")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--by", choices=["training", "validation"], default="training", help="for coverage: whose scores")
    parser.add_argument("--out", help="the table to write (default: the standard output)")
    arguments = parser.parse_intermixed_args()  # files may follow options
    with open(arguments.out, "w", newline="", encoding="utf-8") if arguments.out else sys.stdout as file:
        {"coverage": coverage, "people": people, "noise": noise, "table": table, "unknown": unknown, "equal": equal}[arguments.what](arguments, csv.writer(file, lineterminator="\n"))


if __name__ == "__main__":
    main()
