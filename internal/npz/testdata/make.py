"""Writes the fixtures of this folder. Run in this folder; needs numpy and scipy (made with numpy 2.4, scipy 1.17)."""

import numpy as np
import scipy.sparse as sp

grid = np.arange(24).reshape(2, 3, 4)
arrays = dict(
    bools=np.array([True, False, True]),
    half=np.array([0, -0.0, 1, -2.5, 65504, 2**-24, -(2**-14), np.inf, np.nan], dtype="<f2"),
    big_half=np.array([1, -2.5], dtype=">f2"),
    single=np.linspace(0, 1, 5, dtype="<f4"),
    big_double=np.array([[1.5, -2.25], [1e300, 0]], dtype=">f8"),
    fortran=np.asfortranarray(grid.astype("<i4")),
    fortran_bytes=np.asfortranarray(grid.astype("u1")),
    big_shorts=np.array([-2, 258], dtype=">i2"),
    unsigned=np.array([2**64 - 1, 0], dtype="<u8"),
    words=np.array([["cat", "", "Zürich"], ["日本", "a\0b", "🙂"]]),
    big_words=np.array(["né", "x"]).astype(">U4"),
    raw=np.array([b"dog", b"", b"mouse"]),
    scalar=np.array(7, dtype="i8"),
    empty=np.zeros((0, 3), dtype="f4"),
)
np.savez("plain.npz", **arrays)
np.savez_compressed("packed.npz", **arrays)
np.savez("refused.npz", objects=np.array([None, 1], dtype=object), complex=np.array([1j]), dates=np.array(["2020-01-01"], dtype="M8[D]"),
         records=np.zeros(2, dtype=[("a", "i4"), ("b", "f4")]))
for version in (1, 2, 3):
    with open(f"v{version}.npy", "wb") as f:
        np.lib.format.write_array(f, grid.astype("<u2"), version=(version, 0))
sp.save_npz("csr.npz", sp.csr_matrix(np.array([[0, 2, 0], [2, 0, 0.5], [0, 0.5, 1]])))
