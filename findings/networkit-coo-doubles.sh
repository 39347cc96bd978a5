#!/usr/bin/env bash
# NetworKit 11.3, GraphFromCoo: a symmetric scipy matrix becomes an undirected graph in which each edge is there twice, so that
# degrees are doubled; there is no warning.
# Packages: networkit==11.3 numpy==2.2.6 scipy==1.15.3. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check networkit==11.3 numpy==2.2.6 scipy==1.15.3
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
import networkit
import scipy.sparse

path = scipy.sparse.coo_matrix([[0, 2., 0], [2., 0, 3.], [0, 3., 0]])
graph = networkit.GraphFromCoo(path, n=3, weighted=True, directed=False)
print("NetworKit", networkit.__version__)
print(f"a path of two edges: {graph.numberOfEdges()} edges, {list(graph.iterEdgesWeights())}; the middle node has degree {graph.degree(1)}")
assert graph.numberOfEdges() == 4 and graph.degree(1) == 4, "an edge is there once now"
PYTHON
