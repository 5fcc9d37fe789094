"""H2MN: match the hyperedges of two graphs, those of hops or those of random walks."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from prune4sed.models.base import Encoded, SedModel, of_target
from prune4sed.models.options import Options
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.embedding import LabelEmbedding
from prune4sed.nn.hypergraph import HypergraphLayer, hop_incidence, walk_incidence
from prune4sed.nn.mlp import mlp
from prune4sed.nn.neighbours import listed, neighbour_sum, sum_at_ends
from prune4sed.nn.padding import pad_rows, padded_mask
from prune4sed.nn.pooling import max_pool, sum_pool
from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["H2MN", "H2MNOptions", "HyperedgeMatching"]


@dataclass(frozen=True)
class H2MNOptions(Options):
    """Hyperparameters of H2MN.

    Parameters
    ----------
    width, layers : int
        Of the hypergraph convolutions.
    hyperedges : str
        ``"hop"`` for the nodes within `reach` hops of each node, ``"walk"`` for those that a random walk of
        `reach` steps visits. Both take memory that grows with the square of the number of nodes.
    reach : int
        Hops or steps.
    """

    width: int = 64
    layers: int = 3
    hyperedges: str = "hop"
    reach: int = 2

    def choices(self, name: str) -> tuple[str, ...]:
        return ("hop", "walk") if name == "hyperedges" else ()


class H2MN(SedModel):
    """Hypergraph convolutions, matching of hyperedges across the pair after each, and a perceptron.

    Regresses the distance, and so adds up over nodes where the original, which tells how similar two graphs
    are, takes the mean. Nodes begin with their labels and degrees: means over hyperedges tell nothing where
    all labels are the same. Hyperedges are weighed, not dropped: the hyperedge pooling of the original
    between layers is left out.
    """

    name = "h2mn"
    options_class = H2MNOptions
    nodes_per_batch = (2048, 32768)

    def __init__(self, vocabulary: Vocabulary, options: H2MNOptions | None = None) -> None:
        options = options or H2MNOptions()
        super().__init__(vocabulary, options)
        self.incidence = hop_incidence if options.hyperedges == "hop" else walk_incidence
        self.reach = options.reach
        width, bonds = options.width, vocabulary.num_edge_codes
        self.embedding = LabelEmbedding(vocabulary.num_node_codes, width)
        self.edge_embedding = LabelEmbedding(bonds, width) if bonds else None
        self.degree = nn.Linear(1, width, bias=False)
        self.layers = nn.ModuleList(HypergraphLayer(width) for _ in range(options.layers))
        self.matchings = nn.ModuleList(HyperedgeMatching(width) for _ in range(options.layers))
        self.out = mlp(4 * width, width, 1)

    def encode_query(self, query: GraphBatch) -> Encoded:
        return Encoded(query, (padded_mask(query), *self._hyperedges(query)))

    def score(self, query: Encoded, target: GraphBatch, query_of: Tensor | None = None) -> Tensor:
        mask, *ours = (of_target(part, query_of) for part in query.parts)
        theirs, there = self._hyperedges(target), padded_mask(target)
        seen = []
        for matching, q, t in zip(self.matchings, ours, theirs, strict=True):
            sides = matching(q, mask, t, there), matching(t, there, q, mask)
            seen.append(torch.cat(sides, -1))
        out: Tensor = self.out(torch.stack(seen).sum(0))
        return out.squeeze(-1)

    def _hyperedges(self, graphs: GraphBatch) -> list[Tensor]:
        """Features of hyperedges after every layer, (B, N, width) each."""
        incidence = self.incidence(graphs, self.reach)
        degrees = neighbour_sum(graphs, graphs.mask.unsqueeze(-1).to(self.degree.weight.dtype))
        x = self.embedding(graphs.labels) + self.degree(degrees.log1p())
        if self.edge_embedding is not None:
            x = x + sum_at_ends(graphs, self.edge_embedding(listed(graphs).labels))
        x = pad_rows(graphs, x)
        found = []
        for layer in self.layers:
            x, edges = layer(incidence, x)
            found.append(edges)
        return found


class HyperedgeMatching(nn.Module):
    """What sets the hyperedges of one graph apart from those of the other, as one vector."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.compare = mlp(2 * width, width, width)

    def forward(self, ours: Tensor, our_mask: Tensor, theirs: Tensor, their_mask: Tensor) -> Tensor:
        """From (B, N, width) and (B, K, width), with masks, to (B, 2 width): sum and largest."""
        alike = nn.functional.normalize(ours, dim=-1) @ nn.functional.normalize(theirs, dim=-1).mT
        alike = alike.masked_fill(~their_mask.unsqueeze(1), torch.finfo(alike.dtype).min)
        nearest = torch.softmax(alike, -1) @ theirs
        apart = self.compare(torch.cat([ours, (ours - nearest).abs()], -1))
        return torch.cat([sum_pool(apart, our_mask), max_pool(apart, our_mask)], -1)
