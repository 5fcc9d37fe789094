"""Pruned graphs without the nodes that were pruned: only rows that are there, side by side."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.neighbours import listed
from prune4sed.nn.sparse import Pattern

__all__ = ["PackedRows"]


@dataclass(frozen=True, slots=True, eq=False)
class PackedRows:
    """The kept nodes of B graphs under M prunings, and the arcs between them.

    How many rows there are is only known once they are counted, so this is for prediction on a CPU, where
    counting costs nothing.

    Attributes
    ----------
    nodes : Tensor of int64, (rows,)
        Which row of the batch each row is, graph by graph and within it head by head.
    heads : Tensor of int64, (rows,)
        Which pruning it belongs to.
    arcs : Pattern
        Arcs between rows of the same pruning.
    groups : Pattern
        Rows of each of the B * M pruned graphs.
    """

    nodes: Tensor
    heads: Tensor
    arcs: Pattern
    groups: Pattern

    @classmethod
    def of(cls, graphs: GraphBatch, there: Tensor) -> PackedRows:
        """From the nodes that are there, of bool, (R, M)."""
        heads, arcs = there.shape[1], listed(graphs)
        node, head = there.nonzero().unbind(1)
        group = graphs.graph_of[node] * heads + head
        order = torch.argsort(group, stable=True)
        node, head = node[order], head[order]
        number = torch.full(there.shape, -1)
        number[node, head] = torch.arange(len(node))
        source, end = number[arcs.sources], number[arcs.ends]
        both = (source >= 0) & (end >= 0) & arcs.mask.unsqueeze(1)
        source, end = source[both], end[both]
        order = torch.argsort(end, stable=True)
        sizes = torch.bincount(group, minlength=len(graphs) * heads)
        return cls(node, head, Pattern.of(source[order], end[order], len(node)), Pattern.groups(sizes))
