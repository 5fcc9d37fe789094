"""Prune4SED as one would first write it: PyG layers, batches collated on the CPU, a loop over the heads.

The layers are built once and take their weights from a model of ours, so that both give the same answers.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GINConv, global_add_pool
from torch_geometric.utils import subgraph, to_dense_batch

from _record import ROOT
from prune4sed.graph import Graph
from prune4sed.models.prune4sed import Prune4SED

sys.path.insert(0, str(ROOT / "tests" / "models"))
from naive import _attention, _gatv2, _index, _linear, _norm, _one_hot

__all__ = ["NaivePrune4SED"]

# Scores this close count as equal, as in the model.
_TIE = 1e-5


class NaivePrune4SED(nn.Module):
    """The same function as a `Prune4SED` in evaluation mode."""

    def __init__(self, model: Prune4SED) -> None:
        super().__init__()
        aware, heads, predictor, width = model.aware, model.pruning, model.predictor, model.options.width
        self.model, self.options = [model], model.options  # in a list: it is no part of this one
        self.embed = _linear(aware.embedding)
        self.gat = nn.ModuleList(_gatv2(layer) for layer in aware.layers)
        self.query_norms = nn.ModuleList(_norm(norm) for norm in aware.query_norms)
        self.attention = nn.ModuleList(_attention(block.attention) for block in aware.blocks)
        self.weigh = nn.ModuleList(copy.deepcopy(block.weigh) for block in aware.blocks)
        self.norms = nn.ModuleList(_norm(block.norm) for block in aware.blocks)
        self.out = copy.deepcopy(aware.out)
        parts = [slice(m * width, (m + 1) * width) for m in range(model.options.heads)]
        self.head_norms = nn.ModuleList(_norm(heads.norm, part) for part in parts)
        self.first = nn.ParameterList(heads.first.weight[part].detach().clone() for part in parts)
        self.second = nn.ParameterList(x.detach().clone() for x in heads.second)
        self.bias = nn.ParameterList(x.detach().clone() for x in heads.second_bias)
        self.p = nn.ParameterList(x.detach().clone() for x in heads.p)
        self.gin_embed = _linear(predictor.embedding)
        self.gin = nn.ModuleList(_gin(layer.mlp) for layer in predictor.layers)
        self.gin_out = copy.deepcopy(predictor.out)
        self.eval()

    def data(self, graph: Graph) -> Data:
        """A graph for PyG."""
        return Data(x=_one_hot(self.model[0], graph), edge_index=_index(graph))

    def predict(self, pairs: Sequence[tuple[Data, Data]], batch_size: int) -> Tensor:
        """Distances of pairs of graphs, a batch at a time."""
        answers = []
        with torch.no_grad():
            for start in range(0, len(pairs), batch_size):
                queries, targets = zip(*pairs[start : start + batch_size], strict=True)
                answers.append(self(Batch.from_data_list(queries), Batch.from_data_list(targets)))
        return torch.cat(answers)

    def forward(self, query: Batch, target: Batch) -> Tensor:
        """Distances (B,)."""
        features = self._aware(query, target)
        z_q = self._vectors(query.x, query.edge_index, query.batch, query.num_graphs)
        answers = []
        for m, norm in enumerate(self.head_norms):
            hidden = norm(features @ self.first[m].T).relu() @ self.second[m].T + self.bias[m]
            logits = hidden @ self.p[m] / self.p[m].norm()
            kept = self._kept(logits, target)
            index, _ = subgraph(kept, target.edge_index, relabel_nodes=True, num_nodes=len(logits))
            x = (target.x * torch.sigmoid(logits).unsqueeze(1))[kept]
            z_t = self._vectors(x, index, target.batch[kept], target.num_graphs)
            answers.append(torch.relu(z_q - z_t).norm(dim=1))
        return torch.stack(answers).mean(0)

    def _aware(self, query: Batch, target: Batch) -> Tensor:
        q, t = self.embed(query.x), self.embed(target.x)
        seen = []
        for i, attention in enumerate(self.attention):
            if i:
                t = self.gat[i - 1](t, target.edge_index).relu()
                q = self.gat[i - 1](self.query_norms[i - 1](q), query.edge_index).relu()
            asked, real = to_dense_batch(t, target.batch)
            keys, there = to_dense_batch(q, query.batch)
            told, _ = attention(asked, keys, keys, key_padding_mask=~there, need_weights=False)
            t = self.norms[i](self.weigh[i](told[real]).sigmoid() * t)
            seen.append(t)
        out: Tensor = self.out(torch.cat(seen, 1)).relu()
        return out

    def _kept(self, logits: Tensor, target: Batch) -> Tensor:
        padded, _ = to_dense_batch(logits, target.batch, fill_value=float("-inf"))
        last = padded.topk(min(self.options.k, padded.shape[1]), 1).values[:, -1][target.batch]
        kept = logits >= last - _TIE * (1 + last.abs())
        source, end = target.edge_index
        for _ in range(self.options.h):
            kept = kept | (torch.zeros_like(logits).index_add_(0, end, kept[source].to(logits.dtype)) > 0)
        return kept

    def _vectors(self, hot: Tensor, index: Tensor, batch: Tensor, graphs: int) -> Tensor:
        x = before = self.gin_embed(hot)
        seen = [x]
        for i, layer in enumerate(self.gin):
            x = layer(x, index)
            if i % 2 == 1:
                x = before = x + before
            x = x.relu()
            seen.append(x)
        out: Tensor = self.gin_out(global_add_pool(torch.cat(seen, 1), batch, graphs))
        return out


def _gin(perceptron: nn.Module) -> GINConv:
    conv = GINConv(copy.deepcopy(perceptron))
    conv.nn.load_state_dict(perceptron.state_dict())  # the line above drew new weights
    return conv
