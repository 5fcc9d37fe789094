"""A round of messages between pairs (query node, target node): what SED adds up, made soft."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

from prune4sed.nn import kernels
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.bend import Bend
from prune4sed.nn.neighbours import graph_sum, listed, neighbour_sum, sum_at_ends
from prune4sed.nn.padding import pad_rows, unpad_rows

__all__ = ["BOUND", "PairGrid", "PairLayer", "PairScore"]

# Scores of candidates that are no nodes, and the least log claim that is told apart from none.
_NEVER, _LEAST = -1e4, -16.0
# Most features of pairs are well below. What grows from layer to layer would grow beyond all bounds, and the
# few pairs where it does would decide every step of training.
BOUND = 64.0


class PairGrid(NamedTuple):
    """R rows of query nodes of B pairs, with C candidates each: "deleted", and the target nodes kept.

    Attributes
    ----------
    queries : GraphBatch
        The queries, one for each pair.
    there : Tensor of bool, (B, C)
        Which candidates there are.
    edges : Tensor, (L, B, C, C)
        Which candidates are neighbours, for each of L edge labels.
    log_keep : Tensor, (B, C)
        Logarithm of the keep probability of each candidate.
    node_costs : Tensor, (R, C)
        What a query node costs there without its edges: 0 if the labels agree, and 1 otherwise.
    degrees : Tensor, (R,)
        Numbers of edges of query nodes.
    """

    queries: GraphBatch
    there: Tensor
    edges: Tensor
    log_keep: Tensor
    node_costs: Tensor
    degrees: Tensor

    def of_rows(self, x: Tensor) -> Tensor:
        """What belongs to pairs (B, ...) for each of their rows, (R, ...)."""
        return x.index_select(0, self.queries.graph_of)

    def near(self, claims: Tensor) -> Tensor:
        """How strongly neighbours of each candidate are claimed, by edges of each label, (L, R, M, C)."""
        padded = pad_rows(self.queries, claims)
        near = [(padded.flatten(1, 2) @ edges).view(padded.shape) for edges in self.edges]
        found = [unpad_rows(self.queries, x).float() for x in near]
        return torch.stack(found) if len(found) > 1 else found[0].unsqueeze(0)

    def over_edges(self, values: Tensor) -> Tensor:
        """The sum over a query node's edges of the values (L, R, M, C) for their label, at the other end."""
        if len(values) == 1:
            return neighbour_sum(self.queries, values.squeeze(0))
        return _labelled_sum(self.queries, values)


class PairScore(nn.Module):
    """How strongly every query node claims each candidate: M heads, log-softmax over candidates.

    Parameters
    ----------
    width : int
        Of the pair features.
    heads : int
        M.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.score = nn.Linear(width, heads, bias=False)  # the softmax would take a bias off again
        self.trust = nn.Parameter(torch.ones(heads, 1))

    def forward(self, x: Tensor, grid: PairGrid) -> Tensor:
        """From (R, C, width) to (R, M, C)."""
        scores: Tensor = self.score(x).mT + self.trust * grid.of_rows(grid.log_keep).unsqueeze(1)
        scores = scores.float().masked_fill(~grid.of_rows(grid.there).unsqueeze(1), _NEVER)
        return scores.log_softmax(-1)

    def claims(self, x: Tensor, grid: PairGrid) -> tuple[Tensor, Tensor]:
        """With kernels, the claims themselves, 0 in rows that are no nodes; and `x`, to go on with."""
        queries = grid.queries
        if x.shape[1] > kernels.MOST_CANDIDATES:
            return (self(x, grid).exp() * queries.mask[:, None, None]).contiguous(), x
        weights, candidates = (self.score.weight, self.trust), (grid.log_keep, grid.there)
        return kernels.pair_claim(x, weights, candidates, (queries.mask, queries.starts, queries.graph_of))


class PairLayer(nn.Module):
    """Query nodes claim candidates, look where their neighbours' claims are, compete, and think again.

    An edge (u, w) of the query is worth something to u -> v if w claims neighbours of v: the logarithm of the
    claim, with a floor for the edge that is paid for instead, scaled to lie between 0 and 1. Whoever else
    claims v speaks against it, for a target node serves one query node.

    Parameters
    ----------
    width : int
        Of the pair features.
    heads : int
        Independent claims, each with a floor of its own.
    leak : float
        What is let through of negative numbers.
    bound : float
        New features are no larger; 0 for any size.
    """

    def __init__(self, width: int, heads: int, leak: float = 0.0, bound: float = 0.0) -> None:
        super().__init__()
        self.bound = bound
        self.claim = PairScore(width, heads)
        self.floor = nn.Parameter(torch.linspace(math.log(1e-3), math.log(1.0), heads).view(heads, 1))
        self.first = nn.Linear(width + 4 * heads, 2 * width)
        self.bend = Bend(2 * width, leak)
        self.second = nn.Linear(2 * width, width)

    def forward(self, x: Tensor, grid: PairGrid) -> Tensor:
        """New pair features, (R, C, width)."""
        if kernels.usable(x.device) and kernels.fits_pairs(x, x.shape[2], len(self.floor)):
            return self._fused(x, grid)
        logs = self.claim(x, grid)
        claims = logs.exp() * grid.queries.mask[:, None, None]
        others = _others(claims, grid)
        told = [
            logs.clamp(min=_LEAST) / 4,
            self._edges(claims, grid),
            others.log1p(),
            claims / (claims + others + 1e-6),
        ]
        seen = torch.cat(told, 1).mT.to(x.dtype)
        hidden = self.bend(self.first(torch.cat([x, seen], -1)))
        out: Tensor = x + self.second(hidden)
        return self._bounded(out) if self.bound else out

    def _bounded(self, x: Tensor) -> Tensor:
        """Nothing is learnt from features at the bounds or beyond."""
        return torch.where(x.abs() < self.bound, x, x.detach().clamp(-self.bound, self.bound))

    def _fused(self, x: Tensor, grid: PairGrid) -> Tensor:
        """The same in few kernels."""
        queries = grid.queries
        claims, x = self.claim.claims(x.contiguous(), grid)
        near, total, claims = kernels.pair_near(claims, grid.edges, self.floor, queries.starts, queries.width)
        layers = self.first.weight, self.first.bias, self.second.weight, self.second.bias
        batch, limits = (queries.starts, queries.graph_of), (self.bend.slopes(x), self.bound)
        return kernels.pair_think(x, claims, grid.over_edges(near), total, layers, batch, limits)

    def _edges(self, claims: Tensor, grid: PairGrid) -> Tensor:
        """How many edges of u find a partner if u goes to v, (R, M, C)."""
        floor = self.floor.exp()
        return grid.over_edges((grid.near(claims) / floor).log1p() / (1 / floor).log1p())


def _others(claims: Tensor, grid: PairGrid) -> Tensor:
    """What all other query nodes together claim of each candidate; "deleted" has room for all."""
    others = (grid.of_rows(graph_sum(grid.queries, claims)) - claims).clamp(min=0)
    return nn.functional.pad(others[..., 1:], (1, 0))


def _labelled_sum(graphs: GraphBatch, x: Tensor) -> Tensor:
    """Sums over neighbours of features (L, R, ...) that depend on the label of the edge, (R, ...)."""
    arcs = listed(graphs)
    assert arcs.labels is not None
    return sum_at_ends(graphs, x.flatten(0, 1).index_select(0, arcs.labels * graphs.rows + arcs.sources))
