"""Predictions within proven bounds."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.bounds import clip_to_bounds
from prune4sed.models.registry import create_model
from random_graphs import hard_pair


def test_predictions_move_towards_the_truth_alone() -> None:
    queries, targets = some_graphs(0, 60, low=2, high=9), some_graphs(1, 60, low=4, high=25)
    true = sed_pairs(queries, targets, time_limit=None).upper
    index = np.column_stack([np.arange(60)] * 2)
    wild = np.random.default_rng(0).normal(4, 6, 60).astype(np.float32)
    predicted, lower, upper = clip_to_bounds(wild, queries, targets, index)
    assert ((lower <= true) & (true <= upper)).all()
    assert ((lower <= predicted) & (predicted <= upper)).all()
    assert (np.abs(predicted - true) <= np.abs(wild - true)).all()
    free = (wild > lower) & (wild < upper)
    assert 0 < free.sum() < 60
    assert np.array_equal(predicted[free], wild[free])


@pytest.mark.parametrize("name", ["prune4sed", "neurosed"])
def test_models_clip_to_bounds(name: str) -> None:
    torch.manual_seed(0)
    model = create_model(name, words(2), width=16)
    queries, targets = some_graphs(2, 20, bonds=2), some_graphs(3, 20, bonds=2)
    pairs = [(i, (7 * i) % 20) for i in range(20)]
    plain = model.predict(queries, targets, pairs)
    predicted, lower, upper = model.predict(queries, targets, pairs, bounds=True)
    np.testing.assert_array_equal(predicted, np.clip(plain, lower, upper).astype(np.float32))
    assert predicted.dtype == np.float32
    assert not np.array_equal(predicted, plain)


def test_odd_pairs_have_bounds_too() -> None:
    torch.manual_seed(0)
    model = create_model("neurosed", words(), width=16)
    q, t = hard_pair(target=200)
    empty = Graph([])
    predicted, lower, upper = model.predict([empty, q, q, t], [q, empty, t, q], bounds=True)
    size = len(q.labels) + len(q.edges)
    assert (predicted[:2].tolist(), lower[:2].tolist(), upper[:2].tolist()) == ([0, size],) * 3
    assert lower[2] < upper[2]
    assert lower[3] >= len(t.labels) - len(q.labels)  # a larger query loses nodes at least
    assert model.predict(GraphSet([]), GraphSet([]), bounds=True).predicted.shape == (0,)


def test_a_target_of_5000_nodes_has_bounds() -> None:
    torch.manual_seed(0)
    model = create_model("neurosed", words(), width=16)
    huge = Graph([i % 4 for i in range(5000)], [(i, i + 1) for i in range(4999)])
    query = Graph([0, 1, 2, 3], [(0, 1), (1, 2), (2, 3)])
    predicted, lower, upper = model.predict(query, huge, bounds=True)
    assert lower[0] == 0 <= predicted[0] <= upper[0] <= 7
