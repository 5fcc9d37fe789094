"""Related nodes, counted by networkx; and what a match that keeps all edges does to them."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from prune4sed.nn.relations import KINDS, RelatedNodes, only_labels_of, related_nodes


def _random_graph(seed: int, nodes: int = 9, share: float = 0.4) -> nx.Graph:
    graph = nx.gnp_random_graph(nodes, share, seed=seed)
    for node in graph:
        graph.nodes[node]["label"] = (node * 7 + seed) % 3
    return graph


def _related(graph: nx.Graph, labels: int = 3) -> RelatedNodes:
    edges = torch.tensor(nx.to_numpy_array(graph)).float().unsqueeze(0)
    names = torch.tensor([[graph.nodes[node]["label"] for node in graph]])
    return related_nodes(edges, names, labels)


def _paths(graph: nx.Graph, a: int, b: int, length: int) -> int:
    return sum(len(path) == length + 1 for path in nx.all_simple_paths(graph, a, b, cutoff=length))


def _kinds(graph: nx.Graph, a: int, b: int) -> list[bool]:
    """How two nodes are related, told by paths and triangles alone."""
    beside, twos, threes = graph.has_edge(a, b), _paths(graph, a, b, 2), _paths(graph, a, b, 3)
    around = [c for c in nx.common_neighbors(graph, a, b) if beside]
    doubled = [c for c in around if min(_paths(graph, a, c, 2), _paths(graph, b, c, 2)) > 1]
    of_edge = [beside and twos >= least for least in (1, 2, 3)]
    rest = [twos >= 1, twos >= 2, beside and threes >= 1, threes >= 1, threes >= 2, min(twos, threes) >= 1]
    return [*of_edge, bool(doubled), *rest]


@pytest.mark.parametrize("seed", range(6))
def test_counts_are_those_of_paths(seed: int) -> None:
    graph = _random_graph(seed, share=0.62)
    expected = torch.zeros(KINDS, len(graph))
    for a, b in combinations(graph, 2):
        for kind, holds in enumerate(_kinds(graph, a, b)):
            expected[kind, [a, b]] += holds
    assert torch.equal(_related(graph).counts[:, 0], expected)
    assert expected.sum(1).min() > 0  # every relation was put to the test


def _agree(one: RelatedNodes, two: RelatedNodes) -> Tensor:
    return one.in_common(two)[:, 0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.1, 0.9))
def test_a_graph_that_holds_another_has_all_its_related_nodes(seed: int, share: float) -> None:
    target = _random_graph(seed, 10, share)
    query = target.edge_subgraph(list(target.edges)[::2]).copy() if target.edges else target
    found, whole = _related(query), _related(target)
    agreed = _agree(found, whole)
    for row, node in enumerate(query):
        assert (found.counts[:, 0, row] <= whole.counts[:, 0, node]).all()
        assert torch.equal(agreed[:, row, node], found.wanted[:, 0, row])


def test_labels_matter_and_missing_nodes_do_not() -> None:
    edges = torch.ones(1, 4, 4) - torch.eye(4)
    edges[:, 3], edges[:, :, 3] = 0, 0  # a triangle, and a place without a node
    plain = related_nodes(edges, torch.tensor([[0, 0, 0, -1]]), 2)
    mixed = related_nodes(edges, torch.tensor([[0, 0, 1, -1]]), 2)
    assert plain.counts[0, 0].tolist() == mixed.counts[0, 0].tolist() == [2, 2, 2, 0]
    assert _agree(plain, plain)[0, 0].tolist() == [2, 2, 2, 0]
    assert _agree(plain, mixed)[0, 0].tolist() == [1, 1, 2, 0]


def test_many_are_told_apart_roughly_and_agree_with_themselves() -> None:
    clique = torch.ones(1, 30, 30) - torch.eye(30)
    found = related_nodes(clique, torch.zeros(1, 30, dtype=torch.int64), 1)
    assert found.counts[0, 0, 0] == 29
    assert found.wanted[0, 0, 0] == 16 == found.in_common(found)[0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(4))
def test_labels_that_no_query_has_change_nothing(seed: int) -> None:
    query, target = _random_graph(seed, 6, 0.5), _random_graph(seed + 1)
    for node in query:
        query.nodes[node]["label"] = 1 + node % 2
    both = [torch.tensor(nx.to_numpy_array(g)).float().unsqueeze(0) for g in (query, target)]
    names = [torch.tensor([[g.nodes[node]["label"] for node in g]]) for g in (query, target)]
    *few, count = only_labels_of(*names, 3)
    assert count == 2
    all_labels = [related_nodes(edges, labels, 3) for edges, labels in zip(both, names, strict=True)]
    only = [related_nodes(edges, labels, count) for edges, labels in zip(both, few, strict=True)]
    assert torch.equal(_agree(*only), _agree(*all_labels))
    assert torch.equal(only[0].wanted, all_labels[0].wanted)
    assert torch.equal(only[1].counts, all_labels[1].counts)


def test_low_precision_does_not_count_wrong() -> None:
    """An edge with 129 triangles: its walks of three steps are 259, which bfloat16 does not have."""
    book = torch.zeros(1, 131, 131)
    book[:, :2], book[:, :, :2] = 1, 1
    book.diagonal(dim1=1, dim2=2).zero_()
    labels = torch.zeros(1, 131, dtype=torch.int64)
    plain = related_nodes(book, labels, 1)
    with torch.autocast("cpu", torch.bfloat16):
        rough = related_nodes(book, labels, 1)
        assert torch.equal(rough.in_common(rough), plain.in_common(plain))
    assert torch.equal(rough.counts, plain.counts)
