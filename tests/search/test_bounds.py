"""The bounds from fingerprints never exceed the distance, and are not idle."""

from __future__ import annotations

import random
from hashlib import sha256

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import cases
from oracles import brute_force, pairs_of_graphs
from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.search.features import SCHEME, QueryBounds, fingerprints, label_hashes
from random_graphs import random_graph


def bounds(query: Graph, targets: list[Graph], edits: int = 3) -> list[int]:
    looked = QueryBounds(query, 1)
    while edits and not looked.can_try(edits):
        edits -= 1
    return looked.of(fingerprints(GraphSet(targets), 1), edits)[0].tolist()


@settings(max_examples=cases(300))
@given(pairs_of_graphs())
def test_never_more_than_brute_force(pair: tuple[Graph, Graph]) -> None:
    q, t = pair
    assert bounds(q, [t])[0] <= brute_force(q, t)


@pytest.mark.parametrize("edge_labels", [0, 2])
@pytest.mark.parametrize("labels", [1, 3])
def test_never_more_than_the_engine_on_larger_graphs(labels: int, edge_labels: int) -> None:
    rng = random.Random(labels * 10 + edge_labels)
    targets = [
        random_graph(rng, rng.randint(5, 20), rng.uniform(0.05, 0.4), labels, edge_labels) for _ in range(60)
    ]
    targets = [t for t in targets if t.edges]
    queries = [
        random_graph(rng, rng.randint(2, 9), rng.uniform(0.2, 0.5), labels, edge_labels) for _ in range(12)
    ]
    for q in (q for q in queries if q.edges):
        upper = sed_pairs(q, targets, time_limit=None, node_limit=3000).upper
        assert (np.array(bounds(q, targets)) <= upper).all()


@settings(max_examples=cases(40))
@given(st.randoms(use_true_random=False), st.integers(0, 3), st.booleans())
def test_some_edits_away_is_bounded_by_their_number(rng: random.Random, edits: int, bonds: bool) -> None:
    """A query made by editing a piece of the target: the bound is at most the number of edits."""
    t = random_graph(rng, 14, 0.2, 3, 2 if bonds else 0)
    piece = t.subgraph(sorted(rng.sample(range(14), 8)))
    labels, edges = list(piece.labels), list(piece.edges)
    codes = list(piece.edge_labels) if piece.edge_labels is not None else None
    free = [(a, b) for a in range(8) for b in range(a) if (a, b) not in edges and (b, a) not in edges]
    for _ in range(edits):
        if rng.random() < 0.5 and free:
            edges.append(free.pop(rng.randrange(len(free))))
            if codes is not None:
                codes.append(0)
        else:
            labels[rng.randrange(8)] = 7
    q = Graph(labels, edges, codes if edges else None)
    assert bounds(q, [t])[0] <= edits


def test_a_graph_too_large_to_count_tells_nothing_wrong() -> None:
    """All words of a kind are ones beyond some number of pieces; whatever a large graph contains is in it."""
    rng = random.Random(5)
    big = random_graph(rng, 120, 0.6, 2)
    for size in (3, 20, 60):
        piece = big.subgraph(sorted(rng.sample(range(120), size)))
        assert bounds(piece, [big], edits=1) == [0]
    star = Graph([0] * 200, [(0, v) for v in range(1, 200)])
    assert bounds(Graph([0] * 150, [(0, v) for v in range(1, 150)]), [star], edits=1) == [0]


def test_counts_add_up() -> None:
    q = Graph(["N", "N", "O"], [(0, 1), (1, 2)])
    assert bounds(q, [Graph(["C", "C", "C"]), Graph(["N", "N", "O"]), Graph([])]) == [5, 2, 5]


def test_it_rules_out_what_the_engine_would_have_to() -> None:
    ring = Graph(["C"] * 6, [(i, (i + 1) % 6) for i in range(6)])
    chain = Graph(["C"] * 12, [(i, i + 1) for i in range(11)])
    assert bounds(ring, [ring, chain]) == [0, 1]
    assert bounds(ring, [Graph(["N"] * 6, ring.edges)])[0] >= 5  # two of six bits may be one


def test_hashes_are_the_same_everywhere() -> None:
    """What an index on disk relies on; whoever changes it makes SCHEME the next number."""
    assert SCHEME == 1
    assert label_hashes(["C", 1, "1"]).tolist() == [
        13365168099191852923, 778860755400141487, 6064584127301525897
    ]  # fmt: skip
    ring = Graph(
        ["C", "C", "C", "O", "N"], [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)], ["a", "b", "a", "a", "b"]
    )
    digest = sha256(fingerprints(GraphSet([ring]), 1).astype("<u8").tobytes()).hexdigest()
    assert digest[:16] == "87017677eba9d769"
