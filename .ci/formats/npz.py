"""Gives the program .npz and .npy files of every form that numpy reads, and compares what it predicts for them, and what it imports, with
the same values in their usual form. Python needs numpy, and the PATH ccp.

    python3 .ci/formats/npz.py
"""
import io
import itertools
import os
import subprocess
import sys
import tempfile
import zipfile

import numpy as np

checked, wrong = 0, []
r = np.random.default_rng(0)
LABELS = np.arange(40) % 2
X = np.round(r.normal(size=(40, 2, 12)) * 20 + LABELS[:, None, None] * 30)  # whole numbers, which every type holds
X = np.clip(X, 0, 100) + 0.0  # without a negative zero


def fault(name, text):
    wrong.append(name)
    print("WRONG", name, text, flush=True)


def ccp(*arguments):
    return subprocess.run(["ccp", *arguments], capture_output=True, text=True)


def packed(array, version=None):
    content = io.BytesIO()
    np.lib.format.write_array(content, np.asanyarray(array), version=version)
    return content.getvalue()


class Pipe(io.RawIOBase):
    """A file that cannot go back, so that sizes come behind the members."""

    def __init__(self):
        self.content = b""

    def writable(self):
        return True

    def write(self, some):
        self.content += bytes(some)
        return len(some)


def archive(members, method=zipfile.ZIP_STORED, zip64=False, pipe=False):
    to = Pipe() if pipe else io.BytesIO()
    with zipfile.ZipFile(to, "w", method) as z:
        for name, content in members:
            with z.open(name, "w", force_zip64=zip64) as member:
                member.write(content)
    with open("given.npz", "wb") as file:
        file.write(to.content if pipe else to.getvalue())


def right(name, warnings=("",)):
    """The predictions must be those of the usual form; the warnings must have these words."""
    global checked
    checked += 1
    ran = ccp("predict", "--checkpoint", "run", "given.npz")
    if ran.returncode or ran.stdout != usual or not all(w in ran.stderr for w in warnings):
        fault(name, ran.stderr.strip() or "other predictions")


def refused(name, *words):
    global checked
    checked += 1
    ran = ccp("data", "check", "given.npz")
    text = ran.stdout + ran.stderr
    if not ran.returncode or not all(word in text for word in words) or "panic" in text:
        fault(name, f"want {words}, got {ran.returncode} {text.strip()[:600]}")


