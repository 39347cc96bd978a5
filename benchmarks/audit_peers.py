"""What cleanlab and targetleak tell of the flawed data sets of audit.py, and of their sound twins.

    python3 -m venv VENV && VENV/bin/pip install 'cleanlab[datalab]==2.9.0' targetleak==0.3.0
    VENV/bin/python benchmarks/audit_peers.py --draws 20 --out benchmarks/results/audit-peers.csv

cleanlab's Datalab gets the values of each sample, with 0 for missing ones, and looks for non_iid (told if its p-value is below 0.05) and
near_duplicate (told if there is any). targetleak reads tables, so that it gets one that somebody made for it: length, share of missing
values, zeros at the end, missing time points at the begin, distinct values, scale; and the values themselves where samples are a table. It is told if a
finding is critical or a warning. The draws are those of audit.py with the same seeds. A line for each kind: in how many draws each tells
something of the flawed set, whatever it says, and of its twin (of which there is nothing to be told).
"""
import argparse
import contextlib
import csv
import io
import warnings

import numpy as np

import audit


def values_of(data):
    return np.nan_to_num(np.asarray(data["series"] if "series" in data else data["features"], float))


def cleanlab(data):
    from cleanlab import Datalab
    with contextlib.redirect_stdout(io.StringIO()):
        lab = Datalab({"label": data["labels"].astype(str)}, label_name="label", verbosity=0)
        lab.find_issues(features=values_of(data).reshape(len(data["labels"]), -1), issue_types={"non_iid": {}, "near_duplicate": {}})
    told = lab.get_issue_summary().set_index("issue_type")
    return float(told.loc["non_iid", "score"]) < .05, int(told.loc["near_duplicate", "num_issues"]) > 0


def targetleak(data):
    import pandas
    import targetleak
    x = np.asarray(data["series"] if "series" in data else data["features"], float)
    if "series" in data:
        there = ~np.isnan(x).all(1)
        ends_zero = np.cumprod((x == 0).all(1)[:, ::-1], axis=1)
        table = dict(length=[int(np.flatnonzero(t)[-1]) + 1 if t.any() else 0 for t in there], missing=np.isnan(x).mean((1, 2)),
                     zeros_at_end=ends_zero.sum(1), begins_at=there.argmax(1), distinct=[len(np.unique(s[~np.isnan(s)])) for s in x],
                     scale=np.log10(np.nanstd(x, (1, 2)) + 1e-12))
    else:
        table = {f"column{i}": column for i, column in enumerate(x.T)}
    found = targetleak.analyse(pandas.DataFrame(dict(table, label=data["labels"].astype(str))), "label")
    return any(f.severity in ("critical", "warning") for f in found)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kinds", nargs="+", choices=audit.KINDS, default=list(audit.KINDS))
    options.add_argument("--draws", type=int, default=20)
    options.add_argument("--first", type=int, default=1, help="the first seed")
    options.add_argument("--out", help="a file for the table, as CSV")
    o = options.parse_args()
    warnings.simplefilter("ignore")
    peers = "non_iid", "near_duplicate", "targetleak"
    columns = ["kind", "draws", *peers, *("twin_" + peer for peer in peers)]
    rows = []
    for kind in o.kinds:
        make, meant = audit.KINDS[kind]
        row = dict.fromkeys(columns, 0 if meant else "")
        row.update({"kind": kind, "draws": o.draws}, **{"twin_" + peer: 0 for peer in peers})
        for seed in range(o.first, o.first + o.draws):
            for twin in (False, True) if meant else (True,):
                data = make(np.random.default_rng([seed, list(audit.KINDS).index(kind), twin]), twin)
                for peer, told in zip(peers, (*cleanlab(data), targetleak(data))):
                    row["twin_" * twin + peer] += int(told)
        rows.append(row)
        print(*row.values(), sep="\t", flush=True)
    if o.out:
        with open(o.out, "w", newline="") as f:
            writer = csv.DictWriter(f, columns)
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    main()
