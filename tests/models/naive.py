"""Prune4SED written the slow way: PyG layers, one pair at a time, one head at a time."""

from __future__ import annotations

import copy

import networkx as nx
import torch
from torch import Tensor, nn
from torch_geometric.nn import GATv2Conv, GINConv
from torch_geometric.utils import subgraph

from prune4sed.graph import Graph
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.nn.gatv2 import GATv2Layer
from prune4sed.nn.gin import GINEncoder
from prune4sed.nn.query_attention import CrossAttention


def naive_sed(model: Prune4SED, query: Graph, target: Graph) -> float:
    """The distance that the model in evaluation mode must predict."""
    with torch.no_grad():
        logits, _ = naive_pruning(model, query, target)
        z_q = _predictor(model.predictor, _one_hot(model, query), _index(query))
        answers = []
        for m in range(model.options.heads):
            kept = _kept(model, logits[m], target)
            x = _one_hot(model, target)
            x = x * torch.sigmoid(logits[m]).unsqueeze(1) if model.options.soft else x
            index, _ = subgraph(kept, _index(target), relabel_nodes=True, num_nodes=len(target.labels))
            z_t = _predictor(model.predictor, x[kept], index)
            answers.append(torch.relu(z_q - z_t).norm())
        return float(torch.stack(answers).mean())


def naive_pruning(model: Prune4SED, query: Graph, target: Graph) -> tuple[list[Tensor], list[Tensor]]:
    """Logits of the keep probabilities and positions of the kept nodes, per head."""
    with torch.no_grad():
        features = _aware(model, query, target)
        heads, logits = model.pruning, []
        for m in range(model.options.heads):
            part = slice(m * model.options.width, (m + 1) * model.options.width)
            hidden = _norm(heads.norm, part)(features @ heads.first.weight[part].T).relu()
            rows = hidden @ heads.second[m].T + heads.second_bias[m]
            logits.append(rows @ heads.p[m] / heads.p[m].norm())
        return logits, [_kept(model, row, target) for row in logits]


def _kept(model: Prune4SED, logits: Tensor, target: Graph) -> Tensor:
    if not model.options.hard:
        return torch.arange(len(target.labels))
    order = sorted(logits.tolist(), reverse=True)
    last = order[min(model.options.k, len(order)) - 1]
    stays: set[int] = set()
    for v, value in enumerate(logits.tolist()):
        if value >= last - 1e-5 * (1 + abs(last)):  # ties with the k-th stay
            stays |= set(nx.single_source_shortest_path_length(target.to_networkx(), v, model.options.h))
    return torch.tensor(sorted(stays))


def _aware(model: Prune4SED, query: Graph, target: Graph) -> Tensor:
    aware, seen = model.aware, []
    t = _linear(aware.embedding)(_one_hot(model, target))
    q = _linear(aware.embedding)(_one_hot(model, query))
    for i in range(model.options.stages):
        if i:
            layer = _gatv2(aware.layers[i - 1])
            t = layer(t, _index(target)).relu()
            q = layer(_norm(aware.query_norms[i - 1])(q) if aware.query_norms else q, _index(query)).relu()
        if model.options.use_qal:
            block = aware.blocks[i]
            told, _ = _attention(block.attention)(t[None], q[None], q[None])
            t = _norm(block.norm)(block.weigh(told[0]).sigmoid() * t)
        seen.append(t)
    out: Tensor = aware.out(torch.cat(seen, 1)).relu()
    return out


def _predictor(encoder: GINEncoder, hot: Tensor, index: Tensor) -> Tensor:
    x = before = _linear(encoder.embedding)(hot)
    seen = [x]
    for i, layer in enumerate(encoder.layers):
        conv = GINConv(copy.deepcopy(layer.mlp))
        conv.nn.load_state_dict(layer.mlp.state_dict())  # the line above drew new weights
        x = conv(x, index)
        if i % 2 == 1:
            x = before = x + before
        x = x.relu()
        seen.append(x)
    out: Tensor = encoder.out(torch.cat(seen, 1).sum(0))
    return out


def _one_hot(model: Prune4SED, graph: Graph) -> Tensor:
    words = model.vocabulary
    codes = torch.tensor([words.nodes.index(label) for label in graph.labels], dtype=torch.int64)
    return nn.functional.one_hot(codes, words.num_node_codes).float()


def _index(graph: Graph) -> Tensor:
    arcs = [(a, b) for a, b in graph.edges] + [(b, a) for a, b in graph.edges]
    return torch.tensor(arcs, dtype=torch.int64).reshape(-1, 2).T


def _linear(embedding: LabelEmbedding) -> nn.Linear:
    linear = nn.Linear(*embedding.weight.shape)
    linear.load_state_dict({"weight": embedding.weight.T, "bias": embedding.bias})
    return linear


def _gatv2(layer: GATv2Layer) -> GATv2Conv:
    conv = GATv2Conv(len(layer.bias), len(layer.bias), heads=1)
    state = {"att": layer.attention.view(1, 1, -1), "bias": layer.bias}
    for theirs, ours in (("lin_l", layer.source), ("lin_r", layer.end)):
        state |= {f"{theirs}.weight": ours.weight, f"{theirs}.bias": ours.bias}
    conv.load_state_dict(state)
    return conv


def _attention(ours: CrossAttention) -> nn.MultiheadAttention:
    theirs = nn.MultiheadAttention(
        ours.out_proj.in_features, ours.heads, add_zero_attn=True, batch_first=True
    )
    theirs.load_state_dict(ours.state_dict())
    return theirs


def _norm(ours: MaskedBatchNorm, part: slice = slice(None)) -> nn.BatchNorm1d:
    state = {name: x[part] for name, x in ours.state_dict().items()}
    theirs = nn.BatchNorm1d(len(state["weight"]))
    theirs.load_state_dict(state, strict=False)
    return theirs.eval()
