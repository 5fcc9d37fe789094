"""Hard and soft pruning of target nodes, for all heads at once."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from prune4sed.nn import kernels
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.nn.neighbours import neighbour_sum
from prune4sed.nn.padding import pad_rows, padded_mask

__all__ = ["PrunedNodes", "PruningHeads", "reach", "top_nodes"]

# Scores this close, relative to their size, are one score: which of two like nodes comes first must not hang
# on the last bit of a sum.
_TIE = 1e-5


class PrunedNodes(NamedTuple):
    """What M heads make of R rows of target nodes.

    Attributes
    ----------
    logits : Tensor, (R, M)
        Keep probabilities before the sigmoid.
    keep : Tensor, (R, M)
        Keep probabilities; those of rows that are no nodes do not matter.
    kept : Tensor of bool, (R, M)
        Nodes that hard pruning leaves.
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
        x : Tensor, (R, width)
            Their node features.

        Returns
        -------
        PrunedNodes
        """
        logits = self._logits(graphs, x)
        kept = graphs.mask.unsqueeze(1).expand_as(logits)
        if self.hard:
            kept = reach(graphs, top_nodes(graphs, logits.detach(), self.k), self.h)
        return PrunedNodes(logits, torch.sigmoid(logits), kept)

    def _logits(self, graphs: GraphBatch, x: Tensor) -> Tensor:
        weight, level = self._ends()
        norm = self.norm
        if self.training and kernels.usable(x.device):
            running, moves = (norm.running_mean, norm.running_var), (norm.momentum, norm.eps)
            scales = norm.weight, norm.bias
            return kernels.prune_logits(self.first(x), graphs.mask, scales, running, moves, (weight, level))
        if self.training:
            hidden = torch.relu(norm(self.first(x), graphs.mask))
        else:  # the norm is linear then, and goes into the layer before it
            scale, shift = norm.as_linear()
            hidden = nn.functional.linear(x, self.first.weight * scale.unsqueeze(1), shift).relu_()
        logits: Tensor = (hidden.view(len(x), self.heads, -1) * weight).sum(-1) + level
        return logits

    def _ends(self) -> tuple[Tensor, Tensor]:
        """What every head multiplies with, (M, width), and adds, (M,).

        The second layer and the projection are both linear, so the projection goes into the weights: a vector
        per head takes the place of a matrix.
        """
        direction = self.p / torch.linalg.vector_norm(self.p, dim=1, keepdim=True)
        weight = torch.einsum("moi,mo->mi", self.second, direction)
        return weight, (self.second_bias * direction).sum(-1)


def top_nodes(graphs: GraphBatch, scores: Tensor, k: int) -> Tensor:
    """The k best nodes of every graph and head; whoever ties with the k-th is among them.

    Parameters
    ----------
    graphs : GraphBatch
        Graphs of R rows.
    scores : Tensor, (R, M)
        Higher is better.
    k : int
        At least 1. A graph with fewer nodes keeps them all.

    Returns
    -------
    Tensor of bool, (R, M)
    """
    if kernels.usable(scores.device):
        last = kernels.top_score(scores, graphs.starts, k, graphs.largest)
    else:
        padded = pad_rows(graphs, scores).masked_fill(~padded_mask(graphs).unsqueeze(2), float("-inf"))
        last = padded.topk(min(k, padded.shape[1]), dim=1, sorted=True).values[:, -1]
    last = last[graphs.graph_of]
    return (scores >= last - _TIE * (1 + last.abs())) & graphs.mask.unsqueeze(1)


def reach(graphs: GraphBatch, seeds: Tensor, hops: int) -> Tensor:
    """The nodes within so many hops of the seeds, seeds included; both (R, M), of bool."""
    found = seeds
    for _ in range(hops):
        near = found.to(torch.get_default_dtype())
        found = found | (neighbour_sum(graphs, near) > 0)
    return found
