"""Prune4SED and NeuroSED with PyG layers, trained on batches that are collated on the CPU and moved."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data
from torch_geometric.nn import global_add_pool

from _naive_pyg import NaivePrune4SED, _gin, _index, _linear, _one_hot
from prune4sed.graphset import GraphSet
from prune4sed.models.base import SedModel

__all__ = ["data_of", "moved", "naive"]


class NaiveNeuroSED(nn.Module):
    """A GIN encoder with residuals and add pooling, and the norm of what the query has more."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.embed = _linear(model.encoder.embedding)
        self.layers = nn.ModuleList(_gin(layer.mlp) for layer in model.encoder.layers)
        self.out = copy.deepcopy(model.encoder.out)

    def forward(self, query: Any, target: Any) -> Tensor:
        return (self._vectors(query) - self._vectors(target)).relu().norm(dim=1)

    def _vectors(self, graphs: Any) -> Tensor:
        x = before = self.embed(graphs.x)
        seen = [x]
        for i, layer in enumerate(self.layers):
            x = layer(x, graphs.edge_index)
            if i % 2 == 1:
                x = before = x + before
            x = x.relu()
            seen.append(x)
        out: Tensor = self.out(global_add_pool(torch.cat(seen, 1), graphs.batch, graphs.num_graphs))
        return out


def naive(model: Any) -> nn.Module:
    """The same model in training mode, where our model is on the CPU."""
    rewritten: nn.Module = NaivePrune4SED(model) if model.name == "prune4sed" else NaiveNeuroSED(model)
    return rewritten.train()


def data_of(graphs: GraphSet, model: SedModel) -> list[Data]:
    """Every graph as a Data object with one-hot labels."""
    each = (graphs[i] for i in range(len(graphs)))
    return [Data(x=_one_hot(model, graph), edge_index=_index(graph)) for graph in each]  # type: ignore[arg-type]


def moved(graphs: Sequence[Data], device: torch.device) -> Any:
    """A batch, assembled here and sent there."""
    return Batch.from_data_list(list(graphs)).to(device)
