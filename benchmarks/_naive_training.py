"""Prune4SED and NeuroSED as one would write them with PyG's layers.

The heads are a loop, and every step puts a batch of Data objects together on the CPU and moves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import GATv2Conv, GINConv, global_add_pool
from torch_geometric.nn.pool.select import SelectTopK
from torch_geometric.utils import k_hop_subgraph, subgraph, to_dense_batch

from prune4sed.graphset import GraphSet
from prune4sed.nn.vocabulary import Vocabulary

WIDTH, STAGES, HEADS, K, HOPS, LAYERS, ATTENTION = 64, 5, 5, 5, 4, 8, 4


def data_of(graphs: GraphSet, words: Vocabulary) -> list[Data]:
    """Every graph as a Data object with one-hot labels."""
    found = []
    for i in range(len(graphs)):
        graph = graphs[i]
        codes = torch.tensor([words.nodes.index(label) for label in graph.labels], dtype=torch.int64)
        edges = torch.tensor(list(graph.edges), dtype=torch.int64).reshape(-1, 2).T
        x = nn.functional.one_hot(codes, words.num_node_codes).float()
        found.append(Data(x=x, edge_index=torch.cat([edges, edges.flip(0)], 1)))
    return found


def moved(graphs: Sequence[Data], device: torch.device) -> Any:
    """A batch, assembled here and sent there."""
    return Batch.from_data_list(list(graphs)).to(device)


def _mlp(wide: int, hidden: int, out: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(wide, hidden), nn.ReLU(), nn.Linear(hidden, out))


class NaiveNeuroSED(nn.Module):
    """A GIN encoder with residuals and add pooling, and the norm of what the query has more."""

    def __init__(self, labels: int) -> None:
        super().__init__()
        self.pre = nn.Linear(labels, WIDTH)
        self.layers = nn.ModuleList(GINConv(_mlp(WIDTH, WIDTH, WIDTH)) for _ in range(LAYERS))
        self.post = _mlp(WIDTH * (LAYERS + 1), WIDTH, WIDTH)

    def encode(self, x: Tensor, edges: Tensor, batch: Tensor, size: int) -> Tensor:
        x = before = self.pre(x)
        seen = [x]
        for i, layer in enumerate(self.layers):
            x = layer(x, edges)
            if i % 2:
                x = before = x + before
            x = x.relu()
            seen.append(x)
        out: Tensor = self.post(global_add_pool(torch.cat(seen, 1), batch, size))
        return out

    def forward(self, query: Any, target: Any) -> Tensor:
        size = query.num_graphs
        q = self.encode(query.x, query.edge_index, query.batch, size)
        t = self.encode(target.x, target.edge_index, target.batch, size)
        return (q - t).relu().norm(dim=1)


class NaivePrune4SED(nn.Module):
    """Query-aware stages on padded batches, then one head after the other."""

    def __init__(self, labels: int) -> None:
        super().__init__()
        self.pre = nn.Linear(labels, WIDTH)
        self.convs = nn.ModuleList(GATv2Conv(WIDTH, WIDTH) for _ in range(STAGES - 1))
        self.attentions = nn.ModuleList(
            nn.MultiheadAttention(WIDTH, ATTENTION, add_zero_attn=True, batch_first=True)
            for _ in range(STAGES)
        )
        self.weighs = nn.ModuleList(_mlp(WIDTH, WIDTH, 1) for _ in range(STAGES))
        self.norms = nn.ModuleList(nn.BatchNorm1d(WIDTH) for _ in range(STAGES))
        self.out = _mlp(WIDTH * STAGES, WIDTH, WIDTH)
        self.heads = nn.ModuleList(
            nn.Sequential(nn.Linear(WIDTH, WIDTH), nn.BatchNorm1d(WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH))
            for _ in range(HEADS)
        )
        self.p = nn.ParameterList(nn.Parameter(torch.randn(WIDTH)) for _ in range(HEADS))
        self.select = SelectTopK(1, ratio=K)
        self.predictor = NaiveNeuroSED(labels)

    def forward(self, query: Any, target: Any) -> Tensor:
        size, seen = query.num_graphs, []
        t, q = self.pre(target.x), self.pre(query.x)
        for i in range(STAGES):
            if i:
                t = self.convs[i - 1](t, target.edge_index).relu()
                q = self.convs[i - 1](q, query.edge_index).relu()
            t = self._query_aware(i, t, q, target.batch, query.batch)
            seen.append(t)
        features = self.out(torch.cat(seen, 1)).relu()
        z_q = self.predictor.encode(query.x, query.edge_index, query.batch, size)
        answers = [self._head(m, features, target, z_q, size) for m in range(HEADS)]
        return torch.stack(answers).mean(0)

    def _query_aware(self, i: int, t: Tensor, q: Tensor, t_batch: Tensor, q_batch: Tensor) -> Tensor:
        asked, real = to_dense_batch(t, t_batch)
        told, there = to_dense_batch(q, q_batch)
        weights, _ = self.attentions[i](asked, told, told, key_padding_mask=~there, need_weights=False)
        out: Tensor = self.norms[i](self.weighs[i](weights[real]).sigmoid() * t)
        return out

    def _head(self, m: int, features: Tensor, target: Any, z_q: Tensor, size: int) -> Tensor:
        keep = (self.heads[m](features) @ self.p[m] / self.p[m].norm()).sigmoid()
        best = self.select(keep.detach().unsqueeze(1), target.batch).node_index
        kept, *_ = k_hop_subgraph(best, HOPS, target.edge_index, num_nodes=len(keep))
        edges, _ = subgraph(kept, target.edge_index, relabel_nodes=True, num_nodes=len(keep))
        x = target.x[kept] * keep[kept].unsqueeze(1)
        z_t = self.predictor.encode(x, edges, target.batch[kept], size)
        return (z_q - z_t).relu().norm(dim=1)


NAIVE: dict[str, type[nn.Module]] = {"neurosed": NaiveNeuroSED, "prune4sed": NaivePrune4SED}
