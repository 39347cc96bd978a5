"""Writes tables in many dialects of text, and compares what ccp imports with what was written, to the last bit of float32.

The writers are pandas, polars, DuckDB and liac-arff; other dialects (R, databases, loggers, spreadsheets) are spelled out. A dialect is
read as it was written, or refused with the words that stand beside it. The PATH has ccp.

    python3 .ci/formats/text.py
"""
import csv
import datetime
import os
import subprocess
import sys
import tempfile

import arff
import duckdb
import numpy as np
import pandas
import polars

LABELS = ["walk", "sit", "Zürich, wo"] * 4
FLOATS = [2.5, -1.25, 1 / 3, 100.5, -7.5e-12, 3.125e20, 42.0, -0.1, 8.0, 9.25, -64.0, 0.75]
COLUMNS = {"f": FLOATS, "i": [3, 1, 4, 1, -5, 9, 2, 6, 5, 3, 2**30, 0], "b": [True, False, True, True, False, False] * 2,
           "n": [None if k in (0, 5) else v for k, v in enumerate(FLOATS)]}
BEGAN = datetime.datetime(2024, 5, 31, 12)
failed = count = 0


def imported(path, *options):
    run = subprocess.run(["ccp", "data", "import", path, "--out", "out.npz", "--overwrite", *options], capture_output=True, text=True)
    return (dict(np.load("out.npz")) if run.returncode == 0 else None), run.stdout + run.stderr


def check(right, what, *seen):
    global failed
    if not right:
        failed += 1
        print("WRONG", what, *seen)


def write(path, text, encoding="utf-8"):
    with open(path, "wb") as file:
        file.write(text.encode(encoding))


def table(path, refused=""):
    """Compares the table of a file, or the words with which it is to be refused."""
    global count
    count += 1
    arrays, text = imported(path, "--layout", "samples", "--missing", "fill")
    if refused or arrays is None:
        check(refused and arrays is None and refused in " ".join(text.split()), path, text)
        return
    check([str(arrays["class_names"][k]) for k in arrays["labels"]] == LABELS, path, "labels", arrays["class_names"])
    values = arrays["series"].reshape(len(arrays["labels"]), -1)
    check(set(COLUMNS) == {str(n) for n in arrays["sensor_names"]}, path, arrays["sensor_names"])
    for at, name in enumerate(arrays["sensor_names"]):
        want = np.array([np.nan if v is None else v for v in COLUMNS[str(name)[0]]], "f4")
        check(values[:, at].tobytes() == want.tobytes(), path, name, values[:, at], want)


def by_libraries():
    frame = pandas.DataFrame({"label": LABELS, **COLUMNS})
    for at, options in enumerate([
            {}, {"index": False}, {"index": False, "sep": ";", "decimal": ","}, {"sep": "\t"}, {"index": False, "na_rep": "NULL"},
            {"encoding": "cp1252"}, {"encoding": "utf-16"}, {"encoding": "utf-8-sig", "lineterminator": "\r\n"}, {"encoding": "utf-32"},
            {"quoting": csv.QUOTE_ALL}, {"quoting": csv.QUOTE_NONNUMERIC}, {"float_format": "%.17e"}, {"lineterminator": "\r"},
            {"index": False, "sep": "|", "na_rep": "<NA>"}, {"compression": "gzip"}, {"index": False, "sep": " ", "na_rep": "NA"}]):
        path = f"pandas{at}.csv" + (".gz" if "compression" in options else "")
        frame.to_csv(path, **options)
        table(path)
    other = polars.DataFrame({"label": LABELS, **COLUMNS})
    for at, options in enumerate([{}, {"null_value": "null"}, {"float_scientific": True}, {"separator": "\t", "include_bom": True},
                                  {"quote_style": "always"}, {"separator": ";", "decimal_comma": True}]):
        other.write_csv(f"polars{at}.csv", **options)
        table(f"polars{at}.csv")
    duckdb.register("t", frame)
    for at, options in enumerate(["", "(DELIMITER '|', NULLSTR '\\N')", "(FORCE_QUOTE *)", "(DELIMITER '\t', NULLSTR 'NaN')"]):
        duckdb.sql(f"COPY t TO 'duckdb{at}.csv' {options}")
        table(f"duckdb{at}.csv")
    attributes = [("f", "REAL"), ("i", "INTEGER"), ("b", ["True", "False"]), ("n", "NUMERIC"), ("kind", sorted(set(LABELS)))]
    with open("liac.arff", "w", encoding="utf-8") as file:
        data = [[f, i, str(b), n, label] for f, i, b, n, label in zip(*COLUMNS.values(), LABELS)]
        arff.dump({"relation": "a set", "description": "by liac-arff", "attributes": attributes, "data": data}, file)
    table("liac.arff")


