"""Which target nodes to keep for a query: a keep probability per node, and the best of them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.mlp import mlp
from prune4sed.nn.neighbours import neighbour_sum
from prune4sed.nn.padding import pad_rows, padded_mask

__all__ = ["KeepHead", "Kept", "keep_best", "keep_count", "keep_counts"]

# Logits this close are one: which of two like nodes is kept must not hang on the last bit of a sum. None is
# larger than the second number.
_TIE, _LARGE = 2e-5, 1e6
# Logits beyond the first are as good as certain; the second stands for the neighbours of a node without.
_MOST, _ALONE = 12.0, 1e-3
# Up to this many query nodes `keep` target nodes are kept, for larger queries more in proportion.
_USUAL_QUERY = 25


class Kept(NamedTuple):
    """The target nodes that are kept for B pairs, at most K for each.

    Attributes
    ----------
    rows : Tensor of int64, (B, K)
        Their rows, the best first; any row where there is none.
    mask : Tensor of bool, (B, K)
        Which of these places are nodes.
    place : Tensor of int64, (R,)
        Where each row stands among the K; K for rows that are not kept.
    """

    rows: Tensor
    mask: Tensor
    place: Tensor

    @property
    def size(self) -> int:
        """K."""
        return int(self.rows.shape[1])

    def take(self, x: Tensor) -> Tensor:
        """The features (R, ...) of these nodes, (B, K, ...)."""
        return x.index_select(0, self.rows.flatten()).view(*self.rows.shape, *x.shape[1:])


class KeepHead(nn.Module):
    """Keep probabilities, before the sigmoid: what counting tells, corrected by query-aware node features.

    Parameters
    ----------
    width : int
        Of the features.
    leak : float
        What is let through of negative numbers.
    """

    def __init__(self, width: int, leak: float = 0.0) -> None:
        super().__init__()
        self.trust = nn.Parameter(torch.ones(()))
        self.mlp = mlp(width + 1, width, 1, leak=leak)

    def forward(self, x: Tensor, use: Tensor) -> Tensor:
        """From features (R, width) and the logarithm of use (R,) to (R,)."""
        corrected: Tensor = self.mlp(torch.cat([x, use.unsqueeze(1)], 1))
        return corrected.squeeze(1) + self.trust * use


def keep_count(query_nodes: int, keep: int) -> int:
    """How many target nodes are kept for a query of so many nodes: `keep`, or more for a large one.

    Examples
    --------
    >>> keep_count(10, 63), keep_count(50, 63)
    (63, 126)
    """
    return max(keep, keep * query_nodes // _USUAL_QUERY)


def keep_counts(query_nodes: Tensor, keep: int) -> Tensor:
    """The same for many queries, on their device."""
    return (keep * query_nodes // _USUAL_QUERY).clamp(min=keep)


def keep_best(target: GraphBatch, logits: Tensor, counts: Tensor, most: int) -> Kept:
    """The best nodes of every target.

    Parameters
    ----------
    target : GraphBatch
        B targets of R rows.
    logits : Tensor, (R,)
        Of keep probabilities. Those of its neighbours speak for a node too.
    counts : Tensor of int64, (B,)
        How many to keep of each; smaller targets keep all.
    most : int
        The largest of `counts`, known on the host.

    Returns
    -------
    Kept
        With K no larger than the largest target.
    """
    ranks = _ranks(target, _with_company(target, logits.detach()))
    size = min(most, ranks.shape[1])
    best = ranks.topk(size, dim=1).indices
    at = torch.arange(size, device=best.device)
    mask = at < torch.minimum(counts, target.sizes).unsqueeze(1)
    rows = (target.starts[:-2].unsqueeze(1) + best).where(mask, target.rows)
    place = torch.full((target.rows + 1,), size, device=best.device)
    place.scatter_(0, rows.flatten(), at.expand_as(rows).flatten())
    # The row beyond the last caught what is no node. Such places point to all rows in turn: if they met in
    # one, a GPU would add up their gradients one at a time.
    idle = torch.arange(rows.numel(), device=rows.device).view_as(rows) % target.rows
    return Kept(rows.where(mask, idle), mask, place[:-1])


@torch.no_grad()
def _with_company(target: GraphBatch, logits: Tensor) -> Tensor:
    """Logits with those of the neighbours, and of theirs: a match needs nodes that hang together."""
    alone = logits.nan_to_num().clamp(-_MOST, _MOST)
    found = alone
    for _ in range(2):
        found = alone + _log_sum(target, found) / 2
    return found


def _log_sum(target: GraphBatch, x: Tensor) -> Tensor:
    """Logarithm of the sum of exponentials over neighbours, (R,); small for a node without."""
    sums = neighbour_sum(target, (x.exp() * target.mask).unsqueeze(1)).squeeze(1)
    return (sums + _ALONE).log()


def _ranks(target: GraphBatch, logits: Tensor) -> Tensor:
    """Whole numbers in the order of logits, all different, (B, N); of equals the first node goes first."""
    steps = (logits.nan_to_num().clamp(-_LARGE, _LARGE) / _TIE).round().long()
    padded = pad_rows(target, steps).masked_fill(~padded_mask(target), int(-2 * _LARGE / _TIE))
    nodes = padded.shape[1]
    return padded * nodes - torch.arange(nodes, device=padded.device)
