"""Sums over the neighbours of every node."""

from __future__ import annotations

from torch import Tensor

from prune4sed.nn.batch import GraphBatch

__all__ = ["gather_sources", "neighbour_sum", "sum_at_ends", "weighted_sum"]


def neighbour_sum(graphs: GraphBatch, x: Tensor) -> Tensor:
    """Sum of the features of every node's neighbours.

    Parameters
    ----------
    graphs : GraphBatch
        B graphs of N nodes.
    x : Tensor, (B, N, ...)
        Features; those of nodes that are not real do not matter.

    Returns
    -------
    Tensor, (B, N, ...)
    """
    if graphs.pattern is not None:
        return graphs.pattern.times(x.reshape(graphs.mask.numel(), -1)).view_as(x)
    if graphs.adjacency is not None:
        return (graphs.adjacency.to(x.dtype) @ x.flatten(2)).view_as(x)
    return sum_at_ends(graphs, gather_sources(graphs, x))


def gather_sources(graphs: GraphBatch, x: Tensor) -> Tensor:
    """The features of the node that every arc starts at, (B, E, ...)."""
    rows = x.flatten(0, 1).index_select(0, graphs.sources.flatten())
    return rows.view(*graphs.sources.shape, *x.shape[2:])


def weighted_sum(graphs: GraphBatch, weights: Tensor, x: Tensor) -> Tensor:
    """Sum of the features (B, N, width) of every node's neighbours, times the weights (B, E) of the arcs."""
    if graphs.pattern is not None:
        return graphs.pattern.times(x.flatten(0, 1), weights[graphs.arc_mask]).view_as(x)
    return sum_at_ends(graphs, weights.unsqueeze(-1) * gather_sources(graphs, x))


def sum_at_ends(graphs: GraphBatch, messages: Tensor) -> Tensor:
    """Sum of the messages (B, E, ...) of all real arcs into every node, (B, N, ...)."""
    mask = graphs.arc_mask.view(*graphs.arc_mask.shape, *[1] * (messages.dim() - 2))
    flat = (messages * mask).flatten(0, 1)
    sums = flat.new_zeros((graphs.mask.numel(), *flat.shape[1:]))
    return sums.index_add(0, graphs.ends.flatten(), flat).view(*graphs.mask.shape, *flat.shape[1:])
