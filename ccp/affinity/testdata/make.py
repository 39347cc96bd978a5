"""Writes the fixtures of this folder. Run in this folder; needs numpy and scipy (made with numpy 2.4, scipy 1.17).

All hold the same graph of 4 nodes: 0-1 of weight 2, 1-2 of weight 0.5, a self-loop at 2 of weight 1; node 3 is isolated.
"""

import numpy as np
import scipy.sparse as sp

a = np.zeros((4, 4))
a[0, 1] = a[1, 0] = 2
a[1, 2] = a[2, 1] = 0.5
a[2, 2] = 1

sp.save_npz("csr.npz", sp.csr_matrix(a))
sp.save_npz("csc.npz", sp.csc_array(a), compressed=False)
sp.save_npz("coo.npz", sp.coo_matrix(a))
