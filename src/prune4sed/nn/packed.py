"""Pruned graphs without the nodes that were pruned: only rows that are there, side by side."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from prune4sed.nn.batch import GraphBatch
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
        Which of the B * N nodes each row is, graph by graph and within it head by head.
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
        """From the nodes that are there, of bool, (B, N, M)."""
        kept = there.transpose(1, 2).contiguous()
        size, heads, nodes = kept.shape
        graph, head, node = kept.nonzero().unbind(1)
        number = (kept.flatten().cumsum(0) - 1).view_as(kept)
        first = torch.arange(0, size * nodes, nodes).unsqueeze(1)
        source, end = ((x - first).unsqueeze(1).expand(-1, heads, -1) for x in (graphs.sources, graphs.ends))
        both = kept.gather(2, source) & kept.gather(2, end) & graphs.arc_mask.unsqueeze(1)
        arcs = Pattern.of(number.gather(2, source)[both], number.gather(2, end)[both], len(node))
        return cls(graph * nodes + node, head, arcs, Pattern.groups(kept.sum(2).flatten()))
