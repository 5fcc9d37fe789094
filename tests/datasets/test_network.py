"""Network against networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.datasets.network import Network
from prune4sed.errors import GraphError, GraphTypeError


@st.composite
def edge_lists(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    n = draw(st.integers(1, 12))
    node = st.integers(0, n - 1)
    return n, draw(st.lists(st.tuples(node, node), max_size=40))


@given(edge_lists())
def test_neighbours_are_those_of_networkx(case: tuple[int, list[tuple[int, int]]]) -> None:
    n, edges = case
    network = Network.from_edges(np.array(edges, dtype=np.int64).reshape(-1, 2), np.arange(n))
    other = nx.Graph()
    other.add_nodes_from(range(n))
    other.add_edges_from((u, v) for u, v in edges if u != v)
    assert len(network) == n
    assert network.num_edges == other.number_of_edges()
    for u in range(n):
        around = network.neighbours[network.starts[u] : network.starts[u + 1]].tolist()
        assert around == sorted(other.neighbors(u))


def test_types() -> None:
    network = Network.from_edges([[0, 1]], [3, -2])
    assert (network.starts.dtype, network.neighbours.dtype, network.labels.dtype) == (
        np.int64,
        np.int32,
        np.int32,
    )
    for array in (network.starts, network.neighbours, network.labels):
        assert not array.flags.writeable
    assert repr(network) == "Network(2 nodes, 1 edges, 2 labels)"


def test_large_numbers_do_not_overflow() -> None:
    n = 400_000  # its square is beyond 32 bits
    network = Network.from_edges(
        np.array([[n - 1, n - 2], [0, n - 1]], dtype=np.int32), np.zeros(n, dtype=int)
    )
    assert network.neighbours.tolist() == [n - 1, n - 1, 0, n - 2]


def test_no_nodes() -> None:
    network = Network.from_edges([], [])
    assert (len(network), network.num_edges, network.starts.tolist()) == (0, 0, [0])


@pytest.mark.parametrize(
    ("edges", "words"),
    [
        ([[0, 1], [1, 3]], "edge 1 joins 1 and 3, but node 3 does not exist: nodes are 0 to 2"),
        ([[-1, 0]], "edge 0 joins -1 and 0, but node -1 does not exist"),
        ([[0, 1, 2]], r"edges must have shape \(n, 2\)"),
    ],
)
def test_bad_edges(edges: list[list[int]], words: str) -> None:
    with pytest.raises(GraphError, match=words):
        Network.from_edges(edges, [0, 0, 0])


def test_bad_labels() -> None:
    with pytest.raises(GraphTypeError, match="labels must hold integers"):
        Network.from_edges([[0, 1]], [0.5, 1.0])
    with pytest.raises(GraphError, match="there are no nodes"):
        Network.from_edges([[0, 1]], [])