def spelled(separator=",", missing="", decimal=".", truths=("true", "false"), number=repr, head="", end="\n", names=False, quotes=True):
    """The table in a dialect. With names each line begins with its number, for which the headings have no cell, as R writes it."""
    def cell(value):
        if value is None:
            return missing
        if isinstance(value, bool):
            return truths[not value]
        if isinstance(value, float):
            text = number(value).replace(".", decimal)
            return f'"{text}"' if decimal == separator else text
        return f'"{value}"' if isinstance(value, str) and (quotes or separator in value) else str(value)

    lines = [separator.join(cell(name) for name in ["label", *COLUMNS])]
    for k, line in enumerate(zip(LABELS, *COLUMNS.values())):
        lines.append(separator.join([f'"{k + 1}"'] * names + [cell(value) for value in line]))
    return head + "".join(line + end for line in lines)


def dialects():
    marks = ["\\N", "NULL", "NA", "n/a", "nan", "NaN", "-", "?", "#N/A", "N/A", "none", "..", ".", "--", "<NA>", "NaT", "-nan", "1.#QNAN", "missing", ""]
    for at, mark in enumerate(marks):
        for separator in ",;\t|":
            write(f"missing{at}-{ord(separator)}.csv", spelled(separator, mark))
            table(f"missing{at}-{ord(separator)}.csv")
    for separator in ";\t| ":
        for decimal in ".,":
            for names in (False, True):
                write(f"r{ord(separator)}{ord(decimal)}{names}.txt", spelled(separator, "NA", decimal, ("TRUE", "FALSE"), names=names))
                table(f"r{ord(separator)}{ord(decimal)}{names}.txt")
    write("r-comma.csv", spelled(",", "NA", names=True))
    table("r-comma.csv")
    for at, number in enumerate([lambda v: f"{v:.17e}", lambda v: f"{v:.17E}".replace("E", "D"), lambda v: f"{v:.17e}".replace("e", "d"), float.hex,
                                 lambda v: f"{v:+.17g}", lambda v: f"{v:.17g}"]):
        write(f"number{at}.csv", spelled(number=number))
        table(f"number{at}.csv")
    for at, truths in enumerate([("TRUE", "FALSE"), ("True", "False"), ("1", "0")]):
        write(f"truth{at}.csv", spelled(truths=truths))
        table(f"truth{at}.csv")
    for at, truths in enumerate([("yes", "no"), ("T", "F"), ("WAHR", "FALSCH")]):
        write(f"word{at}.csv", spelled(truths=truths))
        table(f"word{at}.csv", f'column b: "{truths[0]}" is not a number')
    for encoding in ("latin1", "utf-16-le", "utf-16-be", "utf-16", "cp1252", "utf-8-sig"):
        for end in ("\n", "\r\n"):
            write(f"{encoding}{len(end)}.csv", spelled(end=end), encoding)
            table(f"{encoding}{len(end)}.csv")
    write("dos.csv", spelled(), "cp437")
    table("dos.csv", "is neither in UTF-8 nor in Windows-1252; save it in UTF-8")
    for at, head in enumerate(["sep=;\r\n", "\ufeffsep=;\n", "# device 7\n# 1.024.001\n", "\n\n"]):
        write(f"head{at}.csv", spelled(";", head=head))
        table(f"head{at}.csv")
    lvm = "LabVIEW Measurement\t\nWriter_Version\t2\nSeparator\tTab\n***End_of_Header***\t\n\t\n"
    for name, head, words in [("lvm", lvm, '"LabVIEW Measurement" is one cell, and most lines of the file have'),
                              ("percent", "% by MATLAB\n", '"% by MATLAB" is one cell')]:
        write(f"{name}.txt", spelled("\t", head=head))
        table(f"{name}.txt", words)
    for at, line in enumerate(["string,V,m,,mV", "-,[V],[m],[-],[mV]", "varchar,double,int,bool,double"]):
        write(f"units{at}.csv", spelled().replace("\n", f"\n{line}\n", 1))
        table(f"units{at}.csv")
    for at, (text, words) in enumerate([("inf", '"inf" is not a number'), ("0x64", '"0x64" is not a number'), ("100%", '"100%" is not a number'),
                                        ("1e39", '"1e39" is not a number'), ("12_3", '"12_3" is not a number')]):
        write(f"odd{at}.csv", spelled().replace("100.5", text))
        table(f"odd{at}.csv", words)
    write("a.csv", '{"x": 1}\n{"x": 2}\n')
    table("a.csv", "is JSON, XML or a web page, no table; convert it to CSV")


