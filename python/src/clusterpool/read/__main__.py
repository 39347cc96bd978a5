"""python -m clusterpool.read: files of recorders to a data set."""

from __future__ import annotations

import argparse
import pathlib
import re
import sys
from collections.abc import Sequence

import numpy as np

from . import formats
from .collect import Choices, collect
from .dataset import arrays_of
from .describe import describe
from .samples import Samples
from .tables import events_file, write_tables
from .texts import some
from .wfdb_segments import segments
from .whole import whole
from .windows import parse_length, parse_positive

ABOUT = """Make an .npz file, to train on, of the files of recorders: EEG, motion capture, test benches, robots.
A folder stands for all such files in it. The class of a recording is its folder's name, or what --labels says; with
--window, events in the files are the classes of what is cut out: windows inside a lasting event, and one window from a
moment on."""
FORMATS = "\n".join(
    f"  {', '.join(one.endings):38}{one.name:26}"
    + (f"pip install 'clusterpool[{one.extra}]'" if one.extra else "nothing else")
    for one in formats.FORMATS
)
EXAMPLES = """examples:
  python -m clusterpool.read recordings/ --out mine.npz                  a folder in it for each class
  python -m clusterpool.read s*.edf --window 2s --out eeg.npz            events are the classes
  python -m clusterpool.read drive.mf4 --label mode --window 5s --out drive.npz    a channel is
  python -m clusterpool.read s3.edf --out s3.csv                         two tables, of values and of events"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        "python -m clusterpool.read",
        description=ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=f"{EXAMPLES}\n\nformats:\n{FORMATS}\n\nall of them: pip install 'clusterpool[read]'",
        allow_abbrev=False,
    )
    names = {"type": lambda text: [one.strip() for one in text.split(",") if one.strip()], "metavar": "NAMES"}
    made.add_argument("files", nargs="+", type=pathlib.Path, metavar="FILES", help="files, or folders of them")
    made.add_argument(
        "--out", type=pathlib.Path, required=True, metavar="FILE", help="FILE to write: .npz, or .csv for tables along time"
    )
    made.add_argument("--overwrite", action="store_true", help="replace the file if it exists")
    made.add_argument(
        "--window",
        type=parse_positive,
        metavar="DURATION",
        help="cut windows of a DURATION such as 2s, or of so many time points",
    )
    made.add_argument(
        "--step", type=parse_positive, metavar="DURATION", help="between the begins of windows (default: a whole window)"
    )
    made.add_argument(
        "--label",
        metavar="WHAT",
        help="what tells the class: events, folder, none (for files to predict), or the name of a channel of "
        "states (default: what there is)",
    )
    made.add_argument(
        "--labels",
        type=pathlib.Path,
        metavar="FILE",
        help="table of the classes: file,label, and perhaps group; or of stretches: file,start,end,label, in s from the begin",
    )
    made.add_argument("--events", help="NAMES of the events that are classes (default: all)", **names)
    made.add_argument("--until-next", action="store_true", help="a momentary event lasts until the next one")
    made.add_argument(
        "--rest", metavar="NAME", help="NAME of the class of what no lasting event covers, instead of leaving it out"
    )
    made.add_argument(
        "--offset",
        type=parse_length,
        metavar="DURATION",
        help="begin the window of a moment this much later, or, as -0.2s, earlier",
    )
    made.add_argument(
        "--group",
        metavar="REGEX",
        help="REGEX whose brackets hold, in a recording's name, whose it is: '^([a-z]+)_' (default: a file's, of "
        "several files; else a stretch's)",
    )
    made.add_argument("--take", help="NAMES of the sensors to take, in this order (default: all)", **names)
    made.add_argument("--leave", default=[], help="NAMES of sensors to leave out", **names)
    made.add_argument(
        "--rate", type=rate, metavar="HZ", help="time points a second, of files that have neither a rate nor times"
    )
    return made


def rate(text: str) -> float:
    """Read a rate in Hz."""
    found = float(text)
    if not 0 < found < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no rate: write time points a second, such as 250")
    return found


def joined(line: Sequence[str]) -> list[str]:
    """Return a command line with --offset -0.2s as --offset=-0.2s, as argparse takes what begins with - for a flag."""
    result: list[str] = []
    for word in line:
        if result[-1:] == ["--offset"] and re.match(r"-[\d.]", word):
            result[-1] += f"={word}"
        else:
            result.append(word)
    return result


def main(line: Sequence[str] | None = None) -> int:
    """Run the command line, and return the exit code: 0, 1 for files that cannot be used, 2 for the line itself."""
    parsed = vars(parser().parse_args(joined(sys.argv[1:] if line is None else line)))
    given, out, overwrite = parsed.pop("files"), parsed.pop("out"), parsed.pop("overwrite")
    try:
        choices = Choices(**parsed)
        check(out, choices)
        there = [one for one in (out, events_file(out)) if one.exists() and (one == out or out.suffix == ".csv")]
        if there and not overwrite:
            raise FileExistsError(f"{there[0]} exists: choose another name, or --overwrite")
        paths, passed = find(given)
        recordings = collect(paths, choices, print)
        if out.suffix == ".csv":
            write_tables(out, recordings, choices, print)
        else:
            samples = Samples(recordings, choices, print)
            arrays = arrays_of(samples, print)
            with whole(out, "wb") as file:
                np.savez(file, **arrays)
            print(*describe(out, arrays, samples), sep="\n")
        if passed:
            print(f"note: {len(passed)} files are not read, as their names end in {some(sorted(set(passed)))}")
    except (ValueError, OSError, ModuleNotFoundError) as error:
        print(f"clusterpool.read: {error}", file=sys.stderr)
        return 1
    return 0


def check(out: pathlib.Path, choices: Choices) -> None:
    """Refuse flags that do not go together."""
    if out.suffix not in (".npz", ".csv"):
        raise ValueError(f"--out {out} must end in .npz, or in .csv for tables along time")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"--out {out}: there is no folder {out.parent}")
    of_windows = choices.step or choices.offset or choices.rest
    if out.suffix == ".csv" and (choices.window or of_windows or choices.group):
        raise ValueError(
            f"--window, --step, --offset, --rest and --group are of an .npz: {out} has whole recordings, which ccp cuts"
        )
    if out.suffix == ".npz" and choices.window is None and (of_windows or choices.events or choices.until_next):
        raise ValueError("--step, --offset, --events, --rest and --until-next go with --window")


def find(given: Sequence[pathlib.Path]) -> tuple[list[pathlib.Path], list[str]]:
    """Return the files to read, of folders all that a reader takes, in the order of their names; and the endings passed over.

    Segments of a WFDB record of several are read with it, and not by themselves.
    """
    endings = {ending for one in formats.FORMATS for ending in one.endings}
    paths, passed = [], []
    for path in given:
        if not path.is_dir():
            formats.format_of(path)
            paths.append(path)
            continue
        inside = sorted(
            one
            for one in path.rglob("*")
            if one.is_file() and not any(part.startswith(".") for part in one.relative_to(path).parts)
        )
        taken = [one for one in inside if one.suffix.lower() in endings]
        passed += [one.suffix or one.name for one in inside if one not in taken and one.suffix.lower() not in formats.BESIDE]
        if not taken:
            raise ValueError(f"{path}: no file in this folder ends in {', '.join(sorted(endings))}")
        parts = set().union(*(segments(one) for one in taken if one.suffix.lower() == ".hea"))
        paths += [one for one in taken if one not in parts]
    return paths, passed


if __name__ == "__main__":
    sys.exit(main())
