"""Writes workbooks by XlsxWriter, openpyxl, pandas and polars, and compares what ccp imports with what was written.

A table of writer x type x number format: values to the last bit of float32, times to a microsecond with openpyxl's reading. The PATH has ccp.

    python3 .ci/formats/sheets.py
"""
import datetime
import os
import subprocess
import sys
import tempfile

import numpy as np
import openpyxl
import pandas
import polars
import xlsxwriter

LABELS = ["walk", "sit", "Zürich & <co>"] * 4
FLOATS = [2.5, -1.25, 1 / 3, 100.0, -7.5e-12, 3.125e20, 42.0, -0.1, 8.0, 9.25, -64.0, 16777217.0]
WHOLE = [3, 1, 4, 1, -5, 9, 2, 6, 5, 3, 2**40, 0]
TRUTHS = [True, False, True, True, False, False] * 2
COLUMNS = {"f": FLOATS, "i": WHOLE, "b": TRUTHS, "n": [None if k in (0, 5) else v for k, v in enumerate(FLOATS)]}
DAY = 24 * 60 * 60

# Number formats, and the days at which a recording begins: 0 a time of day or a duration, 45443 the 31st of May 2024.
TIMES = {
    "yyyy-mm-dd hh:mm:ss.000": 45443.5, "m/d/yy h:mm": 45443, "d-mmm-yy": 45443, "d-mmm": 45443, "mmm-yy": 45443, "yyyy": 45443, "d": 45443,
    "dd.mm.yyyy": 45443, "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy": 45443, "[$-407]d/\\ mmmm\\ yyyy;@": 45443, 'yyyy"年"m"月"d"日"': 45443,
    "h:mm AM/PM": 0.25, "h:mm:ss": 0.25, "hh:mm:ss.000": 0, "mm:ss.0": 0, "mmss.0": 0, "[h]:mm:ss": 2.25, "[mm]:ss.00": 0.5, "[ss].000": 0,
    '"t="hh:mm:ss': 0.25, "h:mm:ss;@": 0.25, "yyyy-mm-dd hh:mm:ss": 150000.25, "[Red]yyyy-mm-dd": 40,
}
NUMBERS = ["General", "0", "0.00", "#,##0.00_);[Red](#,##0.00)", "0%", "0.00E+00", '0.0" m"', '0" s"', "0000\\-00\\-00", "[$€-407]\\ 0.00", "@", "# ?/?"]
failed = 0


def imported(path, *options):
    """Imports a file, and returns the arrays and what was printed; no arrays if it was refused."""
    run = subprocess.run(["ccp", "data", "import", path, "--out", "out.npz", "--overwrite", *options], capture_output=True, text=True)
    return (dict(np.load("out.npz")) if run.returncode == 0 else None), run.stdout + run.stderr


def check(right, what, *seen):
    global failed
    if not right:
        failed += 1
        print("WRONG", what, *seen)


def table(path):
    arrays, text = imported(path, "--layout", "samples", "--missing", "fill")
    check(arrays is not None, path, text)
    if arrays is None:
        return
    check([str(arrays["class_names"][k]) for k in arrays["labels"]] == LABELS, path, "labels")
    values = arrays["series"].reshape(12, -1)
    for at, name in enumerate(arrays["sensor_names"]):
        want = np.array([np.nan if v is None else v for v in COLUMNS[str(name)[0]]], "f4")
        check(values[:, at].tobytes() == want.tobytes(), path, name, values[:, at], want)


def rows(began):
    """Four recordings of 20 time points, an eighth of a second apart."""
    return [[s, began + k * 0.125 / DAY, (s * 7 + k * k) % 11 + 0.5, "ab"[s % 2]] for s in range(4) for k in range(20)]


def times(path):
    arrays, text = imported(path)
    check(arrays is not None and "column time as time in seconds" in text and ", 0.125 s apart" in text, path, text)
    if arrays is not None:
        want = np.array([r[2] for r in rows(0)], "f4").reshape(4, 20)
        check(np.array_equal(arrays["series"].reshape(4, 20), want), path, "values")


def by_xlsxwriter(path, lines, formats=None, options=None):
    book = xlsxwriter.Workbook(path, options or {})
    sheet = book.add_worksheet()
    styles = {column: book.add_format({"num_format": code}) for column, code in (formats or {}).items()}
    for i, line in enumerate(lines):
        for column, value in enumerate(line):
            if value is not None:
                sheet.write(i, column, value, styles.get(column) if i else None)
    book.close()


def by_openpyxl(path, lines, formats=None, options=None):
    book = openpyxl.Workbook(**(options or {}))
    sheet = book.active or book.create_sheet()
    for line in lines:
        sheet.append(line)
    for column, code in (formats or {}).items():
        for i in range(2, len(lines) + 1):
            sheet.cell(i, column + 1).number_format = code
    book.save(path)


