"""NeuroSED: two graphs as two vectors, and the distance from those alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from prune4sed.models.base import Encoded, SedModel, of_target
from prune4sed.models.options import Options
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.gin import GINEncoder
from prune4sed.nn.mlp import mlp
from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["NeuroSED", "NeuroSEDOptions", "norm_distance"]


# Pairs at a time: the vectors of millions of pairs would take gigabytes, those of their graphs do not.
_COMPARED = 1 << 18


@dataclass(frozen=True)
class NeuroSEDOptions(Options):
    """Hyperparameters of NeuroSED.

    Parameters
    ----------
    width, layers : int
        Of the GIN encoder.
    head : str
        ``"norm"`` for || relu(z_q - z_t) ||, ``"mlp"`` for a perceptron on both vectors.
    """

    width: int = 64
    layers: int = 8
    head: str = "norm"

    def choices(self, name: str) -> tuple[str, ...]:
        return ("norm", "mlp") if name == "head" else ()


class NeuroSED(SedModel):
    """A GIN encoder for both graphs and a head on the two vectors.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> model = NeuroSED(Vocabulary(("C", "O")), NeuroSEDOptions(layers=2))
    >>> q = Graph(["C", "O"], [(0, 1)])
    >>> model.predict(q, [q, q]).round(3).tolist()  # the same graph is the same vector
    [0.0, 0.0]
    """

    name = "neurosed"
    options_class = NeuroSEDOptions

    def __init__(self, vocabulary: Vocabulary, options: NeuroSEDOptions | None = None) -> None:
        options = options or NeuroSEDOptions()
        super().__init__(vocabulary, options)
        labels, bonds = vocabulary.num_node_codes, vocabulary.num_edge_codes
        self.encoder = GINEncoder(labels, bonds, options.width, options.layers)
        self.head = mlp(2 * options.width, options.width, 1) if options.head == "mlp" else None

    @property
    def metric(self) -> bool:
        return self.head is None

    def encode_query(self, query: GraphBatch) -> Encoded:
        return Encoded(query, (self.encoder(query),))

    def score(self, query: Encoded, target: GraphBatch, query_of: Tensor | None = None) -> Tensor:
        return self.compare(of_target(query.parts[0], query_of), self.encoder(target))

    def compare(self, query: Tensor, target: Tensor) -> Tensor:
        """Distances from vectors (B, width) of queries and targets."""
        if self.head is None:
            return norm_distance(query, target)
        out: Tensor = self.head(torch.cat([target, query], -1))
        return out.squeeze(-1)

    def predict_placed(
        self,
        queries: DeviceSet,
        targets: DeviceSet,
        index: NDArray[np.int64],
        batch_size: int | None = None,
    ) -> Tensor:
        """As for any model, but every graph is encoded once, however many pairs it is in."""
        sides = []
        for graphs, column in ((queries, index[:, 0]), (targets, index[:, 1])):
            distinct, which = np.unique(column, return_inverse=True)
            sides.append((self.embed(graphs, distinct, batch_size), which.astype(np.int64)))
        parts = []
        for start in range(0, max(1, len(index)), _COMPARED):
            rows = (x.index_select(0, self._put(at[start : start + _COMPARED])) for x, at in sides)
            parts.append(self.compare(*rows))
        return torch.cat(parts)

    def embed(self, graphs: DeviceSet, positions: NDArray[np.int64], batch_size: int | None = None) -> Tensor:
        """Vectors of the graphs at these positions, (positions, width)."""
        vectors = torch.zeros(len(positions), self.encoder.width, device=self.device)
        lists = self._batches(graphs.num_nodes[positions], batch_size)
        found = self._each(lambda rows: self.encoder(self._gather(graphs, positions[rows])), lists)
        for rows, part in zip(lists, found, strict=True):
            vectors[self._put(rows)] = part
        return vectors


def norm_distance(query: Tensor, target: Tensor) -> Tensor:
    """|| relu(z_q - z_t) ||: how much the query has that the target lacks."""
    distance: Tensor = torch.linalg.vector_norm(torch.relu(query - target), dim=-1)
    return distance
