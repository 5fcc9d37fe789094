"""What a network on pairs of nodes makes of a batch."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.keeping import Kept
from prune4sed.nn.neighbours import graph_sum
from prune4sed.nn.pair_layer import PairGrid
from prune4sed.nn.whole_numbers import expected_whole

__all__ = ["Thought", "Thoughts"]


class Thought(NamedTuple):
    """All that the model makes of B pairs with R rows of query nodes.

    Attributes
    ----------
    grid : PairGrid
        What it went by: the queries, and their candidates.
    targets : GraphBatch
        The targets.
    keep_logits : Tensor, (target rows,)
        Keep probabilities of target nodes, before the sigmoid.
    kept : Kept
        The K target nodes that are left: the candidates, after "deleted".
    logs : Tensor, (R, 1 + K)
        Logarithm of the probability that a query node goes to a candidate.
    costs : Tensor, (R, 1 + K)
        Its cost there: of the node, and half of each edge.
    variances : Tensor, (B,), or None
        How far the sums of costs may be off, if distances are to be seen as whole numbers.
    """

    grid: PairGrid
    targets: GraphBatch
    keep_logits: Tensor
    kept: Kept
    logs: Tensor
    costs: Tensor
    variances: Tensor | None = None

    @property
    def queries(self) -> GraphBatch:
        """The queries, one for each pair."""
        return self.grid.queries

    @property
    def node_costs(self) -> Tensor:
        """The expected cost of every query node, (R,)."""
        return (self.logs.exp() * self.costs).sum(-1) * self.queries.mask

    @property
    def sums(self) -> Tensor:
        """The expected costs of all query nodes of a pair, added up, (B,)."""
        return graph_sum(self.queries, self.node_costs.unsqueeze(1)).squeeze(1)

    @property
    def distances(self) -> Tensor:
        """The distances of the pairs, (B,)."""
        return self.sums if self.variances is None else expected_whole(self.sums, self.variances)


class Thoughts(NamedTuple):
    """What the model makes of a batch in parts.

    Attributes
    ----------
    keep_logits : Tensor, (target rows,)
        Keep probabilities of all target nodes, before the sigmoid.
    parts : list of Thought
        The parts, in order.
    """

    keep_logits: Tensor
    parts: list[Thought]

    @property
    def sums(self) -> Tensor:
        """Of all pairs, (B,)."""
        return torch.cat([part.sums for part in self.parts])

    @property
    def distances(self) -> Tensor:
        """The distances of all pairs, (B,)."""
        return torch.cat([part.distances for part in self.parts])
