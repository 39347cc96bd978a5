"""One markdown table of what `ccp compare` and anchors.py measured, and of what others published.

    python3 benchmarks/suite/table.py benchmarks/results/suite.csv benchmarks/results/anchors.csv
    python3 benchmarks/suite/table.py benchmarks/results/ucr.csv benchmarks/results/ucr-published.csv
    python3 benchmarks/suite/table.py suite/runs/compare.csv suite/anchors.csv --models ccp,transforms,MiniRocket,HYDRA

A row is a set that `ccp compare` ran, a column a model. Accuracy is in %, the mean over seeds and their standard
deviation. If two files have the same set and model, the last file counts. Below are the means over all sets, for models
that have all; then the means over the sets that all models have. Ranks are among all columns that have the set. Ties
share a rank.
"""
import argparse
import csv
import pathlib
from statistics import mean, stdev

LEFT_OUT = {"StandWalkJump"}  # 15 test samples: in no mean
OUTSIDE = {"svm": "kernel SVM", "logistic": "logistic regression", "logistic-bands": "bands",
           "forest-bands": "forest of bands", "minirocket": "MiniRocket", "multirocket": "MultiRocket", "hydra": "HYDRA",
           "multirocket-hydra": "MultiRocket and HYDRA", "dtw": "DTW", "dtw-10": "DTW, a tenth"}


class Cell:
    """Accuracy in %, its deviation over seeds (None: one run), and log-loss and seconds (None: unknown)."""

    def __init__(self, accuracy, deviation, loss, seconds):
        self.accuracy, self.deviation, self.loss, self.seconds = accuracy, deviation, loss, seconds

    def __str__(self):
        return f"{self.accuracy:.1f}" + ("" if self.deviation is None else f" ± {self.deviation:.1f}")


def read(path):
    """The cells of a CSV, by set and model, and whether the models are this program's."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    if rows and not {"set", "model", "accuracy"} <= rows[0].keys():
        raise SystemExit(f"{path} has no columns set, model and accuracy: it is neither of ccp compare nor of anchors.py")
    runs = {}
    if rows and "runs" in rows[0]:
        for row in rows:
            if int(row["runs"]):
                deviation = float(row["deviation"]) if int(row["runs"]) > 1 else None
                runs[row["set"], row["model"]] = Cell(float(row["accuracy"]), deviation, known(row, "loss"), known(row, "seconds"))
        return runs, True
    for row in rows:
        key = row["set"], OUTSIDE.get(row["model"], row["model"])
        runs.setdefault(key, []).append((100 * float(row["accuracy"]), known(row, "loss"), known(row, "seconds")))
    for key, found in runs.items():
        shares, losses, seconds = zip(*found)
        runs[key] = Cell(mean(shares), stdev(shares) if len(shares) > 1 else None,
                         *(None if None in values else mean(values) for values in (losses, seconds)))
    return runs, False


def known(row, column):
    """The number in a column of a row; None if there is none."""
    return float(row[column]) if row.get(column) else None


def ranks(cells, names, models):
    """The mean rank of each model over the sets names, those that it has."""
    found = {model: [] for model in models}
    for name in names:
        row = {model: round(cells[name, model].accuracy, 4) for model in models if (name, model) in cells}
        for model, value in row.items():
            ties = sum(other == value for other in row.values())
            found[model].append(sum(other > value for other in row.values()) + (ties + 1) / 2)
    return {model: mean(values) for model, values in found.items() if values}


def table(cells, names, models):
    """The lines of the table."""
    lines = [["set", *models]]
    for name in sorted(names, key=str.lower):
        best = max(round(cells[name, model].accuracy, 1) for model in models if (name, model) in cells)
        row = [str(cells.get((name, model), "")) for model in models]
        lines.append([name, *(f"**{cell}**" if cell and float(cell.split()[0]) == best else cell for cell in row)])
    names = [name for name in names if name not in LEFT_OUT]
    whole = [model for model in models if all((name, model) in cells for name in names)]
    shared = [name for name in names if all((name, model) in cells for model in models)]
    for some, have in ((names, whole), (shared, models)):
        if not some or (some is shared and len(shared) == len(names)):
            continue
        rank = ranks(cells, some, models)
        columns = {model: [cells[name, model] for name in some] for model in have}

        def average(of, form):
            """A function from a model to the mean of its cells' values; nothing where one is unknown."""
            def text(model):
                values = [getattr(cell, of) for cell in columns[model]]
                return "" if None in values else format(mean(values), form)
            return text

        for what, value in (("mean accuracy", average("accuracy", ".1f")),
                            ("mean log-loss", average("loss", ".3f")),
                            ("mean rank", lambda model: f"{rank[model]:.2f}"), ("mean seconds", average("seconds", ".3g"))):
            line = [value(model) if model in have else "" for model in models]
            if any(line):
                lines.append([f"{what}, {len(some)} {'set' if len(some) == 1 else 'sets'}", *line])
    return [lines[0], ["---"] * len(lines[0]), *lines[1:]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="CSV files of ccp compare and of anchors.py, and published ones")
    parser.add_argument("--models", help="columns, with commas, as the table names them (default: all)")
    parser.add_argument("--plain", action="store_true", help="without deviations")
    parser.add_argument("--sets", help="rows, with commas (default: those that ccp compare ran)")
    args = parser.parse_args()
    cells, names, models = {}, set(), []
    for path in args.files:
        found, ours = read(path)
        cells |= found
        models += [model for _, model in found if model not in models]
        names |= {name for name, _ in found if ours}
    ours = [model for model in models if model not in OUTSIDE.values()]
    models = list(dict.fromkeys([*ours, *models]))
    if args.models:
        chosen = args.models.split(",")
        if unknown := set(chosen) - set(models):
            parser.error(f"no model {', '.join(sorted(unknown))}; there are {', '.join(models)}")
        models = chosen
    if args.sets:
        names = set(args.sets.split(","))
        if unknown := names - {name for name, _ in cells}:
            parser.error(f"no set {', '.join(sorted(unknown))}")
    for cell in cells.values() if args.plain else ():
        cell.deviation = None
    names = names or {name for name, _ in cells}  # of others alone
    cells = {(name, model): cell for (name, model), cell in cells.items() if name in names and model in models}
    models = [model for model in models if any((name, model) in cells for name in names)]
    for line in table(cells, sorted({name for name, _ in cells}), models):
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main()
