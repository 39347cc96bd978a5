"""Every form of a graph is the same graph, and nodes with names are matched to the sensors."""
import types

import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse

from clusterpool import CCPClassifier, _graph

NAMES = ["a", "b", "c", "d"]
PAIRS = np.array([[0, 1], [1, 2], [2, 3]])
WEIGHTS = np.array([1.0, 2.0, 0.5])
DENSE = np.zeros((4, 4))
DENSE[PAIRS[:, 0], PAIRS[:, 1]] = DENSE[PAIRS[:, 1], PAIRS[:, 0]] = WEIGHTS


class Tensor:
    """What a tensor of PyTorch has of this."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return self.values


def dense(arrays, count=4):
    """The matrix that the arrays of a data file are."""
    if "adjacency" in arrays:
        return np.asarray(arrays["adjacency"], float)
    if "indptr" in arrays:
        return scipy.sparse.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(count, count)).toarray()
    out = np.zeros((count, count))
    for (a, b), weight in zip(arrays["edges"], arrays.get("weights", np.ones(len(arrays["edges"])))):
        out[a, b] = out[b, a] = weight
    return out


def network(order=NAMES, names=NAMES):
    graph = networkx.Graph()
    graph.add_nodes_from(order)
    for (a, b), weight in zip(PAIRS, WEIGHTS):
        graph.add_edge(names[a], names[b], weight=weight)
    return graph


both = np.concatenate([PAIRS, PAIRS[:, ::-1]])
twice = np.concatenate([WEIGHTS, WEIGHTS])
named = pd.DataFrame(DENSE, index=NAMES, columns=NAMES)
two_weights = networkx.DiGraph()
two_weights.add_nodes_from(NAMES)
two_weights.add_weighted_edges_from([("a", "b", 1), ("b", "a", 2)])
table = pd.DataFrame({"from": [NAMES[a] for a, _ in PAIRS], "to": [NAMES[b] for _, b in PAIRS], "weight": WEIGHTS})


numbered = [
    DENSE, DENSE.tolist(), scipy.sparse.csr_matrix(DENSE), scipy.sparse.coo_array(DENSE), (Tensor(both.T), Tensor(twice)), (both.T, twice),
    types.SimpleNamespace(edge_index=Tensor(both.T), edge_weight=Tensor(twice)),
    types.SimpleNamespace(edge_index=Tensor(both.T), edge_attr=Tensor(twice[:, None])), np.column_stack([PAIRS, WEIGHTS]),
    {"edges": PAIRS, "weights": WEIGHTS}, {"adjacency": DENSE},
]


@pytest.mark.parametrize("graph", [
    network(), network(NAMES[::-1]), network(NAMES[::-1]).to_directed(), named, named.loc[NAMES[::-1], ["c", "a", "d", "b"]], table,
    {"edges": [[NAMES[a], NAMES[b]] for a, b in PAIRS], "weights": WEIGHTS},
    np.array([[NAMES[a], NAMES[b], weight] for (a, b), weight in zip(PAIRS, WEIGHTS)], dtype=object),
], ids=lambda graph: type(graph).__name__)
def test_nodes_with_names(graph):
    assert (dense(_graph.arrays_of(graph, 4, NAMES)) == DENSE).all()


@pytest.mark.parametrize("graph", numbered, ids=lambda graph: type(graph).__name__)
def test_nodes_without_names(graph):
    """They are the sensors by their places only if the sensors have no names; names beside the graph are matched."""
    assert (dense(_graph.arrays_of(graph, 4, None)) == DENSE).all()
    assert (dense(_graph.arrays_of(graph, 4, range(4))) == DENSE).all()  # the columns of a frame that nobody named
    with pytest.raises(ValueError, match=r"sensors of X are 'a', 'b', 'c', 'd': .*graph=\(graph, X.columns\)"):
        _graph.arrays_of(graph, 4, NAMES)
    for names in (NAMES, pd.Index(NAMES), np.array(NAMES)):
        assert (dense(_graph.arrays_of((graph, names), 4, NAMES)) == DENSE).all()
    order = [2, 0, 3, 1]
    assert (dense(_graph.arrays_of((graph, [NAMES[i] for i in order]), 4, NAMES))[np.ix_(order, order)] == DENSE).all()


@pytest.mark.parametrize("graph", [[(0, 1), (1, 2), (2, 3)], PAIRS, Tensor(both.T), both.T, network(range(3, -1, -1), range(4)), [("a", "b"), ("b", "c"), ("c", "d")]],
                         ids=["list", "pairs", "tensor", "edge_index", "networkx", "names"])
def test_forms_without_weights(graph):
    names = NAMES if isinstance(graph, list) and graph[0][0] == "a" else None
    assert ((dense(_graph.arrays_of(graph, 4, names)) > 0) == (DENSE > 0)).all()


def test_directed():
    """A networkx graph that is directed says which way links lead, unless each has one back."""
    river = networkx.DiGraph([("a", "b"), ("c", "b"), ("b", "d"), ("d", "b")])
    found = _graph.arrays_of(river, 4, NAMES)
    assert found["directed"] and found["edges"].tolist() == [[0, 1], [1, 3], [2, 1], [3, 1]]
    assert "directed" not in _graph.arrays_of(network().to_directed(), 4, NAMES)
    found = _graph.arrays_of({"edges": [["c", "b"]], "directed": True}, 4, NAMES)
    assert found["directed"] and found["edges"].tolist() == [[2, 1]]
    found = _graph.arrays_of(({"edges": [[0, 1]], "directed": True}, NAMES[::-1]), 4, NAMES)
    assert found["directed"] and found["edges"].tolist() == [[3, 2]]


def test_coordinates():
    at = {"d": (3, 0), "b": (1, 0), "a": (0, 0), "c": (2, 1), "elsewhere": (9, 9)}
    want = [[0, 0], [1, 0], [2, 1], [3, 0]]
    montage = types.SimpleNamespace(get_positions=lambda: {"ch_pos": at})
    frame = pd.DataFrame(at, index=["x", "y"]).T
    for graph in (at, montage, frame, ({"coordinates": want}, NAMES), (np.array(want)[::-1] + 0.5, NAMES[::-1])):
        found = _graph.arrays_of(graph, 4, NAMES)["coordinates"]
        assert (found - found[0] == want).all()
    sphere = _graph.arrays_of(frame.rename(columns={"x": "lat", "y": "lon"}), 4, NAMES)
    assert sphere["latitude"].tolist() == [0, 1, 2, 3] and sphere["longitude"].tolist() == [0, 0, 1, 0]


at_two = np.zeros((4, 2))


@pytest.mark.parametrize("graph, names, text", [
    (network(), None, "graph names its nodes, as 'a', 'b', .* have no names: give X as a frame"),
    (network(range(4), range(4)), NAMES, r"nodes 0, 1, 2, 3, which X has not; its sensors are 'a', .*relabel_nodes"),
    (network(NAMES + ["e"]), NAMES, "nodes 'e', which X has not"),
    (network().subgraph(["a", "b", "c"]), NAMES, "no node for the sensors 'd'"),
    (two_weights, NAMES, "from 'a' to 'b' has another weight than the one back"),
    ({"directed": True}, NAMES, r"graph\['directed'\] says which way .* give edges"),
    (({"adjacency": DENSE}, ["a", "b", "c", "e"]), NAMES, "nodes 'e', which X has not"),
    ((both.T, NAMES), None, "graph names its nodes, .* have no names"),
    ((both.T, NAMES[:3]), NAMES, "edge 2 joins 2 and 3, and X has the 3 sensors"),
    ({"coordinates": pd.DataFrame(at_two, index=NAMES)}, NAMES, r"graph\['coordinates'\] is a frame"),
    (DENSE[:3, :3], NAMES, r"the matrix has shape \(3, 3\), and X has 4 sensors"),
    (scipy.sparse.eye(5), NAMES, r"the matrix has shape \(5, 5\), and X has 4 sensors"),
    (np.array([[0, 1], [1, 4]]), None, "may be edges or edge_index"),
    (PAIRS + 2, None, "edge 1 joins 3 and 4, and X has the 4 sensors 0 to 3"),
    ((PAIRS, WEIGHTS), None, r"edge_index has shape \(3, 2\), and must have \[2, E\]"),
    ((both.T, WEIGHTS), None, "there are 6 edges and 3 weights"),
    (np.array([[0.0, 1.0], [1, 2], [2, 3], [3, 0]]), None, "may be edges or coordinates"),
    ({"coordinates": DENSE[:3]}, None, r"graph\['coordinates'\] has the length 3, and X has 4 sensors"),
    ({"Fz": (0, 0)}, NAMES, "positions of 'Fz', and the sensors of X are 'a'"),
    ({"a": (0, 0), "b": (1, 1)}, NAMES, "no node for the sensors 'c', 'd'"),
    (types.SimpleNamespace(edge_index=both.T, edge_attr=np.ones((6, 2))), None, "an edge has one weight here"),
    (pd.DataFrame({"p": [1], "q": [1], "r": [1], "s": [1]}), NAMES, "graph is a frame with the columns 'p'"),
    (np.zeros(4), None, r"graph has shape \(4,\)"),
])
def test_refused(graph, names, text):
    with pytest.raises(ValueError, match=text):
        _graph.arrays_of(graph, 4, names)


def test_the_order_of_nodes_does_not_matter(ring):
    """The commonest silent fault: a graph in another order than the data."""
    x, y, edges = ring
    columns = [f"node{i}" for i in range(6)]
    frame = pd.DataFrame(x, columns=columns)
    graph = networkx.Graph()
    graph.add_nodes_from(np.random.default_rng(1).permutation(columns))
    graph.add_edges_from((columns[a], columns[b]) for a, b in edges)
    settings = {"transforms": "none", "levels": ["3x8/3", "1x8/3"], "fc": [8], "epochs": 5}
    want = CCPClassifier(graph=edges, params=settings).fit(x, y).predict_proba(x)
    assert (CCPClassifier(graph=graph, params=settings).fit(frame, y).predict_proba(frame) == want).all()
    assert (CCPClassifier(graph=graph, params=settings, sensor_names=columns).fit(x, y).predict_proba(x) == want).all()
    model = CCPClassifier(graph=graph, params=settings).fit(frame, y)
    assert b'"recording"' not in model.checkpoint_["model.json"]
    gap = frame.copy()
    gap.iloc[4, 2] = np.nan  # then a row is a recording of one time point
    assert CCPClassifier(graph=graph, fast=True).fit(gap, y).score(gap, y) > 0.9


def test_signals_with_channels(ring):
    """As the features of PyTorch Geometric's nodes, of samples that share their edges."""
    x, y, edges = ring
    signals = np.stack([x, -x], axis=2)  # [samples, nodes, channels]
    model = CCPClassifier(graph=(np.array(edges).T, None), time=False, fast=True).fit(signals, y)
    assert model.score(signals, y) > 0.9 and model.explain(signals[:2]).shape == (2, 6)
    with pytest.raises(ValueError, match="time=False takes X as signals on a graph, and there is none"):
        CCPClassifier(time=False).fit(signals, y)
    recordings = CCPClassifier(graph=edges, fast=True).fit(np.repeat(x[:, :, None], 20, axis=2) + np.random.default_rng(3).normal(size=(48, 6, 20)), y)
    assert recordings._form["longest"] == 20


def test_names_in_the_place_of_numbers_are_told():
    with pytest.raises(ValueError, match="not names: give names as a networkx graph"):
        _graph.arrays_of((np.array([["a", "b"], ["b", "c"]]), None), 4, NAMES)
    with pytest.raises(ValueError, match="as a tuple"):
        _graph.arrays_of([np.array([[0, 1], [1, 2]]), np.ones(2)], 4, NAMES)


def test_other_names_than_the_columns_are_refused():
    frame = pd.DataFrame(np.zeros((4, 3)), columns=["a", "b", "c"])
    with pytest.raises(ValueError, match="sensor_names differs from the columns"):
        CCPClassifier(fast=True, sensor_names=["c", "b", "a"]).fit(frame, [0, 1, 0, 1])