def tables():
    lines = [["label", *COLUMNS]] + [list(line) for line in zip(LABELS, *COLUMNS.values())]
    for at, options in enumerate([{}, {"constant_memory": True}, {"date_1904": True}, {"use_zip64": True}, {"strings_to_numbers": True}]):
        by_xlsxwriter(f"xlsxwriter{at}.xlsx", lines, None, options)
        table(f"xlsxwriter{at}.xlsx")
    for at, options in enumerate([{}, {"write_only": True}]):
        by_openpyxl(f"openpyxl{at}.xlsx", lines, None, options)
        table(f"openpyxl{at}.xlsx")
    frame = pandas.DataFrame({"label": LABELS, **COLUMNS})
    for engine in ("openpyxl", "xlsxwriter"):
        frame.to_excel(f"pandas-{engine}.xlsx", engine=engine, index=False)
        frame.to_excel(f"pandas-{engine}-index.xlsx", engine=engine)
        table(f"pandas-{engine}.xlsx")
        table(f"pandas-{engine}-index.xlsx")
    polars.DataFrame({"label": LABELS, **COLUMNS}).write_excel("polars.xlsx")
    table("polars.xlsx")
    for at, code in enumerate(NUMBERS):  # no format of a number changes it
        for name, write in (("xlsxwriter", by_xlsxwriter), ("openpyxl", by_openpyxl)):
            write(f"{name}-number{at}.xlsx", lines, {1: code, 2: code, 4: code})
            table(f"{name}-number{at}.xlsx")


def recordings():
    head = ["sample", "time", "x", "label"]
    for at, (code, began) in enumerate(TIMES.items()):
        for name, write in (("xlsxwriter", by_xlsxwriter), ("openpyxl", by_openpyxl)):
            path = f"{name}-time{at}.xlsx"
            write(path, [head] + rows(began), {1: code})
            times(path)
    began = datetime.datetime(2024, 5, 31, 12)
    kinds = {"datetime": lambda s: began + datetime.timedelta(seconds=s), "timedelta": lambda s: datetime.timedelta(hours=30, seconds=s),
             "time": lambda s: (began + datetime.timedelta(seconds=s)).time()}
    for kind, of in kinds.items():
        lines = [head] + [[r[0], of(k % 20 * 0.125), r[2], r[3]] for k, r in enumerate(rows(0))]
        by_openpyxl(f"openpyxl-{kind}.xlsx", lines)
        by_xlsxwriter(f"xlsxwriter-{kind}.xlsx", lines, None, {"default_date_format": "yyyy-mm-dd hh:mm:ss.000"})
        by_xlsxwriter(f"xlsxwriter-{kind}-1904.xlsx", lines, None, {"default_date_format": "dd/mm/yy hh:mm:ss.000", "date_1904": True})
        for path in (f"openpyxl-{kind}.xlsx", f"xlsxwriter-{kind}.xlsx", f"xlsxwriter-{kind}-1904.xlsx"):
            times(path)
    book = openpyxl.load_workbook("openpyxl-datetime.xlsx")
    book.iso_dates = True
    book.save("openpyxl-iso.xlsx")
    times("openpyxl-iso.xlsx")
    by_xlsxwriter("days.xlsx", [["label", "day", "x"], ["a", 20240531, 1], ["b", 20240601, 4]], {1: "0000\\-00\\-00"})
    arrays, text = imported("days.xlsx", "--layout", "samples")
    check(arrays is not None and arrays["series"].reshape(2, 2)[0, 0] == np.float32(20240531), "days.xlsx", text)


def formulas():
    """A formula without a result is refused, whoever wrote it; one with a result is read; a note tells of single zeros."""
    def lines(value):
        return [["label", "x", "double"]] + [["ab"[k % 2], k * 1.5 % 4, value(k)] for k in range(12)]

    by_openpyxl("formulas.xlsx", lines(lambda k: f"=B{k + 2}*2"))
    by_xlsxwriter("formulas0.xlsx", lines(lambda k: f"=B{k + 2}*2"))
    by_openpyxl("formulas-some.xlsx", lines(lambda k: f"=B{k + 2}*2" if k > 9 else k))
    for path in ("formulas.xlsx", "formulas0.xlsx", "formulas-some.xlsx"):
        arrays, text = imported(path)
        check(arrays is None and "column double holds" in text and "open the workbook in a spreadsheet program and save it" in text, path, text)
        arrays, text = imported(path, "--leave", "double")
        check(arrays is not None and list(arrays["sensor_names"]) == ["x"], path, "without the column", text)
    book = xlsxwriter.Workbook("results.xlsx")
    sheet = book.add_worksheet()
    for i, line in enumerate(lines(lambda k: k)):
        sheet.write_row(i, 0, line[:2] if i else line)
        if i:
            sheet.write_formula(i, 2, f"=B{i + 1}*2", None, line[1] * 2)
    book.close()
    arrays, text = imported("results.xlsx")
    values = None if arrays is None else arrays["series"].reshape(12, 2)
    check(arrays is not None and np.array_equal(values[:, 1], 2 * values[:, 0]), "results.xlsx", text)
    check("holds 12 formulas, and the result of 2 of them is 0" in text, "results.xlsx", text)


def hidden():
    book = openpyxl.Workbook()
    old, new = book.active, book.create_sheet("new")
    old.title, old.sheet_state = "old", "hidden"
    old.append(["label", "z"])
    for line in [["label", "x"]] + [["ab"[k % 2], k * k % 5] for k in range(12)]:
        new.append(line)
    new.row_dimensions[4].hidden = True
    book.active = 1
    book.save("hidden.xlsx")
    arrays, text = imported("hidden.xlsx")
    check(arrays is not None and list(arrays["sensor_names"]) == ["x"] and len(arrays["labels"]) == 12, "hidden.xlsx", text)
    check("sheet new is read, of old, new" in text and "sheet new of hidden.xlsx hides 1 row," in text, "hidden.xlsx", text)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    tables()
    recordings()
    formulas()
    hidden()
    print(len(os.listdir(".")) - 1, "workbooks,", failed, "faults")
    os.chdir("/")
sys.exit(failed > 0)
