"""Graph: what it accepts, what it refuses and in which words, identity, conversions."""

from __future__ import annotations

import copy
import timeit
from enum import IntEnum
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune4sed import Graph
from prune4sed.errors import GraphError, GraphTypeError, Prune4SEDError
from prune4sed.labels import intern_labels
from strategies import NUMBERS, WORDS, graphs

PATH = Graph(["C", "C", "O"], [(0, 1), (2, 1)], id="q1")


def test_holds_what_was_given() -> None:
    g = Graph(["C", "N", "O"], [(2, 0), (0, 1)], ["double", "single"], "x")
    assert (g.labels, g.edges, g.edge_labels, g.id) == (
        ("C", "N", "O"),
        ((2, 0), (0, 1)),
        ("double", "single"),
        "x",
    )
    assert (g.num_nodes, g.num_edges, len(g)) == (3, 2, 3)


def test_empty_graph() -> None:
    g = Graph([], [])
    assert (g.labels, g.edges, len(g)) == ((), (), 0)
    assert bool(g)
    assert g.codes.edges.shape == (0, 2)


@pytest.mark.parametrize(
    ("labels", "edges", "edge_labels", "message"),
    [
        (
            [0] * 6,
            [(0, 1), (1, 2), (2, 3), (4, 9)],
            None,
            "edge 3 is (4, 9), but node 9 does not exist: the graph has 6 nodes",
        ),
        ([0], [(0, -1)], None, "edge 0 is (0, -1), but node -1 does not exist: the graph has 1 node"),
        ([], [(0, 1)], None, "edge 0 is (0, 1), but node 0 does not exist: the graph has 0 nodes"),
        ([0] * 3, [(0, 1), (1, 2), (1, 1)], None, "edge 2 (1, 1) is a self-loop at node 1"),
        ([0] * 3, [(0, 1), (0, 2), (1, 2), (2, 0)], None, "edge 3 (2, 0) repeats edge 1"),
        (["C", "C", "C", 7], [], None, "labels mix strings and integers: node 0 is 'C', node 3 is 7"),
        ([1, 2], [(0, 1)], ["a", "b"], "2 edge labels were given for 1 edges; give one label per edge"),
        (
            [1, 2, 3],
            [(0, 1), (1, 2)],
            ["a", 1],
            "edge labels mix strings and integers: edge 0 is 'a', edge 1 is 1",
        ),
    ],
)
def test_names_the_offender(labels: Any, edges: Any, edge_labels: Any, message: str) -> None:
    with pytest.raises(GraphError) as caught:
        Graph(labels, edges, edge_labels)
    assert str(caught.value) == message
    assert isinstance(caught.value, Prune4SEDError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("labels", "edges", "words"),
    [
        (5, [], "labels must be a sequence"),
        (None, [], "labels must be a sequence"),
        ("CCO", [], "labels is the string 'CCO'"),
        ({"C"}, [], "labels must be a sequence"),
        ([True, False], [], "the label of node 0 is True"),
        ([np.bool_(True)], [], "the label of node 0 is"),
        ([1.0], [], "the label of node 0 is 1.0"),
        ([1, float("nan")], [], "the label of node 1 is nan"),
        ([None], [], "the label of node 0 is None"),
        (np.array([0.5]), [], "the label of node 0 is 0.5"),
        ([0, 0], 7, "edges must be a sequence of pairs"),
        ([0, 0], [7], "edge 0 is 7"),
        ([0, 0], [(0, 1, 2)], "edge 0 is (0, 1, 2)"),
        ([0, 0], [(0, 1.0)], "edge 0 is (0, 1.0)"),
        ([0, 0], [(0, True)], "edge 0 is (0, True)"),
        ([0, 0], ["01"], "edge 0 is ('0', '1')"),
        ([0, 0], [None], "edge 0 is None"),
        ([0, 0], np.array([[0.0, 1.0]]), "edge 0 is (0.0, 1.0)"),
        ([0, 0], np.array([[0, 1, 1]]), "edge 0 is (0, 1, 1)"),
    ],
)
def test_wrong_types(labels: Any, edges: Any, words: str) -> None:
    with pytest.raises(GraphTypeError) as caught:
        Graph(labels, edges)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, TypeError)


def test_wrong_id() -> None:
    with pytest.raises(GraphTypeError, match="id must be a string or None, not 3"):
        Graph([0], [], id=3)  # type: ignore[arg-type]


class Element(IntEnum):
    C = 6


@pytest.mark.parametrize(
    "labels", [np.array([6, 6]), [np.int8(6), np.int64(6)], (6, 6), [Element.C, Element.C], iter([6, 6])]
)
def test_integers_of_any_kind(labels: Any) -> None:
    g = Graph(labels, np.array([[0, 1]], dtype=np.uint16), np.array([1]))
    assert g.labels == (6, 6)
    assert {type(x) for x in (*g.labels, *g.edges[0], *(g.edge_labels or ()))} == {int}


def test_numpy_strings() -> None:
    g = Graph(np.array(["C", "O"]), [(np.int32(0), 1)], [np.str_("a")], np.str_("x"))
    assert {type(x) for x in (*g.labels, *(g.edge_labels or ()), g.id)} == {str}


