"""SimGNN: compare two graph vectors by a tensor network, and node vectors by a histogram."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from prune4sed.models.base import Encoded, SedModel, of_target
from prune4sed.models.options import Options
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.nn.gcn import GCNLayer
from prune4sed.nn.mlp import mlp
from prune4sed.nn.neighbours import listed
from prune4sed.nn.padding import pad_rows, padded_mask
from prune4sed.nn.pooling import AttentionPooling
from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["SimGNN", "SimGNNOptions", "TensorNetwork", "histogram"]


@dataclass(frozen=True)
class SimGNNOptions(Options):
    """Hyperparameters of SimGNN.

    Parameters
    ----------
    width, layers : int
        Of the graph convolutions.
    slices : int
        Of the tensor network.
    bins : int
        Of the histogram of node similarities.
    """

    width: int = 64
    layers: int = 3
    slices: int = 16
    bins: int = 16


class SimGNN(SedModel):
    """SimGNN with a free number at its end instead of a similarity, so that it regresses the distance.

    Its histogram of node similarities has soft bins: with hard ones the answer would jump when a similarity
    crosses from one bin to the next, by the rounding of another batch for instance.
    """

    name = "simgnn"
    options_class = SimGNNOptions

    def __init__(self, vocabulary: Vocabulary, options: SimGNNOptions | None = None) -> None:
        options = options or SimGNNOptions()
        super().__init__(vocabulary, options)
        width, bonds = options.width, vocabulary.num_edge_codes
        self.bins = options.bins
        self.embedding = LabelEmbedding(vocabulary.num_node_codes, width)
        self.edge_embedding = LabelEmbedding(bonds, width) if bonds else None
        self.layers = nn.ModuleList(GCNLayer(width) for _ in range(options.layers))
        self.pool = AttentionPooling(width)
        self.tensors = TensorNetwork(width, options.slices)
        self.out = mlp(options.slices + options.bins, options.slices, 1)

    def encode_query(self, query: GraphBatch) -> Encoded:
        nodes, mask = self._nodes(query), padded_mask(query)
        return Encoded(query, (self.pool(nodes, mask), nodes, mask))

    def score(self, query: Encoded, target: GraphBatch, query_of: Tensor | None = None) -> Tensor:
        vector, nodes, mask = (of_target(part, query_of) for part in query.parts)
        others, there = self._nodes(target), padded_mask(target)
        pairs = self.tensors(vector, self.pool(others, there))
        alike = histogram(torch.sigmoid(nodes @ others.mT), mask, there, self.bins)
        out: Tensor = self.out(torch.cat([pairs, alike], -1))
        return out.squeeze(-1)

    def _nodes(self, graphs: GraphBatch) -> Tensor:
        """Features of nodes, (B, N, width)."""
        edges = None if self.edge_embedding is None else self.edge_embedding(listed(graphs).labels)
        there = graphs.mask.unsqueeze(-1)
        x: Tensor = self.embedding(graphs.labels) * there
        for i, layer in enumerate(self.layers):
            x = layer(graphs, torch.relu(x) if i else x, edges) * there
        return pad_rows(graphs, x)


class TensorNetwork(nn.Module):
    """A neural tensor network: relu(q' W t + V [q, t] + b), a number per slice."""

    def __init__(self, width: int, slices: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(slices, width, width))
        self.linear = nn.Linear(2 * width, slices)
        nn.init.uniform_(self.weight, -1 / math.sqrt(width), 1 / math.sqrt(width))

    def forward(self, query: Tensor, target: Tensor) -> Tensor:
        """From two vectors (B, width) to (B, slices)."""
        product = torch.einsum("bi,sij,bj->bs", query, self.weight, target)
        return torch.relu(product + self.linear(torch.cat([query, target], -1)))


def histogram(values: Tensor, query_mask: Tensor, target_mask: Tensor, bins: int) -> Tensor:
    """Share of the values in every bin between 0 and 1; a value between two middles counts for both in part.

    Parameters
    ----------
    values : Tensor, (B, Nq, Nt)
        Between 0 and 1.
    query_mask, target_mask : Tensor of bool, (B, Nq) and (B, Nt)
        Which rows and columns are real.
    bins : int
        How many.

    Returns
    -------
    Tensor, (B, bins)
        Adds up to 1, or to 0 for a pair with an empty graph.
    """
    there = (query_mask.unsqueeze(2) & target_mask.unsqueeze(1)).to(values.dtype)
    place = (values * bins - 0.5).clamp(0, bins - 1)
    share = [(torch.relu(1 - (place - i).abs()) * there).sum((1, 2)) for i in range(bins)]
    return torch.stack(share, 1) / there.sum((1, 2)).clamp(min=1).unsqueeze(1)
