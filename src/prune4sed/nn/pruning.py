"""Hard and soft pruning of target nodes, for all heads at once."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.nn.neighbours import neighbour_sum

__all__ = ["PrunedNodes", "PruningHeads", "reach", "top_nodes"]

# Scores this close, relative to their size, are one score: which of two like nodes comes first must not hang
# on the last bit of a sum.
_TIE = 1e-5


class PrunedNodes(NamedTuple):
    """What M heads make of N target nodes.

    Attributes
    ----------
    logits : Tensor, (B, N, M)
        Keep probabilities before the sigmoid.
    keep : Tensor, (B, N, M)
        Keep probabilities; those of nodes that are not real do not matter.
    kept : Tensor of bool, (B, N, M)
        Real nodes that hard pruning leaves.
    """

    logits: Tensor
    keep: Tensor
    kept: Tensor


class PruningHeads(nn.Module):
    """M separate prunings of the same nodes: alpha = sigmoid(MLP(H) p / |p|), the top k, and what is near.

    Parameters
    ----------
    width : int
        Of the node features.
    heads : int
        M, the number of prunings.
    k : int
        How many of the best nodes stay.
    h : int
        How many hops around them stay as well.
    hard : bool
        Whether to prune hard; if not, all nodes stay.
    """

    def __init__(self, width: int, heads: int = 5, k: int = 5, h: int = 4, hard: bool = True) -> None:
        super().__init__()
        self.heads, self.k, self.h, self.hard = heads, k, h, hard
        self.first = nn.Linear(width, heads * width, bias=False)  # the norm would take a bias off again
        self.norm = MaskedBatchNorm(heads * width)
        bound = 1 / math.sqrt(width)
        self.second = nn.Parameter(torch.empty(heads, width, width).uniform_(-bound, bound))
        self.second_bias = nn.Parameter(torch.empty(heads, width).uniform_(-bound, bound))
        self.p = nn.Parameter(torch.empty(heads, width).uniform_(-bound, bound))

    def forward(self, graphs: GraphBatch, x: Tensor) -> PrunedNodes:
        """Keep probabilities of all nodes, and the nodes that stay.

        Parameters
        ----------
        graphs : GraphBatch
            The targets.
        x : Tensor, (B, N, width)
            Their node features.

        Returns
        -------
        PrunedNodes
        """
        logits = self._logits(graphs, x)
        kept = graphs.mask.unsqueeze(2).expand_as(logits)
        if self.hard:
            kept = reach(graphs, top_nodes(logits.detach(), graphs.mask, self.k), self.h)
        return PrunedNodes(logits, torch.sigmoid(logits), kept)

    def _logits(self, graphs: GraphBatch, x: Tensor) -> Tensor:
        hidden = torch.relu(self.norm(self.first(x), graphs.mask)).view(*x.shape[:2], self.heads, -1)
        # The second layer and the projection are both linear, so the projection goes into the weights: a
        # vector per head takes the place of a matrix.
        direction = self.p / torch.linalg.vector_norm(self.p, dim=1, keepdim=True)
        weight = torch.einsum("moi,mo->mi", self.second, direction)
        logits: Tensor = (hidden * weight).sum(-1) + (self.second_bias * direction).sum(-1)
        return logits


def top_nodes(scores: Tensor, mask: Tensor, k: int) -> Tensor:
    """The k best real nodes of every graph and head; whoever ties with the k-th is among them.

    Parameters
    ----------
    scores : Tensor, (B, N, M)
        Higher is better.
    mask : Tensor of bool, (B, N)
        Which nodes are real; a graph with fewer than k of them keeps them all.
    k : int
        At least 1.

    Returns
    -------
    Tensor of bool, (B, N, M)
    """
    there = mask.unsqueeze(2)
    scores = scores.masked_fill(~there, float("-inf"))
    last = scores.topk(min(k, scores.shape[1]), dim=1, sorted=True).values[:, -1:]
    return (scores >= last - _TIE * (1 + last.abs())) & there


def reach(graphs: GraphBatch, seeds: Tensor, hops: int) -> Tensor:
    """The nodes within so many hops of the seeds, seeds included; both (B, N, M), of bool."""
    found = seeds
    for _ in range(hops):
        near = found.to(torch.get_default_dtype())
        found = found | (neighbour_sum(graphs, near) > 0)
    return found