def archives():
    """Members of every name, packed in every way."""
    for end, method, zip64, pipe in itertools.product((".npy", ""), (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED), (False, True), (False, True)):
        archive([("series" + end, packed(X))], method, zip64, pipe)
        right(f"series{end} {method} {zip64} {pipe}")
    for version in ((1, 0), (2, 0), (3, 0)):
        archive([("series", packed(X, version))])
        right(f"version {version}")
    archive([("series.npy", packed(X)), ("README.txt", b"of May"), ("a/", b""), ("a/b.npy", packed(LABELS))])
    right("other members", ('"README.txt" is no array of numpy; left out', 'array "a/b" is not used'))
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        archive([("series.npy", packed(X)), ("labels", packed(LABELS))], method)
        refused(f"method {method}", "is packed by method", "numpy.savez_compressed")
    archive([("series.npy", packed(X)), ("series", packed(X)), ("labels", packed(LABELS))])
    refused("a name twice", 'array "series" occurs twice')
    archive([("mine/series.npy", packed(X)), ("mine/labels.npy", packed(LABELS))])
    refused("arrays in a folder", "mine/series")
    archive([("series", packed(X)), ("labels.npy", packed(LABELS)), ("groups", packed(LABELS // 1 * 0 + np.arange(40) // 10))])
    ran = ccp("data", "check", "given.npz", "--json")
    if '"groups"' not in ran.stdout:
        fault("groups without the ending", ran.stdout + ran.stderr)


def types():
    """Elements of every type and order."""
    for kind in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split():
        for order, lay in itertools.product("<>=", (np.ascontiguousarray, np.asfortranarray)):
            values = X > 30 if kind == "b1" else X
            array = lay(values.astype(order + kind))
            archive([("series", packed(array))])
            global usual
            before = usual
            if kind == "b1":
                usual = usual_truth
            right(f"{order}{kind} {lay.__name__}")
            usual = before
    for kind, words in {"c8": "dtype", "c16": "dtype", "M8[ns]": "dates as seconds", "m8[ms]": "dates as seconds", "O": "pickled", "V4": "dtype",
                        "f16": "dtype", "U9": "store them as such", "S9": "store them as such", "T": "pickled"}.items():
        array = np.char.mod("%g", X).astype("T") if kind == "T" else X.astype(np.str_).astype(kind) if kind in ("U9", "S9") else \
            X.astype("i8").astype(kind) if kind[0] in "Mm" else X.astype("f4").view(kind) if kind == "V4" else X.astype(kind)
        content = io.BytesIO()
        np.save(content, array, allow_pickle=True)
        archive([("series", content.getvalue()), ("labels", packed(LABELS))])
        refused(f"dtype {kind}", "series", words)
    records = np.zeros((40, 2, 12), dtype=[("x", "f4"), ("y", "f4")])
    archive([("series", packed(records)), ("labels", packed(LABELS))])
    refused("records", "records (a structured dtype)")
    for shape in ((), (0,), (40, 0, 12), (0, 2, 12), (40, 2, 0)):
        archive([("series", packed(np.zeros(shape))), ("labels", packed(LABELS))])
        refused(f"shape {shape}", "series")
    for labels in (LABELS.astype(str), LABELS.astype("S"), np.array(["sit", "Zürich"])[LABELS], LABELS.astype(">i2")):
        archive([("series", packed(X)), ("labels", packed(labels))])
        ran = ccp("data", "check", "given.npz", "--json")
        if ran.returncode:
            fault(f"labels {labels.dtype}", ran.stderr)
    for labels in (LABELS.astype("f4"), LABELS == 1):
        archive([("series", packed(X)), ("labels", packed(labels))])
        refused(f"labels {labels.dtype}", "a class is an integer from 0 or a string")


def single():
    """.npy files as recordings of an import."""
    global checked
    for kind, order, version in itertools.product("b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split(), "<>", ((1, 0), (2, 0), (3, 0))):
        checked += 1
        values = np.moveaxis(X > 30 if kind == "b1" else X, 2, 1)
        for i in range(4):
            os.makedirs(f"folders/{'ab'[i % 2]}", exist_ok=True)
            array = values[i].astype(order + kind)
            with open(f"folders/{'ab'[i % 2]}/{i}.npy", "wb") as file:
                file.write(packed(np.asfortranarray(array) if version == (2, 0) else array, version))
        ran = ccp("data", "import", "folders", "--out", "out.npz", "--overwrite")
        got = None if ran.returncode else np.load("out.npz")
        order_of = None if got is None else [int(name[0]) for name in got["sample_names"]]
        if got is None or got["series"].reshape(4, 2, 12).tobytes() != np.moveaxis(values, 1, 2)[order_of].astype("f4").tobytes():
            fault(f".npy {order}{kind} {version}", ran.stderr)


def main():
    global usual, usual_truth
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        np.savez("mine.npz", series=X.astype("f4"), labels=LABELS)
        ran = ccp("train", "--data", "mine.npz", "--fast", "--checkpoint", "run", "--set", "transforms=values")
        assert not ran.returncode, ran.stderr
        np.savez("given.npz", series=(X > 30).astype("f4"))
        usual_truth = ccp("predict", "--checkpoint", "run", "given.npz").stdout
        np.savez("given.npz", series=X.astype("f4"))
        usual = ccp("predict", "--checkpoint", "run", "given.npz").stdout
        assert usual.count("\n") > 40 and usual != usual_truth
        for part in (archives, types, single):
            part()
        os.chdir("/")
    print(f".npz and .npy: {checked} files, {len(wrong)} faults")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
