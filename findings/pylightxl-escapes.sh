#!/usr/bin/env bash
# pylightxl 1.61, writexl: the ampersand of a text is escaped twice, so that "a & b" is "a &amp; b" in every other reader, and a truth value
# is written as a number with the text True, so that openpyxl cannot open the workbook.
# Seen with pylightxl 1.61, openpyxl 3.1.5 on Python 3.11. Exits with 1 if it behaves otherwise, 0 if it does as written here.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv py
py/bin/pip install -q pylightxl==1.61 openpyxl==3.1.5
py/bin/python - <<'PYTHON'
import sys, warnings
from importlib.metadata import version
warnings.simplefilter("ignore")
import openpyxl
import pylightxl
print("pylightxl", version("pylightxl"), "openpyxl", version("openpyxl"))
def written(name, value):
    book = pylightxl.Database()
    book.add_ws("a")
    book.ws("a").update_index(row=1, col=1, val=value)
    pylightxl.writexl(book, name)
written("text.xlsx", "a & b")
text = openpyxl.load_workbook("text.xlsx").active["A1"].value
print("written 'a & b', read", repr(text))
written("truth.xlsx", True)
try:
    truth = openpyxl.load_workbook("truth.xlsx").active["A1"].value
except ValueError as error:
    truth = type(error.__cause__ or error).__name__ + ": " + str(error.__cause__ or error)
print("written True, read", truth)
sys.exit(0 if text == "a &amp; b" and "True" in str(truth) and truth is not True else 1)
PYTHON
