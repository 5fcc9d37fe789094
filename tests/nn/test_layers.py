"""Every hand-written layer equals the one that somebody else wrote."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from made_batches import batch_of, flat_edges, noise, some_graphs, words
from torch import Tensor, nn
from torch_geometric.nn import GATv2Conv, GCNConv, GINConv, GINEConv, HypergraphConv
from torch_geometric.nn.pool import global_add_pool

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.nn.gatv2 import GATv2Layer
from prune4sed.nn.gcn import GCNLayer
from prune4sed.nn.gin import GINEncoder, GINLayer
from prune4sed.nn.hypergraph import HypergraphLayer, hop_incidence, walk_incidence
from prune4sed.nn.neighbours import listed
from prune4sed.nn.padding import pad_rows, padded_mask
from prune4sed.nn.pooling import AttentionPooling, max_pool, mean_pool, sum_pool

WIDTH = 16
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(params=["learning", "predicting"], autouse=True)
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    """With gradients the sums go over lists of arcs, without them they are sparse products."""
    torch.manual_seed(0)
    with torch.inference_mode(request.param == "predicting"):
        yield


@pytest.fixture(params=[0, 3])
def extra(request: pytest.FixtureRequest) -> int:
    """Rows and arcs more than the graphs have."""
    return int(request.param)


def arc_features(batch: GraphBatch, embed: LabelEmbedding) -> Tensor:
    labels = listed(batch).labels
    assert labels is not None
    features: Tensor = embed(labels)
    return features


def test_gin_is_ginconv(extra: int) -> None:
    graphs = some_graphs(0, 7)
    batch = batch_of(graphs, words(), extra)
    layer = GINLayer(WIDTH)
    theirs = GINConv(layer.mlp)
    there = batch.mask.unsqueeze(-1).float()
    x = noise(batch, WIDTH) * there
    expected = theirs(x[batch.mask], flat_edges(graphs)[0])
    torch.testing.assert_close(layer(batch, x, there)[batch.mask], expected, **CLOSE)
    two = layer(batch, torch.stack([x, x], 1), there.unsqueeze(1))  # two heads at once
    torch.testing.assert_close(two[batch.mask], torch.stack([expected, expected], 1), **CLOSE)


def test_gin_with_edge_labels_is_gineconv(extra: int) -> None:
    graphs = some_graphs(1, 7, bonds=3)
    batch = batch_of(graphs, words(3), extra)
    layer, bonds = GINLayer(WIDTH), LabelEmbedding(3, WIDTH)
    theirs = GINEConv(layer.mlp)  # draws the weights of the perceptron anew, so it comes first
    index, labels, _ = flat_edges(graphs)
    there = batch.mask.unsqueeze(-1).float()
    x = noise(batch, WIDTH) * there
    edges, expected = arc_features(batch, bonds), theirs(x[batch.mask], index, bonds(labels))
    torch.testing.assert_close(layer(batch, x, there, edges)[batch.mask], expected, **CLOSE)
    two = layer(batch, torch.stack([x, x], 1), there.unsqueeze(1), edges)
    torch.testing.assert_close(two[batch.mask], torch.stack([expected, expected], 1), **CLOSE)


@pytest.mark.parametrize("bonds", [0, 3])
def test_the_encoder_is_a_stack_of_pyg_layers_with_residuals(extra: int, bonds: int) -> None:
    graphs = some_graphs(8, 7, low=0, bonds=bonds)
    batch = batch_of(graphs, words(bonds), extra)
    encoder = GINEncoder(4, bonds, width=WIDTH, layers=5)
    index, labels, owner = flat_edges(graphs)
    convolutions = [(GINEConv if bonds else GINConv)(layer.mlp) for layer in encoder.layers]
    edges = (encoder.edge_embedding(labels),) if encoder.edge_embedding is not None else ()
    x = before = encoder.embedding(batch.labels[batch.mask])
    sums = [global_add_pool(x, owner, 7)]
    for i, layer in enumerate(convolutions):
        x = layer(x, index, *edges)
        if i % 2:
            x = before = x + before
        x = x.relu()
        sums.append(global_add_pool(x, owner, 7))
    torch.testing.assert_close(encoder(batch), encoder.out(torch.cat(sums, 1)), **CLOSE)


@pytest.mark.parametrize("bonds", [0, 3])
def test_the_encoder_of_a_pruned_graph_is_that_of_the_rest(extra: int, bonds: int) -> None:
    graphs = some_graphs(9, 6, bonds=bonds)
    batch = batch_of(graphs, words(bonds), extra)
    encoder = GINEncoder(4, bonds, width=WIDTH, layers=3)
    keep = (torch.rand(batch.rows, 3) < 0.6) & batch.mask.unsqueeze(1)
    ours = encoder(batch, torch.ones(batch.rows, 3), keep)
    for m in range(3):
        kept = keep[batch.mask, m].split(batch.sizes.tolist())
        rest = GraphSet([induced(g, there.tolist()) for g, there in zip(graphs, kept, strict=True)])
        torch.testing.assert_close(ours[:, m], encoder(batch_of(rest, words(bonds))), **CLOSE)


def induced(graph: Graph, there: list[bool]) -> Graph:
    """The graph on those of its nodes that are there."""
    place = {v: i for i, v in enumerate(v for v, stays in enumerate(there) if stays)}
    inside = [at for at, (a, b) in enumerate(graph.edges) if there[a] and there[b]]
    edges = [(place[graph.edges[at][0]], place[graph.edges[at][1]]) for at in inside]
    bonds = None if graph.edge_labels is None else [graph.edge_labels[at] for at in inside]
    return Graph([graph.labels[v] for v in place], edges, bonds)


@pytest.mark.parametrize("bonds", [0, 3])
def test_gatv2_is_gatv2conv(extra: int, bonds: int) -> None:
    graphs = some_graphs(2, 9, bonds=bonds)
    batch = batch_of(graphs, words(bonds), extra)
    ours = GATv2Layer(WIDTH, WIDTH if bonds else None)
    theirs = GATv2Conv(WIDTH, WIDTH, edge_dim=WIDTH if bonds else None)
    nn.init.normal_(ours.bias)
    names = {"lin_l.weight": ours.source.weight, "lin_l.bias": ours.source.bias}
    names |= {"lin_r.weight": ours.end.weight, "lin_r.bias": ours.end.bias}
    names |= {"att": ours.attention.view(1, 1, -1), "bias": ours.bias}
    if ours.edge is not None:
        names["lin_edge.weight"] = ours.edge.weight
    theirs.load_state_dict(names)
    embed = LabelEmbedding(3, WIDTH)
    index, labels, _ = flat_edges(graphs)
    x = 5 * noise(batch, WIDTH)
    edges = arc_features(batch, embed) if bonds else None
    expected = theirs(x[batch.mask], index, embed(labels) if bonds else None)
    torch.testing.assert_close(ours(batch, x, edges)[batch.mask], expected, **CLOSE)


def test_gatv2_stands_large_scores(extra: int) -> None:
    batch = batch_of(some_graphs(3, 4), words(), extra)
    out = GATv2Layer(WIDTH)(batch, 1e4 * torch.randn(batch.rows, WIDTH))
    assert torch.isfinite(out).all()


def test_gcn_is_gcnconv(extra: int) -> None:
    graphs = some_graphs(5, 6)
    batch = batch_of(graphs, words(), extra)
    ours, theirs = GCNLayer(WIDTH), GCNConv(WIDTH, WIDTH)
    nn.init.normal_(ours.bias)
    theirs.load_state_dict({"lin.weight": ours.linear.weight, "bias": ours.bias})
    x = noise(batch, WIDTH)
    expected = theirs(x[batch.mask], flat_edges(graphs)[0])
    torch.testing.assert_close(ours(batch, x)[batch.mask], expected, **CLOSE)


def test_hypergraph_layer_is_hypergraphconv(extra: int) -> None:
    batch = batch_of(some_graphs(6, 1, low=12), words(), extra)
    incidence = hop_incidence(batch, 2)
    ours, theirs = HypergraphLayer(WIDTH), HypergraphConv(WIDTH, WIDTH, bias=False)
    nn.init.zeros_(ours.linear.bias)
    theirs.load_state_dict({"lin.weight": ours.linear.weight})
    x = pad_rows(batch, noise(batch, WIDTH))
    expected = theirs(x[0], incidence[0].nonzero().T).relu()
    nodes, edges = ours(incidence, x)
    torch.testing.assert_close(nodes[0], expected, **CLOSE)
    member = incidence[0, :, 3] > 0
    torch.testing.assert_close(edges[0, 3], nodes[0, member].mean(0), **CLOSE)


def test_walks_are_what_dice_give_on_average(extra: int) -> None:
    graphs = some_graphs(7, 2, low=6)
    expected = walk_incidence(batch_of(graphs, words(), extra), 3)[0]
    around = [list(graphs[0].to_networkx().neighbors(v)) for v in range(6)]
    power = [torch.eye(6)]
    step = torch.tensor([[(v in around[u]) / max(1, len(around[u])) for v in range(6)] for u in range(6)])
    for _ in range(3):
        power.append(power[-1] @ step)
    torch.testing.assert_close(expected[:6, :6].T, torch.stack(power).mean(0), **CLOSE)
    assert expected.shape == (14, 14)  # the other graph's size
    assert not expected[6:].any()
    assert not expected[:, 6:].any()


def test_embedding_is_a_linear_layer_on_scaled_one_hot_vectors() -> None:
    embed = LabelEmbedding(5, WIDTH)
    linear = nn.Linear(5, WIDTH)
    linear.load_state_dict({"weight": embed.weight.T, "bias": embed.bias})
    labels, scale = torch.randint(0, 5, (14,)), torch.rand(14, 3)
    hot = nn.functional.one_hot(labels, 5).float()
    torch.testing.assert_close(embed(labels), linear(hot), **CLOSE)
    expected = linear(hot.unsqueeze(1) * scale.unsqueeze(2))
    torch.testing.assert_close(embed(labels, scale), expected, **CLOSE)


def test_pooling_is_over_real_nodes(extra: int) -> None:
    batch = batch_of(GraphSet([Graph([0, 1]), Graph([]), Graph([0] * 4)]), words(), extra)
    rows = noise(batch, WIDTH)
    x, mask = pad_rows(batch, rows), padded_mask(batch)
    torch.testing.assert_close(mean_pool(x, mask)[0], rows[:2].mean(0), **CLOSE)
    torch.testing.assert_close(max_pool(x, mask)[0], rows[:2].amax(0), **CLOSE)
    torch.testing.assert_close(sum_pool(x, mask)[0], rows[:2].sum(0), **CLOSE)
    assert not sum_pool(x, mask)[1].any()
    assert not mean_pool(x, mask)[1].any()
    assert not max_pool(x, mask)[1].any()
    pool = AttentionPooling(WIDTH)
    context = torch.tanh(pool.context(rows[:2].mean(0)))
    expected = sum(torch.sigmoid(row @ context) * row for row in rows[:2])
    torch.testing.assert_close(pool(x, mask)[0], expected, **CLOSE)