def times(path, refused=""):
    global count
    count += 1
    arrays, text = imported(path)
    if refused or arrays is None:
        check(refused and arrays is None and refused in text, path, text)
        return
    want = np.array([(s * 7 + k * k) % 11 + 0.5 for s in range(4) for k in range(20)], "f4")
    check(arrays["series"].ravel().tobytes() == want.tobytes(), path, "values")
    form = str(arrays["recording"][0])
    check(any(f", {step} apart" in text for step in ("0.125 s", "0.125 of time", "125 of time", "1.25e+05 of time", "1.25e+08 of time")), path, text, form)


def recordings():
    def lines(of, heading="time", separator=","):
        body = [separator.join([str(s), of(k), str((s * 7 + k * k) % 11 + 0.5), "ab"[s % 2]]) for s in range(4) for k in range(20)]
        return "\n".join([separator.join(["sample", heading, "x", "label"]), *body]) + "\n"

    def at(k):
        return BEGAN + datetime.timedelta(milliseconds=125 * k)

    for n, code in enumerate([
            "%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S.%fZ", "%Y-%m-%dT%H:%M:%S.%f+02:00", "%Y-%m-%d %H:%M:%S.%f+0200",
            "%d.%m.%Y %H:%M:%S.%f", "%d/%m/%Y %H:%M:%S.%f", "%m/%d/%Y %H:%M:%S.%f", "%m/%d/%Y %I:%M:%S.%f %p", "%d-%b-%Y %H:%M:%S.%f",
            "%b %d %Y %H:%M:%S.%f", "%H:%M:%S.%f", "%Y/%m/%d %H:%M:%S.%f", "%Y%m%dT%H%M%S.%f", "%Y%m%d %H:%M:%S.%f", "%Y-%jT%H:%M:%S.%f",
            "%a %b %d %H:%M:%S.%f %Y", "%I:%M:%S.%f %p", "%d.%m.%y %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S.%f UTC", "%d %B %Y %H:%M:%S.%f"]):
        write(f"date{n}.csv", lines(lambda k, code=code: at(k).strftime(code)))
        times(f"date{n}.csv")
    write("week.csv", lines(lambda k: at(k).strftime("%G-W%V-%uT%H:%M:%S.%f")))
    times("week.csv", "is not a time; want a number, or a date")
    epoch = int(BEGAN.replace(tzinfo=datetime.timezone.utc).timestamp())
    for n, (of, heading) in enumerate([
            (lambda k: repr(epoch + 0.125 * k), "time"), (lambda k: str(epoch * 1000 + 125 * k), "time"), (lambda k: str(epoch * 10**6 + 125000 * k), "time"),
            (lambda k: str(epoch * 10**9 + 125000000 * k), "time"), (lambda k: str(125 * k), "time_ms"), (lambda k: f"{0.125 * k:.3f}", "t [s]"),
            (lambda k: f"{0.125 * k:.3E}".replace("E", "D"), "t [s]"), (lambda k: str(pandas.Timedelta(milliseconds=125 * k)), "time"),
            (lambda k: f"PT{0.125 * k}S", "time"), (lambda k: f"00:{0.125 * k:06.3f}", "time"), (lambda k: f"30:00:{0.125 * k:06.3f}", "time"),
            (lambda k: f"{-1 + 0.125 * k:.3f}", "time")]):
        write(f"time{n}.csv", lines(of, heading))
        times(f"time{n}.csv")


def series():
    """A .ts file with times: read whole, with signs, exponents and colons; its classes keep their capitals and their blanks."""
    global count
    head = "@problemName t\n@timeStamps true\n@univariate false\n@dimensions 2\n@classLabel true A a going up\n@data\n"
    random = np.random.default_rng(0)
    values = random.normal(size=(6, 2, 5)) * 1e-6
    for n, time in enumerate([lambda k: f"{k}", lambda k: f"2013-02-05 00:00:{k:02d}", lambda k: f"{k - 2.5}"]):
        text = ["".join(",".join(f"({time(k)},{float(v)!r})" for k, v in enumerate(one)) + ":" for one in sample) for sample in values]
        write(f"t{n}.ts", head + "".join(line + ["A", "a", "going up"][i % 3] + "\n" for i, line in enumerate(text)))
        count += 1
        arrays, text = imported(f"t{n}.ts")
        right = arrays is not None and arrays["series"].reshape(6, 2, 5).tobytes() == values.astype("f4").tobytes()
        check(right and list(arrays["class_names"]) == ["A", "a", "going up"] and f"1 {'s' if n == 1 else 'of time'} apart" in text, f"t{n}.ts", text)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    by_libraries()
    dialects()
    recordings()
    series()
    os.chdir("/")
print(count, "files,", failed, "faults")
sys.exit(failed > 0)
