"""Writes the fixtures of this folder. Run in this folder; needs numpy and scipy (made with numpy 2.4, scipy 1.17).

All hold the same graph of 4 nodes: 0-1 of weight 2, 1-2 of weight 0.5, a self-loop at 2 of weight 1; node 3 is isolated.
"""

import gzip

import numpy as np
import scipy.io as sio
import scipy.sparse as sp

a = np.zeros((4, 4))
a[0, 1] = a[1, 0] = 2
a[1, 2] = a[2, 1] = 0.5
a[2, 2] = 1

sp.save_npz("csr.npz", sp.csr_matrix(a))
sp.save_npz("csc.npz", sp.csc_array(a), compressed=False)
sp.save_npz("coo.npz", sp.coo_matrix(a))
np.savez("edges.npz", edges=np.array([[0, 1], [2, 1], [2, 2], [3, 3]]), weights=np.array([2, 0.5, 1, 0], dtype="f4"))
np.savez("adjacency.npz", adjacency=np.asfortranarray(a))
sio.mmwrite("symmetric.mtx", sp.coo_matrix(a), symmetry="symmetric")
sio.mmwrite("general.mtx", sp.coo_matrix(a), symmetry="general")
sio.mmwrite("array.mtx", a, symmetry="general")
sio.mmwrite("array_symmetric.mtx", a, symmetry="symmetric")
with open("general.mtx", "rb") as plain, gzip.GzipFile("general.mtx.gz", "wb", mtime=0) as packed:
    packed.write(plain.read())
np.savetxt("savetxt.txt", np.array([[0, 1, 2], [1, 2, 0.5], [2, 2, 1]]), header="nodes: 4")
