"""Batches hold exactly the graphs that went in, whatever they are padded to."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import pytest
import torch
from made_batches import batch_of, noise, some_graphs, words

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn.batch import Budget, GraphBatch, graph_batch, pair_batch
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.neighbours import graph_sum, listed, neighbour_sum
from prune4sed.nn.padding import pad_rows, padded_mask, unpad_rows
from prune4sed.nn.pruning import reach


@pytest.fixture(params=["learning", "predicting"], autouse=True)
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    """With gradients there are lists of arcs alone, without them sparse patterns beside those."""
    with torch.inference_mode(request.param == "predicting"):
        yield


def assert_holds(batch: GraphBatch, graphs: GraphSet | list[Graph]) -> None:
    """Rows, arcs, labels and the ranges of neighbours are those of the graphs, in this order."""
    arcs, starts = listed(batch), batch.starts.tolist()
    assert len(batch) == len(graphs)
    assert batch.sizes.tolist() == [len(g.labels) for g in graphs]
    nodes = sum(len(g.labels) for g in graphs)
    assert starts[-2:] == [nodes, batch.rows]
    assert batch.mask.tolist() == [row < nodes for row in range(batch.rows)]
    assert batch.labels[:nodes].tolist() == [label for g in graphs for label in g.labels]
    assert not batch.labels[nodes:].any()
    expected = {}
    for i, g in enumerate(graphs):
        assert batch.graph_of[starts[i] : starts[i + 1]].tolist() == [i] * len(g.labels)
        for (a, b), bond in zip(g.edges, g.edge_labels or [None] * len(g.edges), strict=True):
            expected[starts[i] + a, starts[i] + b] = expected[starts[i] + b, starts[i] + a] = bond
    real = list(zip(arcs.sources[arcs.mask].tolist(), arcs.ends[arcs.mask].tolist(), strict=True))
    assert real == sorted(expected, key=lambda arc: (arc[1], arc[0]))
    if arcs.labels is not None:
        assert arcs.labels[arcs.mask].tolist() == [expected[arc] for arc in real]
    around = [sorted(a for a, b in expected if b == row) for row in range(batch.rows)]
    links = batch.links
    ranges = zip(links.first.tolist(), links.last.tolist(), links.base.tolist(), strict=True)
    assert [(base + links.neighbours[a:b]).tolist() for a, b, base in ranges] == around


@pytest.mark.parametrize("bonds", [0, 3])
@pytest.mark.parametrize("extra", [0, 5, 200])
def test_rows_are_the_graphs(extra: int, bonds: int) -> None:
    graphs = some_graphs(0, 12, low=0, bonds=bonds)
    batch = batch_of(graphs, words(bonds), extra)
    assert_holds(batch, graphs)
    assert (listed(batch).labels is None) == (bonds == 0)
    assert (listed(batch).pattern is None) == torch.is_grad_enabled()


def test_sizes_are_counted_if_they_are_not_given() -> None:
    placed = DeviceSet.of(some_graphs(0, 12, low=0), words())
    batch = graph_batch(placed, torch.tensor([3, 4]))
    assert batch.rows == placed.num_nodes[3:5].sum()
    assert len(listed(batch).ends) == placed.num_arcs[3:5].sum()
    assert batch.mask.all()
    assert listed(batch).mask.all()


def test_idle_arcs_are_loops_that_do_not_meet() -> None:
    batch = batch_of(some_graphs(1, 6), words(), extra=40)
    arcs = listed(batch)
    idle = ~arcs.mask
    assert int(idle.sum()) == 40
    assert torch.equal(arcs.ends[idle], arcs.sources[idle])
    assert torch.bincount(arcs.ends[idle]).max() <= -(-40 // batch.rows) + 1


def test_slices_and_repeats() -> None:
    graphs = some_graphs(2, 9)
    placed = DeviceSet.of(graphs[3:], words())
    assert_holds(graph_batch(placed, torch.tensor([5, 0, 5]), 80, 300), [graphs[8], graphs[3], graphs[8]])


def test_padding_has_label_0_whatever_the_first_label() -> None:
    batch = batch_of(GraphSet([Graph([3]), Graph([3, 1], [(0, 1)])]), words(), extra=2)
    assert batch.labels.tolist() == [3, 3, 1, 0, 0]


@pytest.mark.parametrize("extra", [0, 3])
def test_a_set_without_nodes(extra: int) -> None:
    batch = batch_of(GraphSet([Graph([]), Graph([])]), words(), extra)
    assert batch.rows == max(1, extra)
    assert not batch.mask.any()
    assert graph_sum(batch, torch.zeros(batch.rows, 2)).tolist() == [[0, 0], [0, 0]]
    assert not neighbour_sum(batch, torch.ones(batch.rows, 2)).any()
    assert pad_rows(batch, torch.ones(batch.rows, 2)).shape == (2, 1, 2)
    assert not pad_rows(batch, torch.ones(batch.rows, 2)).any()


def test_nodes_without_edges_have_no_arcs() -> None:
    batch = batch_of(GraphSet([Graph([0, 1]), Graph([2])]), words())
    assert len(listed(batch).ends) == 0
    assert not neighbour_sum(batch, torch.ones(3, 2)).any()


@pytest.mark.parametrize("extra", [0, 2])
def test_sums_over_neighbours_and_reach_agree_with_networkx(extra: int) -> None:
    graphs = some_graphs(3, 8, low=2)
    batch = batch_of(graphs, words(), extra)
    starts = batch.starts.tolist()
    torch.manual_seed(0)
    x = noise(batch, 3)
    sums = neighbour_sum(batch, x)
    wide = neighbour_sum(batch, x.unsqueeze(1) * torch.tensor([[1.0], [2.0]]))
    for i, g in enumerate(graphs):
        for v in range(len(g.labels)):
            around = [starts[i] + u for u in g.to_networkx().neighbors(v)]
            torch.testing.assert_close(sums[starts[i] + v], x[around].sum(0), rtol=1e-5, atol=1e-5)
    torch.testing.assert_close(wide[batch.mask], torch.stack([sums, 2 * sums], 1)[batch.mask])
    seeds = torch.zeros(batch.rows, 2, dtype=torch.bool)
    seeds[batch.starts[:-2], 0] = seeds[batch.starts[:-2] + 1, 1] = True
    for hops in (0, 1, 3):
        found = reach(batch, seeds, hops)
        for i, g in enumerate(graphs):
            for head in (0, 1):
                near = nx.single_source_shortest_path_length(g.to_networkx(), head, cutoff=hops)
                rows = found[starts[i] : starts[i + 1], head]
                assert rows.nonzero().flatten().tolist() == sorted(near)
        assert not found[~batch.mask].any()


@pytest.mark.parametrize("extra", [0, 4])
@pytest.mark.parametrize("shape", [(3,), (2, 3)])
def test_sums_over_graphs(extra: int, shape: tuple[int, ...]) -> None:
    batch = batch_of(some_graphs(4, 7, low=0), words(), extra)
    torch.manual_seed(0)
    x = noise(batch, *shape) * batch.mask.view(-1, *[1] * len(shape))
    expected = [part.sum(0) for part in x[batch.mask].split(batch.sizes.tolist())]
    torch.testing.assert_close(graph_sum(batch, x), torch.stack(expected), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("extra", [0, 4])
def test_padding_makes_a_rectangle_and_back(extra: int) -> None:
    batch = batch_of(some_graphs(5, 7, low=0), words(), extra)
    torch.manual_seed(0)
    x = noise(batch, 3)
    padded, mask = pad_rows(batch, x), padded_mask(batch)
    assert padded.shape == (7, 14, 3)  # the largest graph has 14 nodes
    assert mask.sum(1).tolist() == batch.sizes.tolist()
    for i, part in enumerate(x[batch.mask].split(batch.sizes.tolist())):
        assert torch.equal(padded[i, : len(part)], part)
        assert mask[i, : len(part)].all()
    assert not padded[~mask].any()
    assert torch.equal(unpad_rows(batch, padded)[batch.mask], x[batch.mask])
    assert torch.isfinite(unpad_rows(batch, padded)).all()
    wider = torch.nn.functional.pad(padded, (0, 0, 0, 2))
    assert torch.equal(unpad_rows(batch, wider)[batch.mask], x[batch.mask])


def test_a_pair_batch_pairs_what_it_was_told() -> None:
    graphs = some_graphs(7, 5)
    placed = DeviceSet.of(graphs, words())
    at = torch.tensor([1, 2]), torch.tensor([0, 4])
    pairs = pair_batch(placed, placed, *at, Budget(30, 90, 40, 120))
    assert len(pairs) == 2
    assert (pairs.query.rows, pairs.target.rows) == (30, 40)
    assert (len(listed(pairs.query).ends), len(listed(pairs.target).ends)) == (90, 120)
    assert_holds(pairs.query, [graphs[1], graphs[2]])
    assert_holds(pairs.target, [graphs[0], graphs[4]])
    exact = pair_batch(placed, placed, *at, query_of=torch.tensor([1, 1]))
    assert_holds(exact.query, [graphs[1], graphs[2]])
    assert exact.query.mask.all()
    assert exact.query_of is not None
