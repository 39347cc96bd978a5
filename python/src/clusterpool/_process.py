"""One process of the program, kept for predictions: requests go to its standard input, answers come from its output.

The messages are those of the Open Inference Protocol over HTTP, with binary tensors, as ``ccp serve --addr -`` speaks it.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _program

SILENCE = 60  # seconds without a request after which the process ends; the next request starts another
DATATYPES = {"float32": "FP32", "float64": "FP64"}
NUMPY = {"FP32": "<f4", "FP64": "<f8", "INT64": "<i8"}


class Refused(ValueError):
    """The process answered that it cannot use a request."""


class Process:
    """A process that predicts by a checkpoint. It is started by the first request, and again if it is gone.

    After a fork, the child's first request starts a process of the child's own.
    """

    def __init__(self, checkpoint: Mapping[str, bytes], program: str | os.PathLike[str] | None, flags: list[str]) -> None:
        self._checkpoint, self._program, self._flags = checkpoint, program, flags
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._process: Any = None  # a Popen, whose pipes are open
        self._stop: Any = lambda: None

    def ask(self, tensors: Mapping[str, np.ndarray], outputs: list[dict[str, Any]]) -> tuple[dict[str, np.ndarray], list[str]]:
        """Return the outputs of a request, by their names, and the warnings about its samples."""
        if os.getpid() != self._owner:  # forked: the process, and perhaps the lock, is the parent's
            self._leave()
        with self._lock:
            for attempt in range(2):
                if self._process is None:
                    self._begin()
                try:
                    return self._exchange(tensors, outputs)
                except Refused:
                    raise
                except (OSError, EOFError):  # it has ended: after its silence, or somebody killed it
                    text = self._ended()
                    if attempt:
                        reason = text or "it was killed, perhaps for its memory"
                        raise RuntimeError(f"the process that predicts ended while it answered: {reason}") from None
                except BaseException:  # an answer is left in the pipe
                    self._stop()
                    self._process = None
                    raise
        raise AssertionError

    def stop(self) -> None:
        """End the process, if there is one."""
        if os.getpid() == self._owner:
            self._stop()
            self._process = None

    @property
    def pid(self) -> int | None:
        """The number of the process; None before it is started."""
        return None if self._process is None else self._process.pid

    def _begin(self) -> None:
        folder = tempfile.mkdtemp(prefix="clusterpool-")
        try:
            write(self._checkpoint, folder)
            line = [_program.find(self._program), "serve", "--checkpoint", f"model={folder}", "--addr", "-", "--idle", f"{SILENCE}s",
                    "--log-level", "error", "--offline", "--timeout", "1000h", "--max-body", "65536", "--max-memory", "262144"]
            self._log = tempfile.TemporaryFile()
            self._process = _program.start(line + self._flags, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        # Also called at exit, and when this object is gone.
        self._stop = weakref.finalize(self, end, self._process, self._log, folder, os.getpid())

    def _ended(self) -> str:
        """Clear away a process that has ended, and return what it wrote to its log."""
        process, self._process = self._process, None
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
        self._log.seek(0)
        text = self._log.read().decode("utf-8", "replace").strip()
        self._stop()
        return text.rpartition("ccp: ")[2]

    def _leave(self) -> None:
        """Forget the parent's process, and leave it alone."""
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                with open(os.devnull, "r+b") as nothing:  # closing the pipe would write what the parent has begun
                    os.dup2(nothing.fileno(), pipe.fileno())
                pipe.close()
            self._process.returncode = 0  # it is no child of this process
            self._stop.detach()
        self._process, self._owner, self._lock, self._stop = None, os.getpid(), threading.Lock(), lambda: None

    def _exchange(self, tensors: Mapping[str, np.ndarray], outputs: list[dict[str, Any]]) -> tuple[dict[str, np.ndarray], list[str]]:
        inputs = [{"name": name, "datatype": DATATYPES[values.dtype.name], "shape": values.shape,
                   "parameters": {"binary_data_size": values.nbytes}} for name, values in tensors.items()]
        head = json.dumps({"inputs": inputs, "outputs": outputs}).encode()
        length = len(head) + sum(values.nbytes for values in tensors.values())
        to, answers = self._process.stdin, self._process.stdout
        to.write(b"POST /v2/models/model/infer HTTP/1.1\r\nHost: ccp\r\nContent-Length: %d\r\n"
                 b"Inference-Header-Content-Length: %d\r\n\r\n" % (length, len(head)) + head)
        for values in tensors.values():
            to.write(np.ascontiguousarray(values).data.cast("B"))
        to.flush()
        status = answers.readline().split()
        headers = {}
        while line := answers.readline().strip():
            name, _, value = line.partition(b":")
            headers[name.strip().lower()] = value.strip()
        if len(status) < 2:
            raise EOFError
        body = answers.read(int(headers[b"content-length"]))
        if len(body) < int(headers[b"content-length"]):
            raise EOFError
        if status[1] != b"200":
            raise Refused(json.loads(body)["error"])
        size = int(headers.get(b"inference-header-content-length", len(body)))
        answer, found = json.loads(body[:size]), {}
        for output in answer["outputs"]:
            end = size + output["parameters"]["binary_data_size"]
            found[output["name"]] = np.frombuffer(body[size:end], NUMPY[output["datatype"]]).reshape(output["shape"])
            size = end
        warnings = answer.get("parameters", {}).get("warnings", "")
        return found, warnings.split("\n") if warnings else []


def write(checkpoint: Mapping[str, bytes], folder: str | os.PathLike[str]) -> None:
    """Write the files of a checkpoint into a folder."""
    for name, content in checkpoint.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def end(process: Any, log: Any, folder: str, owner: int) -> None:
    """End a process, and remove its files, unless it is another process's."""
    if os.getpid() != owner:
        return
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, log):
        try:
            pipe.close()
        except OSError:  # what was not written is of no use any more
            pass
    shutil.rmtree(folder, ignore_errors=True)
