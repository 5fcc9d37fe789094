"""Sparse products and packed rows against dense matrices."""

from __future__ import annotations

import warnings

import pytest
import torch
from made_batches import batch_of, some_graphs, words

from prune4sed.nn.batch import GraphBatch, graph_batch
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.gin import GINEncoder
from prune4sed.nn.neighbours import neighbour_sum, weighted_sum
from prune4sed.nn.packed import PackedRows
from prune4sed.nn.sparse import Pattern, sparse_pays

pytestmark = pytest.mark.skipif(not torch.backends.mkl.is_available(), reason="torch has no MKL here")
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def sparse_and_dense(seed: int) -> tuple[GraphBatch, GraphBatch]:
    graphs = some_graphs(seed, 6, low=0)
    placed = DeviceSet.of(graphs, words())
    with torch.no_grad():
        sparse = graph_batch(placed, torch.arange(6), 16, 70)
    assert sparse.pattern is not None
    assert sparse.adjacency is None
    return sparse, graph_batch(placed, torch.arange(6), 16, 70)


def test_sparse_is_for_prediction_alone() -> None:
    assert not sparse_pays(torch.device("cpu"))
    assert batch_of(some_graphs(0, 3), words()).pattern is None
    with torch.no_grad():
        assert sparse_pays(torch.device("cpu"))
        assert not sparse_pays(torch.device("meta"))


def test_sums_agree() -> None:
    torch.manual_seed(0)
    sparse, dense = sparse_and_dense(1)
    x, weights = torch.randn(6, 16, 3), torch.randn(6, 70)
    with torch.no_grad():
        torch.testing.assert_close(neighbour_sum(sparse, x), neighbour_sum(dense, x), **CLOSE)
        ours, theirs = weighted_sum(sparse, weights, x), weighted_sum(dense, weights, x)
        torch.testing.assert_close(ours, theirs, **CLOSE)


def test_groups_add_up_rows() -> None:
    x = torch.randn(5, 2)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        sums = Pattern.groups(torch.tensor([2, 0, 3])).times(x)
    torch.testing.assert_close(sums, torch.stack([x[:2].sum(0), torch.zeros(2), x[2:].sum(0)]))


def test_packed_rows_are_the_induced_subgraphs() -> None:
    torch.manual_seed(1)
    sparse, dense = sparse_and_dense(2)
    assert dense.adjacency is not None
    there = (torch.rand(6, 16, 3) < 0.6) & dense.mask.unsqueeze(2)
    with torch.no_grad():
        rows = PackedRows.of(sparse, there)
        full = rows.arcs.times(torch.eye(len(rows.nodes)))
    expected = []
    for b in range(6):
        for m in range(3):
            kept = there[b, :, m]
            expected.append(dense.adjacency[b][kept][:, kept])
    assert torch.equal(full, torch.block_diag(*expected)[: len(full), : len(full)])
    assert torch.equal(rows.heads, torch.cat([torch.full((int(there[b, :, m].sum()),), m)
                                              for b in range(6) for m in range(3)]))  # fmt: skip


def test_the_encoder_gives_the_same_packed_or_not() -> None:
    torch.manual_seed(2)
    sparse, dense = sparse_and_dense(3)
    encoder = GINEncoder(4, width=16)
    scale, keep = torch.rand(6, 16, 3), torch.rand(6, 16, 3) < 0.6
    with torch.no_grad():
        for arguments in ((), (scale,), (scale, keep)):
            torch.testing.assert_close(encoder(sparse, *arguments), encoder(dense, *arguments), **CLOSE)
