"""Distances to pruned targets against brute force, and what always holds of them."""

from __future__ import annotations

import numpy as np
import pytest
from made import made_graphs, made_set
from scipy.stats import pearsonr

from oracles import brute_force
from prune4sed.studies.pruned_distances import compare_distances, pruned_bounds, pruned_figures
from prune4sed.studies.pruned_targets import match_scores, one_share_each, random_scores

ONE = made_set(3, made_graphs(1, 6, (4, 6)), 20, (2, 4))


def test_the_distance_is_that_to_the_induced_graph() -> None:
    kept = one_share_each(random_scores(ONE, 0), 0.4)
    lower, upper = pruned_bounds(ONE, kept)
    for row, (q, t) in enumerate(ONE.pairs.index.tolist()):
        rest = ONE.targets[t].to_networkx().subgraph(np.flatnonzero(kept[row]).tolist())
        graph = type(ONE.targets[t]).from_networkx(rest)
        assert lower[row] == upper[row] == brute_force(ONE.queries[q], graph)


def test_pruning_never_brings_a_query_nearer() -> None:
    one = made_set(5, made_graphs(6, 8, (8, 14)), 40)
    before = one.pairs.upper
    for ratio in (0.1, 0.5, 1.0):
        lower, _ = pruned_bounds(one, one_share_each(random_scores(one, 1), ratio))
        assert (lower >= before).all()
    # Nothing is left: every node and edge of the query is deleted.
    sizes = (one.queries.num_nodes + one.queries.num_edges)[one.pairs.query]
    np.testing.assert_array_equal(lower, sizes)


def test_what_the_match_spares_can_go() -> None:
    found = pruned_figures(ONE, [score > 0 for score in match_scores(ONE)])
    assert found["mae"] == 0
    assert found["unchanged"] == found["certified"] == 1
    assert found["correlation"] == pytest.approx(1)
    assert 0 < found["pruned"] < 1
    assert all(x == y for x, y, _ in found["bubbles"])


def test_figures_against_scipy_and_by_hand() -> None:
    rng = np.random.default_rng(0)
    true = rng.integers(0, 6, 200).astype(float)
    pruned = true + rng.integers(0, 3, 200)
    found = compare_distances(true, pruned)
    assert found["correlation"] == pytest.approx(pearsonr(true, pruned).statistic)
    assert found["mae"] == pytest.approx(sum(abs(a - b) for a, b in zip(true, pruned, strict=True)) / 200)
    assert sum(count for _, _, count in found["bubbles"]) == 200
    for x, y, count in found["bubbles"]:
        assert count == sum((a, b) == (x, y) for a, b in zip(true, pruned, strict=True))


def test_no_correlation_where_all_are_alike() -> None:
    assert compare_distances(np.ones(3), np.array([1.0, 2.0, 3.0]))["correlation"] is None
