#!/usr/bin/env bash
# igraph (Python) 1.0.0, community_leiden(): the default objective is the constant Potts model with resolution 1, whose communities
# depend on the unit of the weights. Of the karate club each node is alone with weights of 1, and 5 communities are found with
# weights of 10; by modularity it is 4 of both.
# Packages: igraph==1.0.0. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check igraph==1.0.0
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
import random

import igraph

print("igraph", igraph.__version__)
found = {}
for weight in (0.1, 1, 10):
    club = igraph.Graph.Famous("Zachary")
    club.es["weight"] = [weight] * club.ecount()
    for objective in ("CPM", "modularity"):
        random.seed(1)
        igraph.set_random_number_generator(random)
        found[weight, objective] = len(club.community_leiden(objective_function=objective, weights="weight"))
    random.seed(1)
    plain = len(club.community_leiden(weights="weight"))
    print(f"weights of {weight}: {plain} communities by default, {found[weight, 'modularity']} by modularity")
    assert plain == found[weight, "CPM"], "the default is another objective now"
assert found[1, "CPM"] == 34 and found[10, "CPM"] < 10, "the unit of the weights changes nothing any more"
assert found[1, "modularity"] == found[10, "modularity"]
PYTHON
