#!/usr/bin/env bash
# libpysal 4.14.1, KNN.from_dataframe and Graph.build_knn: of a GeoDataFrame in EPSG:4326 the nearest neighbours are those on a
# plane of degrees, without a warning. Of stations on the equator at 179.9, -179.9, 170 and -170 degrees the first two, 22 km apart,
# are no neighbours: each has one more than 1,000 km away.
# Packages: libpysal==4.14.1 geopandas==1.1.1 shapely==2.1.2 numpy==2.2.6 scipy==1.15.3. The exit status is not zero if the behaviour has changed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check libpysal==4.14.1 geopandas==1.1.1 shapely==2.1.2 numpy==2.2.6 scipy==1.15.3
"$folder/venv/bin/python" - <<'PYTHON' 2>"$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
import geopandas
import libpysal
from libpysal.graph import Graph
from libpysal.weights import KNN
from shapely.geometry import Point

stations = geopandas.GeoDataFrame(geometry=[Point(longitude, 0) for longitude in (179.9, -179.9, 170, -170)], crs="EPSG:4326")
weights = {node: [int(j) for j in near] for node, near in KNN.from_dataframe(stations, k=1).neighbors.items()}
graph = {node: int(near) for node, near in Graph.build_knn(stations, k=1).adjacency.index}
print("libpysal", libpysal.__version__)
print("nearest neighbours by KNN:", weights)
print("nearest neighbours by Graph.build_knn:", graph)
assert weights[0] == [2] and graph[0] == 2, "neighbours are those on the sphere now"
PYTHON
