"""Sums over the neighbours of every node, and over the nodes of every graph."""

from __future__ import annotations

from torch import Tensor

from prune4sed.nn import kernels
from prune4sed.nn.arcs import Arcs, every_arc
from prune4sed.nn.batch import GraphBatch

__all__ = ["gather_sources", "graph_sum", "listed", "neighbour_sum", "sum_at_ends"]


def neighbour_sum(graphs: GraphBatch, x: Tensor) -> Tensor:
    """Sum of the features of every node's neighbours.

    Parameters
    ----------
    graphs : GraphBatch
        Graphs of R rows.
    x : Tensor, (R, ...)
        Features.

    Returns
    -------
    Tensor, (R, ...)
    """
    if kernels.usable(x.device):
        return kernels.neighbour_sum(graphs.links, x.flatten(1)).view_as(x)
    arcs = listed(graphs)
    if arcs.pattern is not None:
        return arcs.pattern.times(x.flatten(1)).view_as(x)
    return sum_at_ends(graphs, gather_sources(graphs, x))


def gather_sources(graphs: GraphBatch, x: Tensor) -> Tensor:
    """The features of the node that every arc starts at, (E, ...)."""
    return x.index_select(0, listed(graphs).sources)


def sum_at_ends(graphs: GraphBatch, messages: Tensor) -> Tensor:
    """Sum of the messages (E, ...) of all real arcs into every node, (R, ...)."""
    arcs = listed(graphs)
    real = messages * arcs.mask.view(-1, *[1] * (messages.dim() - 1))
    return messages.new_zeros((graphs.rows, *messages.shape[1:])).index_add(0, arcs.ends, real)


def graph_sum(graphs: GraphBatch, x: Tensor) -> Tensor:
    """Sum of the features (R, ...) of the nodes of every graph, (B, ...); 0 for rows that are no nodes."""
    if kernels.usable(x.device):
        return kernels.graph_sum(graphs.starts, graphs.graph_of, x.flatten(1)).view(-1, *x.shape[1:])
    sums = x.new_zeros((len(graphs), *x.shape[1:]))
    return sums.index_add(0, graphs.graph_of, x)


def listed(graphs: GraphBatch) -> Arcs:
    """The list of arcs: it is there wherever no kernel serves, and made where one does."""
    return every_arc(graphs.links, graphs.most_arcs) if graphs.arcs is None else graphs.arcs
