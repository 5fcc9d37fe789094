"""Graphs that cannot be compared are refused with both sides named; those that can are not."""

from __future__ import annotations

import networkx as nx
import pytest

from prune4sed.errors import GraphError, GraphTypeError
from prune4sed.exact.branch import branch
from prune4sed.exact.engine import sed, sed_pairs
from prune4sed.exact.mip_f2 import mip_f2
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

WORDS = Graph(["C", "O"], [(0, 1)])
NUMBERS = Graph([6, 8], [(0, 1)])
BONDED = Graph(["C", "O"], [(0, 1)], ["single"])
COUNTED = Graph(["C", "O"], [(0, 1)], [1])
DOTS = Graph(["C", "O"])
EMPTY = Graph([])

#: Every solver of one pair. Without time, the integer program asks for no package to solve it.
SOLVERS = [sed, branch, lambda q, t: mip_f2(q, t, time_limit=0)]


@pytest.mark.parametrize(
    ("q", "t", "words"),
    [
        (WORDS, NUMBERS, r"node labels are strings \('C'\) and the target's are integers \(6\)"),
        (NUMBERS, WORDS, r"node labels are integers \(6\) and the target's are strings \('C'\)"),
        (BONDED, COUNTED, "edge labels are strings .* integers"),
        (BONDED, WORDS, "the query has edge labels and the target has none"),
        (WORDS, BONDED, "the target has edge labels and the query has none"),
    ],
)
def test_unlike_graphs_are_refused(q: Graph, t: Graph, words: str) -> None:
    for solver in SOLVERS:
        with pytest.raises(GraphError, match=words):
            solver(q, t)
    with pytest.raises(GraphError, match=words):
        sed_pairs(q, t)
    with pytest.raises(GraphError, match=words):
        sed_pairs(GraphSet([q, q]), GraphSet([t, t]))


@pytest.mark.parametrize("other", [WORDS, NUMBERS, BONDED, COUNTED, DOTS, EMPTY])
def test_the_empty_graph_compares_with_everything(other: Graph) -> None:
    for solver in SOLVERS:
        assert solver(EMPTY, other).upper == 0
        assert solver(other, EMPTY).upper == len(other) + len(other.edges)
    assert sed_pairs(EMPTY, other).upper[0] == 0
    assert sed_pairs(other, EMPTY).upper[0] == len(other) + len(other.edges)


@pytest.mark.parametrize("other", [WORDS, BONDED, COUNTED])
def test_a_graph_without_edges_lacks_no_edge_labels(other: Graph) -> None:
    for solver in SOLVERS:
        assert solver(DOTS, other).upper == 0
        assert solver(other, DOTS).upper == 1
    assert sed_pairs(DOTS, other).upper[0] == 0
    assert sed_pairs(other, DOTS).upper[0] == 1


@pytest.mark.parametrize("wrong", [None, "CCO", 5, nx.path_graph(3), [WORDS], GraphSet([WORDS])])
def test_what_is_no_graph_is_refused(wrong: object) -> None:
    kind = type(wrong).__name__
    for solver in SOLVERS:
        with pytest.raises(GraphTypeError, match=f"not {kind}"):
            solver(wrong, WORDS)  # type: ignore[arg-type]
        with pytest.raises(GraphTypeError, match=f"not {kind}"):
            solver(WORDS, wrong)  # type: ignore[arg-type]
