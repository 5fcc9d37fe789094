"""How well target nodes fit into a match, by counting alone: where to look before anything is learnt."""

from __future__ import annotations

import torch
from torch import Tensor

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.dense import adjacency
from prune4sed.nn.neighbours import graph_sum, neighbour_sum
from prune4sed.nn.padding import pad_rows, padded_mask, unpad_rows

__all__ = ["log_use"]

# Rounds in which neighbourhoods are compared; the power that tells good fits from fair ones; what a node
# counts whose neighbours fit nothing; and the least use.
_ROUNDS, _POWER, _AT_LEAST, _LEAST = 2, 4, 0.02, 1e-4


@torch.no_grad()
def log_use(queries: GraphBatch, target: GraphBatch) -> Tensor:
    """Logarithm of how much use the query has for every target node.

    A target node fits a query node of its label as far as the query node's neighbours, each on its own, fit
    one of its neighbours. Every query node has one unit of use, which it spreads over what fits it: nodes
    that are rarely to be had come to more than those that could be any.

    Parameters
    ----------
    queries, target : GraphBatch
        As many queries as targets, of R rows.

    Returns
    -------
    Tensor, (R,)
    """
    labels, there = pad_rows(queries, queries.labels), padded_mask(queries)
    same = (labels[target.graph_of] == target.labels.unsqueeze(1)) & there[target.graph_of]
    same = (same & target.mask.unsqueeze(1)).to(torch.get_default_dtype())
    place = queries.local().where(queries.mask, queries.width)
    edges = adjacency(queries, place, queries.width)[0]
    degrees = edges.sum(2).clamp(min=1)[target.graph_of]
    fit = same
    for _ in range(_ROUNDS):
        near = neighbour_sum(target, fit).clamp(max=1)
        found = unpad_rows(target, pad_rows(target, near) @ edges) / degrees
        fit = same * (_AT_LEAST + (1 - _AT_LEAST) * found)
    weight = fit.pow(_POWER)
    shares = weight / (graph_sum(target, weight)[target.graph_of] + 1e-9)
    return (shares.sum(1) + _LEAST).log()
