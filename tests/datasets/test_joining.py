"""Training sets joined are the same pairs with the same labels."""

from __future__ import annotations

import numpy as np
import pytest

from prune4sed import Graph, GraphSet, sed_pairs
from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.joining import join_pairs, with_more
from prune4sed.datasets.table import PairTable
from prune4sed.errors import Prune4SEDError


def chain(labels: str) -> Graph:
    return Graph(list(labels), [(i, i + 1) for i in range(len(labels) - 1)])


def labelled(queries: list[str], targets: list[str], pairs: list[tuple[int, int]]) -> PairSet:
    """Chains with the labels that the engine gives them."""
    sets = [GraphSet([chain(text) for text in texts]) for texts in (queries, targets)]
    found = sed_pairs(*sets, pairs)
    return PairSet(*sets, PairTable(np.array(pairs), found.lower, found.upper, found.mapping))


ONE = labelled(["CO", "CC"], ["COC", "NNN"], [(0, 0), (1, 1), (1, 0)])
TWO = labelled(["CCNO"], ["CCN", "OCCNOC", "C"], [(0, 1), (0, 2)])


def test_every_pair_keeps_its_graphs_and_labels() -> None:
    both = join_pairs([ONE, TWO, ONE])
    expected = sed_pairs(both.queries, both.targets, both.pairs.index)
    assert np.array_equal(both.pairs.upper, expected.upper)
    assert np.array_equal(
        both.pairs.upper, np.concatenate([ONE.pairs.upper, TWO.pairs.upper, ONE.pairs.upper])
    )
    assert both.pairs.mapping[3].tolist() == TWO.pairs.mapping[0].tolist()
    assert both.pairs.mapping[0].tolist() == [*ONE.pairs.mapping[0].tolist(), -1, -1]


def test_only_the_training_set_grows() -> None:
    first = Dataset("first", 0, {"train": ONE, "test": ONE})
    found = with_more(first, [Dataset("second", 5, {"train": TWO, "test": TWO})])
    assert len(found.train.pairs) == 5
    assert found.test is ONE
    assert found.info["more"] == [{"name": "second", "seed": 5, "pairs": 2}]
    assert with_more(first, []) is first


def test_sets_of_different_labels_do_not_join() -> None:
    numbers = GraphSet([Graph([1, 2], [(0, 1)])])
    pairs = PairTable(np.array([[0, 0]]), np.zeros(1), np.zeros(1), np.array([[0, 1]], dtype=np.int32))
    with pytest.raises(Prune4SEDError):
        join_pairs([ONE, PairSet(numbers, numbers, pairs)])
