"""Graphs in the forms that people have, as the arrays of the program's data file.

Nodes with names are matched to the sensors of X by these names, whatever their order. Nodes that have none, as those of
``edge_index``, get them beside the graph, ``(graph, names)``. Only where X has no names either, places are compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

EXPLICIT = {"edges", "weights", "directed", "adjacency", "coordinates", "latitude", "longitude"}


def arrays_of(graph: Any, count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    """Return the arrays of the data file that hold a graph over ``count`` sensors, which have ``names`` or none."""
    if names is not None and list(names) == list(range(count)):  # a frame's own numbers
        names = None
    if isinstance(graph, tuple) and len(graph) == 2 and _are_names(graph[1]):
        nodes = list(graph[1])
        return _reordered(arrays_of(graph[0], len(nodes), None), _places(nodes, count, names, whole=True))
    if isinstance(graph, Mapping) and set(graph) <= EXPLICIT and graph:
        return _explicit(graph, count, names)
    if isinstance(graph, Mapping):
        return _named_positions(graph, count, names)
    if hasattr(graph, "edge_index"):  # torch_geometric.data.Data
        weight = getattr(graph, "edge_weight", None)
        attributes = getattr(graph, "edge_attr", None)
        if weight is None and attributes is not None:
            weight = _numpy(attributes)
            if weight.size != len(weight):
                raise ValueError(f"graph.edge_attr has shape {weight.shape}, and an edge has one weight here: give one as "
                                 "graph=(edge_index, edge_weight)")
        return _edge_index(graph.edge_index, weight, count, names)
    if isinstance(graph, tuple) and len(graph) == 2 and getattr(_numpy(graph[0]), "ndim", 0) == 2:
        return _edge_index(*graph, count, names)
    if hasattr(graph, "tocsr"):
        return _sparse(graph, count, names)
    if hasattr(graph, "adjacency") and hasattr(graph, "nodes"):
        return _networkx(graph, count, names)
    if hasattr(graph, "get_positions"):  # an MNE montage
        return _named_positions(graph.get_positions()["ch_pos"], count, names)
    if hasattr(graph, "columns") and hasattr(graph, "index"):
        return _frame(graph, count, names)
    if hasattr(graph, "detach"):  # a tensor of PyTorch: edge_index, as PyTorch Geometric has it
        return _edge_index(graph, None, count, names)
    return _array(graph, count, names)


def _are_names(values: Any) -> bool:
    """Report whether the second part of a tuple names the nodes of the first, and is not the weights of its edges."""
    if hasattr(values, "get_indexer"):  # an index of pandas, such as X.columns
        return True
    return not hasattr(values, "detach") and np.ndim(values) == 1 and len(values) > 0 and all(isinstance(value, str) for value in values)


def _reordered(arrays: dict[str, np.ndarray], places: np.ndarray) -> dict[str, np.ndarray]:
    """Return the arrays of a graph whose node i is the sensor at places[i]."""
    nodes = np.argsort(places)  # of each sensor
    found = dict(arrays)
    if "indptr" in arrays:
        rows = np.repeat(np.arange(len(places)), np.diff(arrays["indptr"]))
        matrix = csr_array((arrays["data"], (places[rows], places[arrays["indices"]])), shape=(len(places), len(places)))
        return {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}
    for name, value in arrays.items():
        if name == "edges":
            found[name] = places[value]
        elif name == "adjacency":
            found[name] = value[np.ix_(nodes, nodes)]
        elif name not in ("weights", "directed"):  # a line for each node
            found[name] = value[nodes]
    return found


def _by_places(names: Sequence[Hashable] | None) -> None:
    """Refuse a graph whose nodes have no names where the sensors have some."""
    if names is not None:
        raise ValueError(f"graph numbers its nodes, and the sensors of X are {_few(names)}: that both come in one order cannot be seen. "
                         "Name the nodes beside the graph, in its order: graph=(graph, names), or graph=(graph, X.columns) if that is "
                         "the order of X; an array, X.to_numpy(), has no names either")


def _numpy(values: Any) -> np.ndarray:
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return np.asarray(values)


def _edges(pairs: np.ndarray, weights: Any, count: int) -> dict[str, np.ndarray]:
    """Return edges between places, [E, 2], that are checked."""
    pairs = np.asarray(pairs)
    if pairs.size == 0:
        pairs = pairs.reshape(0, 2)
    if not np.issubdtype(pairs.dtype, np.number):
        raise ValueError("graph: edge_index holds the places of sensors in X, not names: give names as a networkx graph or as a frame "
                         "with a line for each edge")
    whole = pairs.astype(np.int64)
    if not (whole == pairs).all():
        raise ValueError("graph: the ends of edges must be whole numbers, the places of sensors in X, or names")
    wrong = np.flatnonzero(((whole < 0) | (whole >= count)).any(axis=1))
    if len(wrong):
        a, b = whole[wrong[0]]
        raise ValueError(f"graph: edge {wrong[0]} joins {a} and {b}, and X has the {count} sensors 0 to {count - 1}")
    found = {"edges": whole}
    if weights is not None:
        weights = _numpy(weights).astype(np.float64).reshape(-1)
        if len(weights) != len(whole):
            raise ValueError(f"graph: there are {len(whole)} edges and {len(weights)} weights: give one for each edge")
        found["weights"] = weights
    return found


def _edge_index(edge_index: Any, weights: Any, count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    pairs = _numpy(edge_index)
    if pairs.ndim != 2 or pairs.shape[0] != 2:
        raise ValueError(f"graph: edge_index has shape {pairs.shape}, and must have [2, E], as in PyTorch Geometric; edges [E, 2] are "
                         "graph={'edges': edges, 'weights': weights}")
    found = _edges(pairs.T, weights, count)
    _by_places(names)
    return found


def _sparse(matrix: Any, count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    _square(matrix.shape, count)
    _by_places(names)
    matrix = matrix.tocsr()
    matrix.sum_duplicates()
    return {"indptr": matrix.indptr, "indices": matrix.indices, "data": _number(matrix.data)}


def _square(shape: tuple[int, ...], count: int) -> None:
    if shape != (count, count):
        raise ValueError(f"graph: the matrix has shape {tuple(shape)}, and X has {count} sensors, which take [{count}, {count}]")


def _number(values: Any) -> np.ndarray:
    values = _numpy(values)
    return values.astype(np.uint8) if values.dtype == bool else values


def _places(named: Sequence[Hashable], count: int, names: Sequence[Hashable] | None, whole: bool) -> np.ndarray:
    """Return the place in X of each name. If they name all nodes (whole), each sensor of X must be among them."""
    labels = list(named)
    if names is None:
        if not all(isinstance(label, (int, np.integer)) and 0 <= label < count for label in labels):
            raise ValueError(f"graph names its nodes, as {_few(labels)}, and the {count} sensors of X have no names: give X as a "
                             "frame with these columns, or sensor_names= in the order of X")
        places: dict[Any, int] = {place: place for place in range(count)}
    else:
        places = {name: place for place, name in enumerate(names)}
        if not all(label in places for label in labels):
            texts = {str(name): place for place, name in enumerate(names)}
            if all(str(label) in texts for label in labels):
                labels, places = [str(label) for label in labels], texts
    unknown = [label for label in dict.fromkeys(labels) if label not in places]
    if unknown:
        hint = ""
        if all(isinstance(label, (int, np.integer)) for label in labels):
            hint = ": name the nodes as the sensors, such as networkx.relabel_nodes(graph, dict(enumerate(X.columns)))"
        raise ValueError(f"graph has the nodes {_few(unknown)}, which X has not; its sensors are {_few(names or places)}{hint}")
    missing = [name for name in places if name not in set(labels)] if whole else []
    if missing:
        raise ValueError(f"graph has no node for the sensors {_few(missing)} of X: add them, without an edge if they have none")
    return np.array([places[label] for label in labels], dtype=np.int64)


def _few(names: Any) -> str:
    names = list(names)
    return ", ".join(repr(name) for name in names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _networkx(graph: Any, count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    nodes = list(graph.nodes)
    place = dict(zip(nodes, _places(nodes, count, names, whole=True)))
    directed = {}
    if graph.is_directed():
        back = {(b, a): weight for a, b, weight in graph.edges(data="weight", default=1)}
        for a, b, weight in graph.edges(data="weight", default=1):
            if back.get((a, b), weight) != weight:
                raise ValueError(f"graph: the link from {a!r} to {b!r} has another weight than the one back, and weights have no "
                                 "direction here: give graph.to_undirected()")
        if any((a, b) not in back for a, b in graph.edges):
            directed = {"directed": np.array(True)}
    ends = [(place[a], place[b], weight) for a, b, weight in graph.edges(data="weight", default=1)]
    table = np.array(ends, dtype=np.float64).reshape(-1, 3)
    return {**_edges(table[:, :2], table[:, 2], count), **directed}


def _named_positions(positions: Mapping[Hashable, Any], count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    """Return coordinates of a mapping from names to positions, which may have more names than X has sensors."""
    known = positions
    if names is not None:
        wanted = set(names) | {str(name) for name in names}
        known = {name: at for name, at in positions.items() if name in wanted or str(name) in wanted}
        if not known:
            raise ValueError(f"graph has positions of {_few(positions)}, and the sensors of X are {_few(names)}: name them alike")
    places = _places(list(known), count, names, whole=True)
    rows = np.array([np.asarray(at, dtype=np.float64) for at in known.values()])
    coordinates = np.empty_like(rows)
    coordinates[places] = rows
    return {"coordinates": coordinates}


def _frame(frame: Any, count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    columns, index = list(frame.columns), list(frame.index)
    if set(columns) == set(index) and len(index) > 1:  # a matrix with names
        places = _places(index, count, names, whole=True)
        order = np.argsort(places)
        wanted = [index[at] for at in order]
        return {"adjacency": _number(frame.loc[wanted, wanted].to_numpy())}
    lower = [str(column).lower() for column in columns]
    if lower in (["x", "y"], ["x", "y", "z"]):
        return _named_positions(dict(zip(index, frame.to_numpy(np.float64))), count, names)
    if lower in (["lat", "lon"], ["latitude", "longitude"]):
        rows = _named_positions(dict(zip(index, frame.to_numpy(np.float64))), count, names)["coordinates"]
        return {"latitude": rows[:, 0], "longitude": rows[:, 1]}
    if len(columns) in (2, 3):
        return _named_edges(frame.iloc[:, :2].to_numpy(), frame.iloc[:, 2].to_numpy() if len(columns) == 3 else None, count, names)
    raise ValueError(f"graph is a frame with the columns {_few(columns)}: give a matrix whose columns and index are the sensors, "
                     "positions x, y or lat, lon with the sensors as index, or a line for each edge: two sensors, perhaps a weight")


def _named_edges(pairs: np.ndarray, weights: Any, count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    if names is None and np.issubdtype(np.asarray(pairs).dtype, np.number):
        return _edges(pairs, weights, count)
    return _edges(_places(pairs.ravel().tolist(), count, names, whole=False).reshape(-1, 2), weights, count)


def _explicit(graph: Mapping[str, Any], count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    given = {name: _numpy(value) for name, value in graph.items() if name != "edges"}
    framed = [name for name, value in graph.items() if hasattr(value, "index") and hasattr(value, "iloc")]
    if framed and names is not None:
        raise ValueError(f"graph[{framed[0]!r}] is a frame, whose names count as graph= itself: give it as graph=frame, or as an array")
    if "edges" in graph:
        pairs = _numpy(graph["edges"])
        if pairs.ndim != 2 or pairs.shape[1] != 2:
            raise ValueError(f"graph['edges'] has shape {pairs.shape}, and must have [E, 2]: a pair of sensors a row")
        numbers = np.issubdtype(pairs.dtype, np.number)
        weights = given.pop("weights", None)
        directed = {name: given.pop(name) for name in ("directed",) if name in given}
        if numbers or given:
            _by_places(names)
        return {**given, **directed, **(_edges(pairs, weights, count) if numbers else _named_edges(pairs, weights, count, names))}
    if "directed" in given:
        raise ValueError("graph['directed'] says which way edges lead, and graph['edges'] is not there: give edges [E, 2], each from its "
                         "first sensor to its second")
    for name, value in given.items():
        if len(value) != count:
            raise ValueError(f"graph[{name!r}] has the length {len(value)}, and X has {count} sensors")
    _by_places(names)
    return {name: _number(value) for name, value in given.items()}


def _array(graph: Any, count: int, names: Sequence[Hashable] | None) -> dict[str, np.ndarray]:
    """Return the arrays of a bare array: a matrix, edges, edge_index or coordinates. What may be two of these is refused."""
    if isinstance(graph, list) and len(graph) == 2 and _numpy(graph[0]).ndim == 2:
        raise ValueError("graph is a list of two arrays: give edge_index and its weights as a tuple, graph=(edge_index, edge_weight)")
    table = _numpy(graph)
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"graph has shape {table.shape}: give a matrix [{count}, {count}], edges [E, 2] or [E, 3] with weights, "
                         "edge_index [2, E], or coordinates as {'coordinates': array}")
    if not np.issubdtype(table.dtype, np.number) and table.dtype != bool:
        if table.shape[1] not in (2, 3):
            raise ValueError(f"graph has shape {table.shape} of names: give [E, 2], or [E, 3] with weights")
        return _named_edges(table[:, :2], table[:, 2] if table.shape[1] == 3 else None, count, names)
    found = _numbers(graph, table, count)
    _by_places(names)
    return found


def _numbers(graph: Any, table: np.ndarray, count: int) -> dict[str, np.ndarray]:
    """Return the arrays of a table of numbers, which has one reading only."""
    listed = isinstance(graph, (list, tuple))
    ends = table[:, :2]
    readings = {}
    likely = table.shape[0] == table.shape[1] and np.array_equal(table, table.T) and not table.diagonal().any()  # is a matrix
    if table.shape[0] == table.shape[1] and (len(table) > 3 or likely and not listed):
        _square(table.shape, count)
        return {"adjacency": _number(table)}
    if table.shape[1] in (2, 3) and (ends == np.floor(ends)).all() and (ends >= 0).all():
        readings["edges"] = lambda: _edges(ends, table[:, 2] if table.shape[1] == 3 else None, count)
    if table.shape[0] == 2 and not listed and np.issubdtype(table.dtype, np.integer):
        readings["edge_index"] = lambda: _edge_index(table, None, count, None)
    if table.shape[0] == count and table.shape[1] in (2, 3) and not np.issubdtype(table.dtype, np.integer):
        readings["coordinates"] = lambda: {"coordinates": table}
    if len(readings) == 1:
        return next(iter(readings.values()))()
    if not readings:
        raise ValueError(f"graph has shape {table.shape}, and X has {count} sensors: give a matrix [{count}, {count}], edges [E, 2] or "
                         f"[E, 3] with weights, edge_index [2, E] of integers, or coordinates [{count}, 2 or 3]")
    raise ValueError(f"graph has shape {table.shape}, which may be {' or '.join(readings)}: say which, as "
                     + " or ".join({"edges": "{'edges': pairs, 'weights': weights}", "edge_index": "(edge_index, None)",
                                    "coordinates": "{'coordinates': array}"}[name] for name in readings))
