"""Prune4SED-plus: what it keeps, what padding must not change, and its losses against slow twins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.errors import OptionError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.prune4sed_plus import Prune4SEDPlus, Prune4SEDPlusOptions
from prune4sed.nn.batch import Budget, PairBatch, Part, graph_batch, pair_batch
from prune4sed.nn.keeping import keep_best

SMALL = {"width": 16, "stages": 2, "pair_width": 16, "pair_heads": 4, "pair_layers": 2}


def small(bonds: int = 0, **options: int) -> Prune4SEDPlus:
    torch.manual_seed(0)
    return Prune4SEDPlus(words(bonds), Prune4SEDPlusOptions(**{**SMALL, "keep": 12, **options}))


def batch_of(
    model: Prune4SEDPlus, queries: GraphSet, targets: GraphSet, budget: Budget | None = None
) -> PairBatch:
    at = torch.arange(len(queries))
    return pair_batch(model.place(queries), model.place(targets), at, at, budget)


@pytest.mark.parametrize("bonds", [0, 2])
def test_padding_of_any_kind_changes_nothing(bonds: int) -> None:
    """Rows, arcs and candidates beyond those there are: what a captured step has, always the same shape."""
    model = small(bonds).eval()
    queries, targets = some_graphs(0, 6, high=7, bonds=bonds), some_graphs(1, 6, high=30, bonds=bonds)
    tight, loose = (batch_of(model, queries, targets, b) for b in (None, Budget(70, 400, 170, 900)))
    assert loose.query.rows == 70
    expected, found = model.thoughts(tight), model.thoughts(loose)
    np.testing.assert_allclose(found.distances.detach(), expected.distances.detach(), rtol=1e-5, atol=1e-5)
    wide = replace(loose.target, largest=50), replace(loose.query, largest=20)
    padded = model.thoughts(PairBatch(wide[1], wide[0]))
    np.testing.assert_allclose(padded.distances.detach(), expected.distances.detach(), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("bonds", [0, 2])
def test_parts_change_nothing(bonds: int) -> None:
    model = small(bonds)
    queries, targets = some_graphs(10, 6, high=7, bonds=bonds), some_graphs(11, 6, high=30, bonds=bonds)
    order = np.argsort(targets.num_nodes, kind="stable")
    queries, targets = queries.take(order), targets.take(order)
    sizes, arcs = targets.num_nodes, 2 * targets.num_edges
    room = Budget(50, 100, int(sizes.sum()), int(arcs.sum()) + 7)
    parts = (Part(0, 2, int(sizes[1]), Budget(20, 40, 70, 300)), Part(2, 6, int(sizes[5]), room))
    whole = batch_of(model, queries, targets)
    expected, grads = model.thoughts(whole), []
    for batch in (whole, replace(whole, parts=parts), replace(whole, parts=(Part(0, 5, 30), Part(5, 6, 30)))):
        model.load_state_dict(small(bonds).state_dict())
        found = model.thoughts(batch)
        np.testing.assert_allclose(found.distances.detach(), expected.distances.detach(), rtol=1e-5)
        model.zero_grad()
        (found.distances.square().sum() + found.keep_logits[batch.target.mask].sum()).backward()
        grads.append(model.start.query.weight.grad.clone())
    np.testing.assert_allclose(grads[1], grads[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(grads[2], grads[0], rtol=1e-3, atol=1e-4)


def test_gradients_do_not_depend_on_padding() -> None:
    model = small()
    queries, targets = some_graphs(2, 6, high=7), some_graphs(3, 6, high=30)
    grads = []
    for budget in (None, Budget(70, 400, 170, 900)):
        model.load_state_dict(small().state_dict())
        model.zero_grad()
        model.thoughts(batch_of(model, queries, targets, budget)).distances.square().sum().backward()
        grads.append({name: x.grad.clone() for name, x in model.named_parameters() if x.grad is not None})
    for name, grad in grads[0].items():
        np.testing.assert_allclose(grads[1][name], grad, rtol=1e-3, atol=1e-4, err_msg=name)


def test_small_targets_keep_all_nodes_and_large_queries_keep_more() -> None:
    model = small(keep=6)
    queries = GraphSet([Graph([0] * 3), Graph([0] * 3), Graph([0] * 50)])
    targets = GraphSet([Graph([0, 1]), Graph([i % 4 for i in range(20)]), Graph([0] * 40)])
    kept = model.thoughts(batch_of(model, queries, targets)).parts[0].kept
    assert kept.mask.sum(1).tolist() == [2, 6, 12]


def test_the_best_nodes_are_kept_and_neighbours_speak_for_each_other() -> None:
    """A path of four likely nodes goes before likely nodes on their own, and these before unlikely ones."""
    place = small()
    target = place.place(Graph([0] * 12, [(0, 1), (1, 2), (2, 3), (8, 9), (9, 10), (10, 11)]))
    batch = graph_batch(target, torch.zeros(1, dtype=torch.int64))
    logits = torch.tensor([2.0, 2.1, 2.2, 2.0, 3.0, 3.1, 3.2, 3.0, -3.0, -3.0, -3.0, -3.0])
    for count, expected in ((4, {0, 1, 2, 3}), (6, {0, 1, 2, 3, 5, 6})):
        kept = keep_best(batch, logits, torch.tensor([count]), count)
        assert set(kept.rows[0].tolist()) == expected
        assert kept.place[list(expected)].max() < count
    everything = keep_best(batch, logits, torch.tensor([20]), 20)
    assert sorted(everything.rows[0].tolist()) == list(range(12))


def test_prune_shows_what_is_kept() -> None:
    model = small(keep=5)
    q, t = some_graphs(8, 1, low=6)[0], some_graphs(9, 1, low=30)[0]
    pruning = model.prune(q, t)
    assert pruning.keep.shape == pruning.kept.shape == (1, 30)
    assert pruning.kept.sum() == 5
    assert model.prune(q, Graph([0, 1])).kept.all()
    assert model.prune(q, Graph([])).keep.shape == (1, 0)


def test_probabilities_and_costs() -> None:
    model = small()
    thought = model.thoughts(batch_of(model, some_graphs(6, 4), some_graphs(7, 4, high=30))).parts[0]
    real = thought.logs[thought.queries.mask]
    np.testing.assert_allclose(real.exp().sum(1).detach(), 1, rtol=1e-5)
    assert float(thought.costs.detach().min()) >= 0
    assert float(thought.distances.detach().min()) > 0


def test_edge_labels_count() -> None:
    model = small(2).eval()
    query = Graph([0, 1], [(0, 1)], [1])
    same, other = Graph([0, 1, 2], [(0, 1), (1, 2)], [1, 0]), Graph([0, 1, 2], [(0, 1), (1, 2)], [0, 1])
    a, b = model.predict(query, [same, other])
    assert abs(a - b) > 1e-5  # hundreds of times the rounding


def ring(*sizes: int) -> Graph:
    """Rings side by side, all of one label."""
    starts = np.cumsum([0, *sizes])
    edges = [(a + i, a + (i + 1) % n) for a, n in zip(starts.tolist(), sizes, strict=False) for i in range(n)]
    return Graph([0] * int(starts[-1]), edges)


def test_relations_tell_triangles_from_a_ring() -> None:
    triangle, targets = ring(3), [ring(3, 3), ring(6)]
    a, b = small(relations=False, whole=False).eval().predict(triangle, targets)
    assert abs(a - b) < 1e-5  # messages along edges see the same everywhere
    a, b = small(whole=False).eval().predict(triangle, targets)
    assert abs(a - b) > 1e-3


def test_degrees_tell_nodes_of_one_label_apart() -> None:
    star = Graph(labels=[0] * 4, edges=[(0, 1), (0, 2), (0, 3)])
    for degrees, alike in ((1, True), (4, False)):
        model = small(degrees=degrees).eval()
        batch = batch_of(model, GraphSet([star]), GraphSet([star])).query
        centre, leaf, other, _ = model.aware.query_stages(batch)[0].detach()
        assert torch.equal(leaf, other)
        assert torch.equal(centre, leaf) is alike


def test_labels_and_degrees_begin_as_sums() -> None:
    """So that a label of a degree that training never showed is known by both."""
    vectors = small(degrees=3).aware.embedding.weight.detach().view(-1, 3, 16)
    torch.testing.assert_close(vectors[1] - vectors[1, 0], vectors[0] - vectors[0, 0])
    assert float((vectors[1] - vectors[1, 0])[1:].abs().min()) > 0


def test_many_neighbours_are_as_good_as_any_more() -> None:
    model = small(degrees=3)
    star, larger = (Graph(labels=[0] * n, edges=[(0, i) for i in range(1, n)]) for n in (3, 9))
    batch = batch_of(model, GraphSet([star, larger]), GraphSet([star, larger])).query
    first = model.aware.query_stages(batch)[0].detach()
    assert torch.equal(first[0], first[3])


def test_predictions_come_close_to_whole_numbers_without_doubt() -> None:
    model, rough = small().eval(), small(whole=False).eval()
    rough.load_state_dict({k: v for k, v in model.state_dict().items() if not k.startswith("doubt.")})
    graphs = some_graphs(3, 8, high=9), some_graphs(4, 8, high=30)
    index = np.column_stack([np.arange(8)] * 2)
    sums = rough.predict(*graphs, pairs=index)
    assert model.doubt is not None
    for bias, check in ((-50.0, np.round(sums)), (50.0, sums)):
        torch.nn.init.constant_(model.doubt.out.bias, bias)
        near = np.abs(sums - np.floor(sums) - 0.5) > 0.2
        np.testing.assert_allclose(model.predict(*graphs, pairs=index)[near], check[near], atol=2e-3)
        assert near.sum() > 2


def test_bad_options() -> None:
    with pytest.raises(OptionError, match="width 30 is no multiple of 4 attention_heads"):
        Prune4SEDPlusOptions(width=30, attention_heads=4)
    with pytest.raises(OptionError, match="keep must be 1 or more"):
        Prune4SEDPlusOptions(keep=0)
