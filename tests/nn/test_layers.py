"""Every hand-written layer equals the one that somebody else wrote."""

from __future__ import annotations

import pytest
import torch
from made_batches import batch_of, flat_edges, some_graphs, words
from torch import nn
from torch_geometric.nn import GATv2Conv, GCNConv, GINConv, GINEConv, HypergraphConv

from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.nn.gatv2 import GATv2Layer
from prune4sed.nn.gcn import GCNLayer
from prune4sed.nn.gin import GINLayer
from prune4sed.nn.hypergraph import HypergraphLayer, hop_incidence, walk_incidence
from prune4sed.nn.pooling import AttentionPooling, max_pool, mean_pool
from prune4sed.nn.pruning import PruningHeads, top_nodes
from prune4sed.nn.query_attention import CrossAttention, QueryAttention

WIDTH = 16
CLOSE = {"rtol": 1e-5, "atol": 1e-5}


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize("dense", [True, False])
@pytest.mark.parametrize("extra", [0, 3])
def test_gin_is_ginconv(dense: bool, extra: int) -> None:
    graphs = some_graphs(0, 7)
    batch = batch_of(graphs, words(), extra, dense)
    layer = GINLayer(WIDTH)
    theirs = GINConv(layer.mlp)
    x = torch.randn(*batch.mask.shape, WIDTH) * batch.mask.unsqueeze(-1)
    ours = layer(batch, x, batch.mask.unsqueeze(-1).float())[batch.mask]
    torch.testing.assert_close(ours, theirs(x[batch.mask], flat_edges(graphs)[0]), **CLOSE)


def test_gin_with_edge_labels_is_gineconv() -> None:
    graphs = some_graphs(1, 7, bonds=3)
    batch = batch_of(graphs, words(3), 2)
    layer, bonds = GINLayer(WIDTH), LabelEmbedding(3, WIDTH)
    theirs = GINEConv(layer.mlp)  # draws the weights of the perceptron anew, so it comes first
    index, labels, _ = flat_edges(graphs)
    x = torch.randn(*batch.mask.shape, WIDTH) * batch.mask.unsqueeze(-1)
    assert batch.arc_labels is not None
    ours = layer(batch, x, batch.mask.unsqueeze(-1).float(), bonds(batch.arc_labels))[batch.mask]
    torch.testing.assert_close(ours, theirs(x[batch.mask], index, bonds(labels)), **CLOSE)


@pytest.mark.parametrize("bonds", [0, 3])
def test_gatv2_is_gatv2conv(bonds: int) -> None:
    graphs = some_graphs(2, 9, bonds=bonds)
    batch = batch_of(graphs, words(bonds), 3)
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
    x = 5 * torch.randn(*batch.mask.shape, WIDTH)
    edges = None if batch.arc_labels is None else embed(batch.arc_labels)
    expected = theirs(x[batch.mask], index, embed(labels) if bonds else None)
    torch.testing.assert_close(ours(batch, x, edges)[batch.mask], expected, **CLOSE)


def test_gatv2_stands_large_scores() -> None:
    batch = batch_of(some_graphs(3, 4), words(), 2)
    out = GATv2Layer(WIDTH)(batch, 1e4 * torch.randn(*batch.mask.shape, WIDTH))
    assert torch.isfinite(out).all()


def test_cross_attention_is_multihead_attention_with_a_zero_key() -> None:
    theirs = nn.MultiheadAttention(WIDTH, 4, add_zero_attn=True, batch_first=True)
    nn.init.normal_(theirs.in_proj_bias)
    nn.init.normal_(theirs.out_proj.bias)
    ours = CrossAttention(WIDTH, 4)
    ours.load_state_dict(theirs.state_dict())
    target, query = torch.randn(3, 9, WIDTH), torch.randn(3, 5, WIDTH)
    mask = torch.tensor([[True] * 5, [True] * 2 + [False] * 3, [False] * 5])
    expected, _ = theirs(target, query, query, key_padding_mask=~mask)
    torch.testing.assert_close(ours(target, query, mask), expected, **CLOSE)


def test_query_attention_scales_and_normalises() -> None:
    block = QueryAttention(WIDTH)
    target, query = torch.randn(2, 6, WIDTH), torch.randn(2, 4, WIDTH)
    mask = torch.ones(2, 6, dtype=torch.bool)
    seen = torch.ones(2, 4, dtype=torch.bool)
    weight = torch.sigmoid(block.weigh(block.attention(target, query, seen)))
    assert ((weight > 0) & (weight < 1)).all()
    expected = nn.BatchNorm1d(WIDTH)((weight * target).flatten(0, 1)).view_as(target)
    torch.testing.assert_close(block(target, mask, query, seen), expected, **CLOSE)


