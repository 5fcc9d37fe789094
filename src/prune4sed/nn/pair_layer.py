"""A round of messages between pairs (query node, target node): what SED adds up, made soft."""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn

__all__ = ["PairGrid", "PairLayer", "PairScore"]

# Scores of columns that are no nodes, and the least log claim that is told apart from none.
_NEVER, _LEAST = -1e4, -16.0


class PairGrid(NamedTuple):
    """B grids of query nodes (N rows) by candidates (C columns); the first candidate is "deleted".

    Attributes
    ----------
    query_mask, target_mask : Tensor of bool, (B, N) and (B, C)
        Which rows and columns are there.
    query_edges, target_edges : Tensor, (L, B, N, N) and (L, B, C, C)
        Adjacency for each of L edge labels.
    log_keep : Tensor, (B, C)
        Logarithm of the keep probability of each candidate.
    """

    query_mask: Tensor
    target_mask: Tensor
    query_edges: Tensor
    target_edges: Tensor
    log_keep: Tensor


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
        self.score = nn.Linear(width, heads)
        self.trust = nn.Parameter(torch.ones(heads, 1))

    def forward(self, x: Tensor, grid: PairGrid) -> Tensor:
        """From (B, N, C, width) to (B, N, M, C)."""
        scores = self.score(x).transpose(2, 3) + self.trust * grid.log_keep[:, None, None, :]
        scores = scores.float().masked_fill(~grid.target_mask[:, None, None, :], _NEVER)
        return scores.log_softmax(-1)


class PairLayer(nn.Module):
    """Query nodes claim candidates, look where their neighbours' claims are, compete, and think again.

    An edge (u, w) of the query is worth something to u -> v if w claims neighbours of v: the logarithm of the
    claim, with a floor for the edge that is paid for instead, both scaled to lie between 0 and 1. Whoever else
    claims v speaks against it, for a target node serves one query node.

    Parameters
    ----------
    width : int
        Of the pair features.
    heads : int
        Independent claims, each with a floor of its own.
    """

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.claim = PairScore(width, heads)
        self.floor = nn.Parameter(torch.linspace(math.log(1e-3), math.log(1.0), heads).view(heads, 1))
        self.first = nn.Linear(width + 4 * heads, 2 * width)
        self.second = nn.Linear(2 * width, width)

    def forward(self, x: Tensor, grid: PairGrid) -> Tensor:
        """New pair features, (B, N, C, width)."""
        logs = self.claim(x, grid)
        claims = logs.exp() * grid.query_mask[:, :, None, None]
        others = _others(claims)
        told = [
            logs.clamp(min=_LEAST) / 4,
            self._edges(claims, grid),
            others.log1p(),
            claims / (claims + others + 1e-6),
        ]
        seen = torch.cat(told, 2).transpose(2, 3)
        hidden = torch.relu(self.first(torch.cat([x, seen.to(x.dtype)], -1)))
        out: Tensor = x + self.second(hidden)
        return out

    def _edges(self, claims: Tensor, grid: PairGrid) -> Tensor:
        """How many edges of u find a partner if u goes to v, (B, N, M, C)."""
        shape = claims.shape
        floor = self.floor.exp()
        total = torch.zeros_like(claims)
        for query, target in zip(grid.query_edges, grid.target_edges, strict=True):
            near = (claims.flatten(1, 2) @ target).view(shape).float()
            worth = (near / floor).log1p() / (1 / floor).log1p()
            total = total + (query @ worth.flatten(2)).view(shape)
        return total


def _others(claims: Tensor) -> Tensor:
    """What all other query nodes together claim of each candidate; "deleted" has room for all."""
    others = (claims.sum(1, keepdim=True) - claims).clamp(min=0)
    return nn.functional.pad(others[..., 1:], (1, 0))
