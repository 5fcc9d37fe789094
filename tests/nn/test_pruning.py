"""Pruning heads, one at a time and from their definition."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from made_batches import batch_of, noise, some_graphs, words
from torch import nn

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.pruning import PruningHeads, top_nodes

WIDTH = 16
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(params=["learning", "predicting"], autouse=True)
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    torch.manual_seed(0)
    with torch.inference_mode(request.param == "predicting"):
        yield


def bare(sizes: list[int], extra: int = 0) -> GraphBatch:
    """Graphs of so many nodes and no edges."""
    return batch_of(GraphSet([Graph([0] * n) for n in sizes]), words(), extra)


@pytest.mark.parametrize("extra", [0, 3])
def test_heads_are_perceptrons_and_projections(extra: int) -> None:
    batch = batch_of(some_graphs(4, 5), words(), extra)
    heads = PruningHeads(WIDTH, heads=3, k=2, h=1)
    x = noise(batch, WIDTH)
    pruned = heads(batch, x)
    rows = x[batch.mask]
    for m in range(3):
        part = slice(m * WIDTH, (m + 1) * WIDTH)
        hidden = torch.relu(nn.BatchNorm1d(WIDTH)(rows @ heads.first.weight[part].T))
        features = hidden @ heads.second[m].T + heads.second_bias[m]
        logits = features @ heads.p[m] / heads.p[m].norm()
        torch.testing.assert_close(pruned.logits[batch.mask][:, m], logits, **CLOSE)
        torch.testing.assert_close(pruned.keep[batch.mask][:, m], logits.sigmoid(), **CLOSE)
    assert not pruned.kept[~batch.mask].any()


def test_soft_pruning_alone_keeps_all_nodes() -> None:
    batch = batch_of(some_graphs(4, 5), words(), 2)
    kept = PruningHeads(WIDTH, heads=3, k=1, h=0, hard=False)(batch, noise(batch, WIDTH)).kept
    assert torch.equal(kept, batch.mask.unsqueeze(1).expand(-1, 3))


@pytest.mark.parametrize("extra", [0, 2])
def test_top_nodes_are_the_best_real_ones_and_all_that_tie(extra: int) -> None:
    batch = bare([4, 2, 0, 3], extra)
    scores = torch.tensor([5.0, 1.0, 4.0, 4.0, -1.0, -2.0, 0.0, 7.0, -3.0] + [9.0] * extra)
    both = torch.stack([scores, -scores], 1)  # of two heads
    best = top_nodes(batch, both, 2)
    assert best[:9, 0].tolist() == [True, False, True, True, True, True, True, True, False]
    assert best[:9, 1].tolist() == [False, True, True, True, True, True, True, False, True]
    assert top_nodes(batch, both, 1)[:9, 0].nonzero().flatten().tolist() == [0, 4, 7]
    assert top_nodes(batch, both, 99)[:9].all()
    assert not best[9:].any()


def test_scores_that_differ_in_the_last_bits_tie() -> None:
    scores = torch.tensor([[100.0], [100.0005], [99.0]])
    assert top_nodes(bare([3]), scores, 1).flatten().tolist() == [True, True, False]


def test_top_nodes_of_empty_graphs_are_none() -> None:
    batch = bare([0, 0], 3)
    assert not top_nodes(batch, torch.ones(batch.rows, 2), 2).any()
