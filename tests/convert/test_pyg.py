"""PyG data, both ways: reading with plain numpy, writing where torch is installed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from prune4sed import Graph
from prune4sed.errors import GraphError, GraphTypeError
from strategies import NUMBERS, WORDS, graphs, same

EDGES = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])


def data(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**{"edge_index": EDGES, "num_nodes": 3, **fields})


def test_without_features_labels_are_zero() -> None:
    assert Graph.from_pyg(data()) == Graph([0, 0, 0], [(0, 1), (1, 2)])
    assert Graph.from_pyg(SimpleNamespace(edge_index=EDGES)) == Graph([0, 0, 0], [(0, 1), (1, 2)])


def test_edges_may_be_listed_once() -> None:
    assert Graph.from_pyg(data(edge_index=EDGES[:, [0, 3]])).edges == ((0, 1), (2, 1))


@pytest.mark.parametrize(
    "x",
    [np.array([[2], [0], [1]]), np.array([2, 0, 1]), np.array([[2.0], [0.0], [1.0]]), np.eye(3)[[2, 0, 1]]],
)
def test_labels(x: Any) -> None:
    assert Graph.from_pyg(data(x=x)).labels == (2, 0, 1)


def test_edge_labels() -> None:
    assert Graph.from_pyg(data(edge_attr=[[4], [4], [5], [5]])).edge_labels == (4, 5)
    assert Graph.from_pyg(data(edge_attr=np.eye(2)[[0, 0, 1, 1]])).edge_labels == (0, 1)
    named = data(
        edge_attr=[0, 0, 1, 1], edge_label_names=["s", "d"], x=[[1], [1], [0]], label_names=["C", "O"]
    )
    assert same(Graph.from_pyg(named), Graph(["O", "O", "C"], [(0, 1), (1, 2)], ["s", "d"]))


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"x": np.ones((3, 2))}, "x of node 0 is not one-hot"),
        ({"x": [[0.5], [1], [2]]}, "x of node 0 is 0.5, not an integer"),
        ({"x": [[1.0], [np.nan], [2]]}, "x of node 1 is nan"),
        ({"x": np.zeros((3, 2, 2))}, "x must be one column of integers or one-hot rows"),
        ({"x": [[5], [0], [0]], "label_names": ["C"]}, "x of node 0 is 5, but there are 1 label names"),
        ({"edge_attr": [1, 2, 3, 3]}, "edge (0, 1) has label 1 one way and 2 the other"),
        ({"edge_attr": [1]}, "edge_attr has 1 rows for 4 columns"),
        ({"edge_index": [[0, 0], [1, 1]]}, "column 1 of edge_index, (0, 1), repeats column 0"),
        ({"edge_index": [[0.0], [1.0]]}, "edge_index must be integers"),
        ({"edge_index": [[0], [5]]}, "node 5 does not exist"),
        ({"edge_index": [[1], [1]]}, "self-loop"),
    ],
)
def test_refusals(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(GraphError) as caught:
        Graph.from_pyg(data(**fields))
    assert words in str(caught.value)


def test_something_else() -> None:
    with pytest.raises(GraphTypeError, match="expected a PyG Data object with edge_index, not a list"):
        Graph.from_pyg([1])


@settings(max_examples=30)
@given(graphs(WORDS, NUMBERS, WORDS), graphs(NUMBERS, None), graphs(NUMBERS, WORDS))
def test_round_trip(one: Graph, two: Graph, three: Graph) -> None:
    pytest.importorskip("torch_geometric")
    for g in (one, two, three):
        there = g.to_pyg()
        there.validate()
        assert there.is_undirected() or not g.edges
        assert same(Graph.from_pyg(there), g)


def test_real_pyg_data() -> None:
    utils = pytest.importorskip("torch_geometric.utils")
    import networkx as nx

    G = nx.petersen_graph()
    assert Graph.from_pyg(utils.from_networkx(G)) == Graph.from_networkx(G)


def test_labels_too_wide_for_a_tensor() -> None:
    pytest.importorskip("torch_geometric")
    with pytest.raises(GraphError, match="does not fit in a 64-bit tensor"):
        Graph([2**70]).to_pyg()
