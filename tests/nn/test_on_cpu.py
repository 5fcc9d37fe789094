"""The engine's layers against torch's: the same answers, whatever the widths, prunings and batches."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
import torch
from made_batches import batch_of, some_graphs, words

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn import pair_rounds, query_aware
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.gin import GINEncoder
from prune4sed.nn.on_cpu import engine_serves, torch_alone
from prune4sed.nn.pair_layer import PairGrid
from prune4sed.nn.pair_rounds import PairRounds
from prune4sed.nn.query_attention import QueryView
from prune4sed.nn.query_aware import QueryAware

CLOSE = {"rtol": 1e-5, "atol": 1e-5}
STAR = Graph([1] * 60, [(0, v) for v in range(1, 60)])


@pytest.fixture(autouse=True)
def _predicting() -> Iterator[None]:
    torch.manual_seed(0)
    with torch.inference_mode():
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
    with torch_alone(), torch_alone():
        assert not engine_serves(torch.zeros(1))
    assert engine_serves(torch.zeros(1))


@pytest.mark.parametrize("width", [5, 16, 64, 72])
@pytest.mark.parametrize("extra", [0, 4])
def test_the_encoder_gives_the_same(width: int, extra: int) -> None:
    batch = targets(3, extra)
    encoder = GINEncoder(4, width=width, layers=3)
    for layer in encoder.layers:  # smaller, so that sums over hundreds of nodes do not drown all else
        layer.mlp[2].weight *= 0.3
    scale, keep = torch.rand(batch.rows, 3), torch.rand(batch.rows, 3) < 0.6
    none = torch.zeros(batch.rows, 3, dtype=torch.bool)
    for arguments in ((), (scale,), (scale, keep), (scale, none)):
        ours = encoder(batch, *arguments)
        with torch_alone():
            theirs = encoder(batch, *arguments)
        assert ours.shape == theirs.shape
        torch.testing.assert_close(ours / theirs.abs().max(), theirs / theirs.abs().max(), **CLOSE)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("width", "heads", "stages"), [(16, 4, 3), (64, 4, 5), (48, 3, 2), (32, 1, 1)])
def test_query_aware_features_are_the_same(width: int, heads: int, stages: int, shared: bool) -> None:
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
        with torch_alone():
            theirs = module(target, views)[target.mask]
        torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=2e-5)


def pair_grid(extra: int, candidates: int) -> PairGrid:
    """Queries of no node, of one and of up to fourteen; candidates, some not there, with random edges."""
    queries = batch_of(some_graphs(5, 6, low=0), words(), extra)
    there = torch.rand(len(queries), candidates) < 0.8
    there[:, 0] = True
    edges = (torch.rand(1, len(queries), candidates, candidates) < 0.2) & there[:, :, None] & there[:, None]
    edges[..., 0] = edges[..., 0, :] = False
    log_keep, nothing = -3 * torch.rand(len(queries), candidates), torch.zeros(0)
    return PairGrid(queries, there, (edges | edges.mT).float(), log_keep, nothing, nothing)


@pytest.mark.parametrize("candidates", [1, 16, 37])
@pytest.mark.parametrize(
    ("width", "heads", "leak", "bound"),
    [(32, 8, 0.1, 0.0), (16, 4, 0.0, 2.0), (9, 3, 0.1, 1.0), (8, 9, 2.0, 0.0)],
)
def test_rounds_of_pairs_are_the_same(
    width: int, heads: int, leak: float, bound: float, candidates: int
) -> None:
    rounds = PairRounds(3, width, heads, leak, bound)
    for layer in rounds:  # some claims large, some hardly any
        torch.nn.init.normal_(layer.claim.score.weight)
        layer.claim.trust.normal_()
        layer.floor += torch.randn_like(layer.floor)
        if layer.bend.slope is not None:
            layer.bend.slope[::3] = 0
    for extra in (0, 4):
        grid = pair_grid(extra, candidates)
        x = torch.randn(grid.queries.rows, candidates, width)
        given, ours = x.clone(), rounds(x, grid)
        with torch_alone():
            theirs = rounds(x, grid)
        there = grid.of_rows(grid.there) & grid.queries.mask[:, None]
        torch.testing.assert_close(ours[there], theirs[there], rtol=1e-4, atol=1e-4)
        assert torch.equal(x, given)
        assert torch.equal(ours[~there], x[~there])


def test_what_is_no_number_stays_none() -> None:
    grid, rounds = pair_grid(0, 5), PairRounds(2, 8, 2, bound=2.0)
    x = torch.randn(grid.queries.rows, 5, 8)
    x[3, 0, 1], x[4, 0, 1] = float("nan"), float("inf")
    assert rounds(x, grid)[3, 0, 1].isnan()
    with torch_alone():
        assert rounds(x, grid)[3, 0, 1].isnan()


def test_pairs_with_labelled_edges_are_for_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_rounds, "pair_rounds", lambda *_: pytest.fail("the engine was asked"))
    rounds, queries = PairRounds(1, 8, 2), batch_of(some_graphs(5, 6, bonds=2), words(2))
    grid = pair_grid(0, 5)._replace(queries=queries, edges=torch.zeros(2, 6, 5, 5))
    assert rounds(torch.randn(queries.rows, 5, 8), grid).isfinite().all()


def test_the_engine_stands_large_scores() -> None:
    module = QueryAware(4, width=16, stages=2).eval()
    module.embedding.weight *= 300
    target = targets(6, 0)
    views = [QueryView(told, target) for told in module.query_stages(target)]
    ours = module(target, views)
    with torch_alone():
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


def test_pairs_that_do_not_fit_are_refused() -> None:
    grid, rounds = pair_grid(0, 5), PairRounds(1, 8, 2)
    x = torch.randn(grid.queries.rows, 5, 8)
    with pytest.raises(ValueError, match="of as many pairs and candidates"):
        rounds(x, grid._replace(log_keep=grid.log_keep[:, :4]))
    with pytest.raises(ValueError, match="of as many pairs and candidates"):
        rounds(x, grid._replace(edges=grid.edges[:, :3]))
    with pytest.raises(ValueError, match="the first candidate must be there"):
        rounds(x, grid._replace(there=~grid.there))
    with pytest.raises(ValueError, match="features must be"):
        rounds(x[:5], grid)
    with pytest.raises(ValueError, match="of as many rounds and of one width"):
        rounds(torch.randn(grid.queries.rows, 5, 9), grid)
    links = grid.queries.links
    far = replace(grid.queries, links=links._replace(neighbours=links.neighbours + 1000))
    with pytest.raises(ValueError, match="a neighbour is in no row of its graph"):
        rounds(x, grid._replace(queries=far))
