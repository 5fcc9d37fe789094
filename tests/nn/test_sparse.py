"""Sparse products against dense matrices and lists of arcs."""

from __future__ import annotations

import warnings

import pytest
import torch
from made_batches import batch_of, some_graphs, words

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.neighbours import listed, neighbour_sum
from prune4sed.nn.sparse import sparse_pays

pytestmark = pytest.mark.skipif(not torch.backends.mkl.is_available(), reason="torch has no MKL here")
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


def sparse_and_listed(seed: int, extra: int) -> tuple[GraphBatch, GraphBatch]:
    graphs = some_graphs(seed, 6, low=0)
    with torch.no_grad():
        sparse = batch_of(graphs, words(), extra)
    assert listed(sparse).pattern is not None
    return sparse, batch_of(graphs, words(), extra)


def test_sparse_is_for_prediction_alone() -> None:
    assert not sparse_pays(torch.device("cpu"))
    assert listed(batch_of(some_graphs(0, 3), words())).pattern is None
    with torch.no_grad():
        assert sparse_pays(torch.device("cpu"))
        assert not sparse_pays(torch.device("meta"))


@pytest.mark.parametrize("extra", [0, 4])
def test_sums_agree(extra: int) -> None:
    torch.manual_seed(0)
    sparse, plain = sparse_and_listed(1, extra)
    x, arcs = torch.randn(sparse.rows, 3), listed(sparse)
    weights = torch.randn(len(arcs.ends))
    matrix = torch.zeros(sparse.rows, sparse.rows)
    matrix[arcs.ends[arcs.mask], arcs.sources[arcs.mask]] = weights[arcs.mask]
    with torch.no_grad():
        torch.testing.assert_close(neighbour_sum(sparse, x), neighbour_sum(plain, x), **CLOSE)
        assert arcs.pattern is not None
        torch.testing.assert_close(arcs.pattern.times(x, weights), matrix @ x, **CLOSE)


def test_products_are_silent() -> None:
    """torch says once a process that sparse matrices are in beta."""
    batch, _ = sparse_and_listed(2, 0)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("error")
        neighbour_sum(batch, torch.ones(batch.rows, 1))
