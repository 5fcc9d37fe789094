"""Batches hold exactly the graphs that went in."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from made_batches import batch_of, some_graphs, words

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn.batch import Shape, graph_batch, make_bucket
from prune4sed.nn.buckets import plan_buckets, plan_graphs, rung
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.neighbours import neighbour_sum
from prune4sed.nn.pruning import reach


@pytest.mark.parametrize("extra", [0, 5])
def test_rows_are_the_graphs(extra: int) -> None:
    graphs = some_graphs(0, 12, low=0, bonds=3)
    batch = batch_of(graphs, words(3), extra)
    assert batch.adjacency is not None
    assert batch.arc_labels is not None
    nodes = batch.labels.shape[1]
    for i, g in enumerate(graphs):
        n = len(g.labels)
        assert batch.mask[i].tolist() == [v < n for v in range(nodes)]
        assert batch.labels[i].tolist() == [*g.labels, *[0] * (nodes - n)]
        dense = np.zeros((nodes, nodes))
        dense[:n, :n] = nx.to_numpy_array(g.to_networkx(), nodelist=range(n)) if n else 0
        assert np.array_equal(batch.adjacency[i].numpy(), (dense > 0).astype(float))
        there = batch.arc_mask[i]
        pairs = torch.stack([batch.sources[i], batch.ends[i]], 1)[there] - i * nodes
        bonds = batch.arc_labels[i][there].tolist()
        expected = {(a, b): x for (a, b), x in zip(g.edges, g.edge_labels or (), strict=True)}
        expected |= {(b, a): x for (a, b), x in expected.items()}
        assert dict(zip(map(tuple, pairs.tolist()), bonds, strict=True)) == expected


def test_idle_arcs_stay_in_their_graph_and_do_not_meet() -> None:
    batch = batch_of(some_graphs(1, 6), words(), extra=4)
    nodes = batch.labels.shape[1]
    assert torch.equal(batch.ends // nodes, torch.arange(6)[:, None].expand_as(batch.ends))
    idle = ~batch.arc_mask
    assert torch.equal(batch.ends[idle], batch.sources[idle])
    assert torch.bincount(batch.ends[idle]).max() <= -(-batch.ends.shape[1] // nodes)


def test_slices_and_repeats() -> None:
    graphs = some_graphs(2, 9)
    placed = DeviceSet.of(graphs[3:], words())
    batch = graph_batch(placed, torch.tensor([5, 0, 5]), 14, 90)
    for row, at in enumerate([8, 3, 8]):
        g = graphs[at]
        assert batch.labels[row, : len(g.labels)].tolist() == list(g.labels)
        assert int(batch.arc_mask[row].sum()) == 2 * len(g.edges)


def test_padding_has_label_0_whatever_the_first_label() -> None:
    batch = batch_of(GraphSet([Graph([3]), Graph([3, 1], [(0, 1)])]), words(), extra=1)
    assert batch.labels.tolist() == [[3, 0, 0], [3, 1, 0]]


def test_a_set_without_nodes() -> None:
    batch = batch_of(GraphSet([Graph([]), Graph([])]), words())
    assert batch.labels.shape == (2, 1)
    assert not batch.mask.any()


def test_sums_over_neighbours_and_reach_agree_with_networkx_dense_or_not() -> None:
    graphs = some_graphs(3, 8, low=2)
    for dense in (True, False):
        batch = batch_of(graphs, words(), extra=2, dense=dense)
        x = torch.randn(8, batch.labels.shape[1], 3)
        sums = neighbour_sum(batch, x)
        seeds = torch.zeros(8, batch.labels.shape[1], 2, dtype=torch.bool)
        seeds[:, 0, 0] = seeds[:, 1, 1] = True
        for hops in (0, 1, 3):
            found = reach(batch, seeds, hops)
            for i, g in enumerate(graphs):
                net = g.to_networkx()
                for head in (0, 1):
                    near = nx.single_source_shortest_path_length(net, head, cutoff=hops)
                    assert found[i, :, head].nonzero().flatten().tolist() == sorted(near)
        for i, g in enumerate(graphs):
            for v in range(len(g.labels)):
                around = list(g.to_networkx().neighbors(v))
                assert torch.allclose(sums[i, v], x[i, around].sum(0), atol=1e-5)


def test_rungs() -> None:
    sizes = np.arange(1, 3000)
    up = rung(sizes)
    assert (up >= sizes).all()
    assert (up[sizes > 4] < sizes[sizes > 4] * 1.5).all()
    assert len(np.unique(up)) < 25


@pytest.mark.parametrize("rounded", [False, True])
@pytest.mark.parametrize("batch_size", [None, 1, 7])
def test_every_pair_is_in_one_bucket_that_holds_it(rounded: bool, batch_size: int | None) -> None:
    queries = DeviceSet.of(some_graphs(4, 20, high=6), words())
    targets = DeviceSet.of(some_graphs(5, 30, low=0, high=40), words())
    rng = np.random.default_rng(0)
    index = np.column_stack([rng.integers(0, 20, 100), rng.integers(0, 30, 100)])
    plans = plan_buckets(queries, targets, index, 128, batch_size, rounded)
    assert sorted(np.concatenate([plan.rows for plan in plans]).tolist()) == list(range(100))
    for plan in plans:
        q, t = index[plan.rows].T
        assert len(plan.rows) <= (batch_size or 100)
        assert len(plan.rows) == 1 or len(plan.rows) * plan.shape.target_nodes <= 128
        assert queries.num_nodes[q].max() <= plan.shape.query_nodes
        assert queries.num_arcs[q].max() <= plan.shape.query_arcs
        assert targets.num_nodes[t].max() <= plan.shape.target_nodes
        assert targets.num_arcs[t].max() <= plan.shape.target_arcs
        if rounded:
            assert plan.shape.target_nodes == rung(np.array([plan.shape.target_nodes]))[0]


def test_no_pairs_no_buckets() -> None:
    graphs = DeviceSet.of(some_graphs(6, 3), words())
    assert plan_buckets(graphs, graphs, np.zeros((0, 2), dtype=np.int64), 64) == []
    assert plan_graphs(graphs, np.zeros(0, dtype=np.int64), 64) == []


def test_a_bucket_pairs_what_it_was_told() -> None:
    graphs = some_graphs(7, 5)
    placed = DeviceSet.of(graphs, words())
    shape = Shape(14, 60, 14, 60)
    bucket = make_bucket(placed, placed, torch.tensor([1, 2]), torch.tensor([0, 4]), shape)
    assert len(bucket) == 2
    assert bucket.query.labels[0, :14].tolist() == list(graphs[1].labels)
    assert int(bucket.target.mask[1].sum()) == len(graphs[4].labels)
