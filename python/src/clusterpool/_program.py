"""Finds the program ``ccp`` that came with the package, and runs commands of it."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

WINDOWS = sys.platform == "win32"
OWN = pathlib.Path(__file__).with_name("bin") / ("ccp.exe" if WINDOWS else "ccp")


class CCPError(ValueError):
    """The program refused data or settings; the text is its own sentence.

    Attributes
    ----------
    code : int
        The program's exit code: 1 for the data or a file, 2 for a setting.
    """

    def __init__(self, sentence: str, code: int = 1) -> None:
        super().__init__(sentence, code)
        self.code = code

    def __str__(self) -> str:
        return self.args[0]


class CCPWarning(UserWarning):
    """What the program warns of: a reason to doubt the accuracy of a training, or something odd in samples."""


def find(program: str | os.PathLike[str] | None = None) -> str:
    """Return the path of the program: of the one that is named, or of the package's own."""
    if program is not None:
        found = shutil.which(program)
        if found is None:
            raise FileNotFoundError(f"there is no program {os.fspath(program)!r}: give the path of ccp, or leave program out for "
                                    "the one that came with clusterpool")
        return found
    named = os.environ.get("CLUSTERPOOL_PROGRAM")
    if named:
        return find(named)
    if not OWN.exists():
        raise FileNotFoundError(f"{OWN} is missing: clusterpool was installed without its program. Install a wheel (pip install "
                                "--only-binary clusterpool clusterpool), or where Go is, pip install ./python of a clone; or "
                                "give the path of ccp as program=")
    return str(OWN)


def main() -> None:
    """Become the program: the console script ``ccp``, by whose name the program calls itself in what it tells to type."""
    script = pathlib.Path(sys.argv[0])
    is_found = shutil.which(script.stem) in (str(script), str(script.with_suffix(".exe")))
    line = [script.stem if is_found else sys.argv[0], *sys.argv[1:]]
    if WINDOWS:  # where exec returns to the shell before the program has ended
        sys.exit(subprocess.run(line, executable=find()).returncode)
    os.execv(find(), line)


def start(line: list[str], **pipes: Any) -> subprocess.Popen[bytes]:
    """Start a process that a Ctrl-C in the terminal does not reach: whoever started it decides what becomes of it."""
    if sys.platform == "win32":
        return subprocess.Popen(line, creationflags=subprocess.CREATE_NEW_PROCESS_GROUP, **pipes)
    return subprocess.Popen(line, start_new_session=True, **pipes)


def run(
    program: str,
    arguments: Iterable[object],
    listen: Callable[[str], None] = lambda line: None,
    environment: Mapping[str, str] | None = None,
) -> tuple[str, list[str]]:
    """Run a command of the program and return its standard output and the lines that it wrote to standard error.

    ``listen`` gets each of these lines as it comes. ``environment`` is for what os.environ does not set. A KeyboardInterrupt
    has the program save what it has, and is raised again when the program has ended; a second one kills it. What the program
    refuses is an exception with its sentence.
    """
    line = [program, *map(str, arguments), "--offline"]
    said: list[str] = []
    with tempfile.TemporaryFile() as out:
        process = start(line, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.PIPE,
                        env={**(environment or {}), **os.environ})
        assert process.stderr is not None
        lines = process.stderr

        def hear() -> None:
            for raw in lines:
                text = raw.decode("utf-8", "replace").rstrip()  # a path in a message may be of any bytes
                said.append(text)
                listen(text)
            process.wait()

        try:
            hear()
        except KeyboardInterrupt:
            if sys.platform == "win32":
                process.send_signal(signal.CTRL_BREAK_EVENT)
            else:
                process.send_signal(signal.SIGINT)
            hear()
            raise
        finally:
            process.kill()  # of one that has ended, nothing
            process.wait()
            lines.close()
        out.seek(0)
        written = out.read().decode("utf-8", "replace")
    if process.returncode:
        raise error_of(line[1], process.returncode, said)
    return written, said


def warn(text: str) -> None:
    """Give a CCPWarning at the line that called the package."""
    level, frame = 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(("clusterpool", "sklearn", "aeon", "sktime")):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, CCPWarning, stacklevel=level)


def error_of(command: str, code: int, said: list[str]) -> Exception:
    """Return the exception for a command that ended with a code other than 0."""
    begins = [at for at, text in enumerate(said) if text.startswith("ccp: ")]
    lines = [text for text in said[begins[-1]:] if text and not text.startswith("See `")] if begins else said[-5:]
    sentence = "\n".join(lines)
    sentence = sentence[len("ccp: "):] if sentence.startswith("ccp: ") else sentence
    sentence = re.sub(r"\S*clusterpool-\w+\Wdata\.npz", "X", sentence)
    if code == 4:
        return MemoryError(sentence)
    if code == 3:
        return FloatingPointError(sentence)
    if code in (1, 2):
        return CCPError(sentence, code)
    return RuntimeError(f"ccp {command} ended with code {code}: {sentence}")
