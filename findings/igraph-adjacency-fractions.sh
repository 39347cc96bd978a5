#!/usr/bin/env bash
# igraph (Python) 1.0.0, Graph.Adjacency: a matrix of fractions, such as correlations, is cut to whole numbers, and the graph has no
# edge; there is no warning. Graph.Weighted_Adjacency keeps them.
# Packages: igraph==1.0.0 numpy==2.2.6. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check igraph==1.0.0 numpy==2.2.6
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
import igraph
import numpy as np

correlations = np.array([[0, .9, .4], [.9, 0, .7], [.4, .7, 0]])
edges = igraph.Graph.Adjacency(correlations).ecount()
weighted = igraph.Graph.Weighted_Adjacency(correlations, mode="undirected").ecount()
print("igraph", igraph.__version__)
print(f"three correlations: Adjacency has {edges} edges, Weighted_Adjacency {weighted}")
assert (edges, weighted) == (0, 3), "Adjacency keeps fractions now"
PYTHON