def test_cannot_be_changed() -> None:
    for name in ("labels", "edges", "id", "_codes", "new"):
        with pytest.raises(AttributeError, match="cannot be changed"):
            setattr(PATH, name, 1)
    with pytest.raises(AttributeError, match="cannot be changed"):
        del PATH.labels
    with pytest.raises(ValueError, match="read-only"):
        PATH.codes.labels[0] = 1
    labels = ["C"]
    g = Graph(labels)
    labels[0] = "O"
    assert g.labels == ("C",)


def test_equality_is_about_structure() -> None:
    assert Graph(["C", "C", "O"], [(1, 2), (1, 0)], id="other") == PATH
    assert hash(Graph(["C", "C", "O"], [(1, 2), (1, 0)])) == hash(PATH)
    assert Graph(["C", "O", "C"], [(0, 1), (1, 2)]) != PATH
    assert Graph(["C", "C", "O"], [(0, 1)]) != PATH
    assert Graph([0, 0], [(0, 1)], [1]) != Graph([0, 0], [(0, 1)])
    assert Graph([0, 0, 0], [(0, 1), (1, 2)], [1, 2]) != Graph([0, 0, 0], [(0, 1), (1, 2)], [2, 1])
    assert Graph([0, 0, 0], [(0, 1), (1, 2)], [1, 2]) == Graph([0, 0, 0], [(2, 1), (1, 0)], [2, 1])
    assert Graph([1]) != Graph(["1"])
    assert PATH != "C"


@given(graphs(NUMBERS, WORDS), st.data())
def test_any_order_and_direction_of_edges_is_equal(g: Graph, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(g.num_edges)))
    turned = [g.edges[i][::-1] if data.draw(st.booleans()) else g.edges[i] for i in order]
    other = Graph(g.labels, turned, [(g.edge_labels or ())[i] for i in order])
    assert other == g
    assert hash(other) == hash(g)


def test_repr() -> None:
    assert repr(PATH) == "Graph(id='q1', nodes=3, edges=2, labels={C: 2, O: 1})"
    assert repr(Graph([])) == "Graph(nodes=0, edges=0, labels={})"
    assert len(repr(Graph(list(range(1000))))) < 120


def test_copies_are_itself_and_pickling_keeps_all() -> None:
    assert copy.copy(PATH) is PATH
    assert copy.deepcopy([PATH])[0] is PATH
    made, arguments = PATH.__reduce__()
    again = made(*arguments)
    assert (again, again.id, again.edges) == (PATH, "q1", PATH.edges)


def test_codes() -> None:
    g = Graph(["C", "O", "C"], [(2, 1), (0, 1)], ["x", "y"])
    assert g.codes is g.codes
    assert g.codes.labels.tolist() == intern_labels(["C", "O", "C"]).tolist()
    assert g.codes.edges.tolist() == [[2, 1], [0, 1]]
    assert g.codes.edge_labels is not None
    assert g.codes.edge_labels[0] != g.codes.edge_labels[1]
    for array in (g.codes.labels, g.codes.edges, g.codes.edge_labels):
        assert array.dtype == np.int32
        assert array.flags.c_contiguous
        assert not array.flags.writeable
    assert Graph(["C"]).codes.edge_labels is None


@given(graphs(WORDS, NUMBERS), st.data())
def test_permuted_is_isomorphic(g: Graph, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(g.num_nodes)))
    other = g.permuted(order)
    assert other.labels == tuple(g.labels[i] for i in order)

    def match(x: dict[str, Any], y: dict[str, Any]) -> bool:
        return x["label"] == y["label"]

    assert nx.is_isomorphic(g.to_networkx(), other.to_networkx(), match, match)
    back = np.argsort(order) if order else []
    assert other.permuted(back) == g


@given(graphs(), st.data())
def test_subgraph_is_that_of_networkx(g: Graph, data: st.DataObject) -> None:
    nodes = data.draw(st.lists(st.sampled_from(range(g.num_nodes)), unique=True)) if g.num_nodes else []
    induced = g.to_networkx().subgraph(nodes)
    mine = g.subgraph(nodes)
    assert {frozenset(nodes[i] for i in edge) for edge in mine.edges} == {
        frozenset(edge) for edge in induced.edges
    }
    assert mine.labels == tuple(g.labels[node] for node in nodes)


def test_bad_subgraphs() -> None:
    with pytest.raises(GraphError, match="node 3 does not exist: the graph has 3 nodes"):
        PATH.subgraph([0, 3])
    with pytest.raises(GraphError, match="node 1 is listed more than once"):
        PATH.subgraph([1, 1])
    with pytest.raises(GraphError, match="a permutation of 3 nodes is needed, but 2 were given"):
        PATH.permuted([0, 1])


def test_large_graph() -> None:
    cycle = nx.circulant_graph(10_000, [1, 2, 3])
    g = Graph(np.zeros(10_000, dtype=int), np.array(cycle.edges))
    assert g.num_edges == 30_000


def test_construction_is_quick() -> None:
    labels = ["C", "N", "O"] * 8 + ["C"]
    edges = [(i, i + 1) for i in range(24)] + [(0, 5), (6, 12), (3, 9)]
    best = min(timeit.repeat(lambda: Graph(labels, edges), number=2000, repeat=5)) / 2000
    # The bar is 25 us on an idle core; a busy machine gets some slack.
    assert best < 100e-6