def test_masked_batch_norm_is_batchnorm1d_on_the_real_rows() -> None:
    ours, theirs = MaskedBatchNorm(WIDTH), nn.BatchNorm1d(WIDTH)
    nn.init.normal_(ours.weight)
    nn.init.normal_(ours.bias)
    theirs.load_state_dict(ours.state_dict(), strict=False)
    for _ in range(3):
        x = 3 + 2 * torch.randn(4, 6, WIDTH)
        mask = torch.rand(4, 6) < 0.6
        ours_x, theirs_x = x.clone().requires_grad_(), x.clone().requires_grad_()
        left, right = ours(ours_x, mask)[mask], theirs(theirs_x[mask])
        torch.testing.assert_close(left, right, **CLOSE)
        weights = torch.randn_like(left)
        (left * weights).sum().backward()
        (right * weights).sum().backward()
        torch.testing.assert_close(ours_x.grad, theirs_x.grad, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(ours.running_mean, theirs.running_mean, **CLOSE)
    torch.testing.assert_close(ours.running_var, theirs.running_var, **CLOSE)
    ours.eval(), theirs.eval()
    torch.testing.assert_close(ours(x, mask)[mask], theirs(x[mask]), **CLOSE)


def test_masked_batch_norm_stands_one_row_and_none() -> None:
    norm = MaskedBatchNorm(WIDTH)
    before = norm.running_mean.clone()
    assert torch.isfinite(norm(torch.randn(1, 3, WIDTH), torch.zeros(1, 3, dtype=torch.bool))).all()
    assert torch.equal(norm.running_mean, before)
    norm(torch.randn(1, 3, WIDTH), torch.tensor([[True, False, False]]))
    assert torch.equal(norm.running_var, torch.ones(WIDTH))


def test_embedding_is_a_linear_layer_on_scaled_one_hot_vectors() -> None:
    embed = LabelEmbedding(5, WIDTH)
    linear = nn.Linear(5, WIDTH)
    linear.load_state_dict({"weight": embed.weight.T, "bias": embed.bias})
    labels, scale = torch.randint(0, 5, (2, 7)), torch.rand(2, 7, 3)
    hot = nn.functional.one_hot(labels, 5).float()
    torch.testing.assert_close(embed(labels), linear(hot), **CLOSE)
    expected = linear(hot.unsqueeze(2) * scale.unsqueeze(3))
    torch.testing.assert_close(embed(labels, scale), expected, **CLOSE)


def test_pruning_heads_are_perceptrons_and_projections() -> None:
    batch = batch_of(some_graphs(4, 5), words(), 2)
    heads = PruningHeads(WIDTH, heads=3, k=2, h=1)
    x = torch.randn(*batch.mask.shape, WIDTH)
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


def test_top_nodes_are_the_best_real_ones_and_all_that_tie() -> None:
    scores = torch.tensor([[5.0, 1.0, 4.0, 4.0, 9.0], [1.0, 2.0, 3.0, 9.0, 9.0]]).unsqueeze(2)
    mask = torch.tensor([[True, True, True, True, False], [True, True, False, False, False]])
    best = top_nodes(scores, mask, 2).squeeze(2).tolist()
    assert best == [[True, False, True, True, False], [True, True, False, False, False]]
    assert not top_nodes(scores, torch.zeros_like(mask), 2).any()
    assert top_nodes(scores, mask, 99).squeeze(2).equal(mask)


def test_gcn_is_gcnconv() -> None:
    graphs = some_graphs(5, 6)
    batch = batch_of(graphs, words(), 2)
    ours, theirs = GCNLayer(WIDTH), GCNConv(WIDTH, WIDTH)
    nn.init.normal_(ours.bias)
    theirs.load_state_dict({"lin.weight": ours.linear.weight, "bias": ours.bias})
    x = torch.randn(*batch.mask.shape, WIDTH)
    expected = theirs(x[batch.mask], flat_edges(graphs)[0])
    torch.testing.assert_close(ours(batch, x)[batch.mask], expected, **CLOSE)


def test_hypergraph_layer_is_hypergraphconv() -> None:
    graphs = some_graphs(6, 1, low=12)
    batch = batch_of(graphs, words())
    incidence = hop_incidence(batch, 2)
    ours, theirs = HypergraphLayer(WIDTH), HypergraphConv(WIDTH, WIDTH, bias=False)
    nn.init.zeros_(ours.linear.bias)
    theirs.load_state_dict({"lin.weight": ours.linear.weight})
    x = torch.randn(1, 12, WIDTH)
    expected = theirs(x[0], incidence[0].nonzero().T).relu()
    nodes, edges = ours(incidence, x)
    torch.testing.assert_close(nodes[0], expected, **CLOSE)
    member = incidence[0, :, 3] > 0
    torch.testing.assert_close(edges[0, 3], nodes[0, member].mean(0), **CLOSE)


def test_walks_are_what_dice_give_on_average() -> None:
    graphs = some_graphs(7, 1, low=6)
    expected = walk_incidence(batch_of(graphs, words(), 2), 3)[0]
    around = [list(graphs[0].to_networkx().neighbors(v)) for v in range(6)]
    power = [torch.eye(6)]
    step = torch.tensor([[(v in around[u]) / max(1, len(around[u])) for v in range(6)] for u in range(6)])
    for _ in range(3):
        power.append(power[-1] @ step)
    torch.testing.assert_close(expected[:6, :6].T, torch.stack(power).mean(0), **CLOSE)
    assert not expected[6:].any()


def test_pooling_is_over_real_nodes() -> None:
    x = torch.randn(2, 4, WIDTH)
    mask = torch.tensor([[True, True, False, False], [False] * 4])
    torch.testing.assert_close(mean_pool(x, mask)[0], x[0, :2].mean(0), **CLOSE)
    torch.testing.assert_close(max_pool(x, mask)[0], x[0, :2].amax(0), **CLOSE)
    assert not mean_pool(x, mask)[1].any()
    assert not max_pool(x, mask)[1].any()
    pool = AttentionPooling(WIDTH)
    context = torch.tanh(pool.context(x[0, :2].mean(0)))
    expected = sum(torch.sigmoid(row @ context) * row for row in x[0, :2])
    torch.testing.assert_close(pool(x, mask)[0], expected, **CLOSE)
