"""The engine's layers against torch's: the same answers, whatever the widths, prunings and batches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
import torch
from made_batches import batch_of, some_graphs, words

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn import gin, query_aware
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.gin import GINEncoder
from prune4sed.nn.on_cpu import engine_serves
from prune4sed.nn.query_attention import QueryView
from prune4sed.nn.query_aware import QueryAware

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
STAR = Graph([1] * 60, [(0, v) for v in range(1, 60)])


@pytest.fixture(autouse=True)
def _predicting() -> Iterator[None]:
    torch.manual_seed(0)
    with torch.inference_mode():
        yield


@contextmanager
def without_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        for module in (gin, query_aware):
            patch.setattr(module, "engine_serves", lambda weight: False)
        yield


def targets(seed: int, extra: int) -> GraphBatch:
    """Empty graphs, a hub, and more rows than the engine takes at a time."""
    graphs = [
        *some_graphs(seed, 8, low=0, high=30),
        STAR,
        Graph([]),
        *some_graphs(seed + 1, 2, low=280, high=300),
    ]
    return batch_of(GraphSet(graphs), words(), extra)


def test_the_engine_serves_prediction_alone() -> None:
    assert engine_serves(torch.zeros(1))
    assert not engine_serves(torch.zeros(1, dtype=torch.float64))
    assert not engine_serves(torch.zeros(1, device="meta"))
    with torch.inference_mode(False):
        assert not engine_serves(torch.zeros(1))


@pytest.mark.parametrize("width", [5, 16, 64, 72])
@pytest.mark.parametrize("extra", [0, 4])
def test_the_encoder_gives_the_same(width: int, extra: int, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = targets(3, extra)
    encoder = GINEncoder(4, width=width, layers=3)
    for layer in encoder.layers:  # smaller, so that sums over hundreds of nodes do not drown all else
        layer.mlp[2].weight *= 0.3
    scale, keep = torch.rand(batch.rows, 3), torch.rand(batch.rows, 3) < 0.6
    none = torch.zeros(batch.rows, 3, dtype=torch.bool)
    for arguments in ((), (scale,), (scale, keep), (scale, none)):
        ours = encoder(batch, *arguments)
        with without_engine(monkeypatch):
            theirs = encoder(batch, *arguments)
        assert ours.shape == theirs.shape
        torch.testing.assert_close(ours / theirs.abs().max(), theirs / theirs.abs().max(), **CLOSE)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("width", "heads", "stages"), [(16, 4, 3), (64, 4, 5), (48, 3, 2), (32, 1, 1)])
def test_query_aware_features_are_the_same(
    width: int, heads: int, stages: int, shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = QueryAware(4, width=width, stages=stages, attention_heads=heads).eval()
    for name, x in module.state_dict().items():  # away from the plain values that they start from
        if name.endswith("running_var"):
            x.uniform_(0.5, 2)
        elif name.endswith(("bias", "running_mean", "norm.weight")):
            x.normal_()
    for extra in (0, 4):
        target = targets(5, extra)
        count = 4 if shared else len(target)
        queries = batch_of(some_graphs(7, count, low=0, high=40), words(), extra)
        query_of = torch.arange(len(target)) % 4 if shared else None
        views = [QueryView(told, queries, query_of) for told in module.query_stages(queries)]
        ours = module(target, views)[target.mask]
        with without_engine(monkeypatch):
            theirs = module(target, views)[target.mask]
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=2e-5)


def test_the_engine_stands_large_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    module = QueryAware(4, width=16, stages=2).eval()
    module.embedding.weight *= 300
    target = targets(6, 0)
    views = [QueryView(told, target) for told in module.query_stages(target)]
    ours = module(target, views)
    with without_engine(monkeypatch):
        theirs = module(target, views)
    assert torch.isfinite(ours).all()
    torch.testing.assert_close(ours / theirs.max(), theirs / theirs.max(), rtol=1e-4, atol=1e-4)


def test_training_statistics_are_not_the_engines_business(monkeypatch: pytest.MonkeyPatch) -> None:
    module = QueryAware(4, width=16, stages=2).train()
    monkeypatch.setattr(query_aware, "aware_stages", lambda *_: pytest.fail("the engine was asked"))
    target = targets(8, 0)
    module(target, [QueryView(told, target) for told in module.query_stages(target)])


@pytest.mark.parametrize("labels", [3, 1])
def test_labels_without_a_vector_are_refused(labels: int) -> None:
    """Graphs that were put in place for another model: read on, and memory of others would come out."""
    batch = targets(9, 0)
    with pytest.raises(ValueError, match="a label has no vector"):
        GINEncoder(labels, width=16, layers=2)(batch)
    module = QueryAware(labels, width=16, stages=2).eval()
    views = [QueryView(torch.zeros(batch.rows, 32), batch)] * 2
    with pytest.raises(ValueError, match="a label has no vector"):
        module(batch, views)


def test_arrays_that_do_not_fit_are_refused() -> None:
    batch = targets(9, 0)
    encoder, module = GINEncoder(4, width=16, layers=2), QueryAware(4, width=16, stages=2).eval()
    with pytest.raises(ValueError, match="scale and keep must be"):
        encoder(batch, torch.ones(batch.rows, 3), torch.ones(batch.rows, 2, dtype=torch.bool))
    far = replace(batch, links=batch.links._replace(neighbours=batch.links.neighbours + 1000))
    with pytest.raises(ValueError, match="a neighbour is in no row of its graph"):
        encoder(far)
    late = replace(batch, links=batch.links._replace(last=batch.links.last + 10**6))
    with pytest.raises(ValueError, match="a range of neighbours is not in their array"):
        encoder(late)
    few = batch_of(some_graphs(7, 2), words())
    told = module.query_stages(few)
    with pytest.raises(ValueError, match="there are fewer queries than targets"):
        module(batch, [QueryView(x, few) for x in told])
    with pytest.raises(ValueError, match="query_of names a query that is not there"):
        module(batch, [QueryView(x, few, torch.full((len(batch),), 2)) for x in told])
    with pytest.raises(ValueError, match="query_of must name a query for every target"):
        module(batch, [QueryView(x, few, torch.zeros(1, dtype=torch.int64)) for x in told])
