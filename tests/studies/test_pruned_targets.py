"""Pruning a share of the nodes: exactly the share, and none that scores more than one that stays."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import made_graphs, made_set

from prune4sed.errors import OptionError
from prune4sed.models.solvers import Exact
from prune4sed.studies.pruned_targets import (
    RULES,
    degree_scores,
    keep_scores,
    match_scores,
    one_share_each,
    one_threshold,
    random_scores,
)

SIZES = st.lists(st.integers(0, 9), min_size=1, max_size=6)


@given(SIZES, st.floats(0, 1), st.integers(0, 10**6), st.booleans())
def test_a_threshold_takes_the_lowest_of_all(sizes: list[int], ratio: float, seed: int, ties: bool) -> None:
    rng = np.random.default_rng(seed)
    scores = [rng.integers(0, 3, n).astype(float) if ties else rng.random(n) for n in sizes]
    kept = one_threshold(scores, ratio)
    assert [len(k) for k in kept] == sizes
    every, stays = np.concatenate(scores), np.concatenate(kept)
    assert (~stays).sum() == round(ratio * len(every))
    assert every[~stays].max(initial=-1) <= every[stays].min(initial=9)


@given(SIZES, st.floats(0, 1), st.integers(0, 10**6))
def test_each_target_loses_its_share(sizes: list[int], ratio: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    for score, kept in zip(
        scores := [rng.random(n) for n in sizes], one_share_each(scores, ratio), strict=True
    ):
        assert (~kept).sum() == round(ratio * len(score))
        assert score[~kept].max(initial=-1) <= score[kept].min(initial=9)


@pytest.mark.parametrize("rule", RULES)
def test_the_same_seed_prunes_the_same(rule: str) -> None:
    scores = [np.zeros(50)]
    first, again, other = (RULES[rule](scores, 0.5, seed)[0] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_degrees_are_those_of_networkx() -> None:
    one = made_set(2, made_graphs(1, 4, (3, 9)), 6)
    for score, target in zip(degree_scores(one), one.pairs.target.tolist(), strict=True):
        graph = one.targets[target]
        plain = nx.Graph(list(graph.edges))
        plain.add_nodes_from(range(len(graph)))
        assert score.tolist() == [plain.degree(u) for u in range(len(graph))]


def test_scores_fit_the_targets() -> None:
    one = made_set(2, made_graphs(1, 4, (3, 9)), 6)
    sizes = one.targets.num_nodes[one.pairs.target].tolist()
    for scores in (random_scores(one, 0), match_scores(one)):
        assert [len(score) for score in scores] == sizes
    for score, row in zip(match_scores(one), range(6), strict=True):
        mapping = one.pairs.mapping[row]
        assert np.flatnonzero(score).tolist() == sorted(v for v in mapping.tolist() if v >= 0)


def test_what_does_not_prune_is_refused() -> None:
    with pytest.raises(OptionError, match="exact does not prune"):
        keep_scores(Exact(), made_set(2, made_graphs(1, 4, (3, 9)), 6))
