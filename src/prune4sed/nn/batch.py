"""Batches of graphs and of pairs: the nodes of all graphs side by side, gathered on the device.

Nothing is padded but the end: a batch has as many rows as its graphs have nodes, or a fixed number of rows if
its shape must always be the same (a captured CUDA graph wants that), the last of which belong to no graph.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from prune4sed.nn.arcs import Arcs, Links, list_arcs
from prune4sed.nn.device_set import DeviceSet

__all__ = ["Budget", "GraphBatch", "PairBatch", "Part", "graph_batch", "pair_batch"]


@dataclass(frozen=True)
class Budget:
    """Rows and arcs that batches of one kind are padded to; at least as many as any such batch has."""

    query_rows: int
    query_arcs: int
    target_rows: int
    target_arcs: int


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """B graphs as R rows of nodes.

    Attributes
    ----------
    labels : Tensor of int64, (R,)
        Label numbers; 0 where there is no node.
    mask : Tensor of bool, (R,)
        Which rows are nodes.
    graph_of : Tensor of int64, (R,)
        Which graph a row belongs to; for rows that are no nodes, the last.
    starts : Tensor of int64, (B + 2,)
        First row of each graph, of the rows that belong to none, and R.
    links : Links
        Where the neighbours of every row are.
    arcs : Arcs, or None
        All arcs as a list, for everything that has no kernel of its own.
    largest : int
        No graph has more nodes than this.
    most_arcs : int
        The batch has no more arcs than this.
    """

    labels: Tensor
    mask: Tensor
    graph_of: Tensor
    starts: Tensor
    links: Links
    arcs: Arcs | None
    largest: int
    most_arcs: int

    def __len__(self) -> int:
        return len(self.starts) - 2

    @property
    def rows(self) -> int:
        """R."""
        return int(self.labels.shape[0])

    @property
    def sizes(self) -> Tensor:
        """Nodes of every graph, (B,)."""
        return self.starts[1:-1] - self.starts[:-2]

    @property
    def width(self) -> int:
        """Nodes of the largest graph of the batch where that is known at once, and no fewer elsewhere."""
        if self.starts.device.type == "cpu":
            return max(1, int(self.sizes.max()))
        return self.largest

    def local(self) -> Tensor:
        """The number of every row's node within its graph, (R,)."""
        return torch.arange(self.rows, device=self.labels.device) - self.links.base


@dataclass(frozen=True)
class Part:
    """Pairs of a batch that stand side by side and have targets of like size.

    Attributes
    ----------
    first, last : int
        They are pairs ``first:last``.
    largest : int
        No target among them has more nodes.
    budget : Budget, or None
        What to pad them to.
    """

    first: int
    last: int
    largest: int
    budget: Budget | None = None


@dataclass(frozen=True, eq=False)
class PairBatch:
    """Pairs of graphs.

    Attributes
    ----------
    query, target : GraphBatch
        The graphs.
    query_of : Tensor of int64, (targets,), or None
        Which query belongs to each target; None if the i-th belongs to the i-th.
    parts : tuple of Part
        A division of the batch, for models that gain by it; none for a batch in one piece.
    """

    query: GraphBatch
    target: GraphBatch
    query_of: Tensor | None = None
    parts: tuple[Part, ...] = ()

    def __len__(self) -> int:
        return len(self.target)


def graph_batch(
    graphs: DeviceSet,
    positions: Tensor,
    rows: int | None = None,
    arcs: int | None = None,
) -> GraphBatch:
    """Gather graphs by position; never waits for the device if `rows` and `arcs` are given.

    Parameters
    ----------
    graphs : DeviceSet
        Where they are.
    positions : Tensor of int64, (B,)
        Which ones, on the same device; at least one.
    rows, arcs : int, optional
        At least as many as all of them have; by default exactly as many.

    Returns
    -------
    GraphBatch
    """
    device = graphs.device
    if rows is None or arcs is None:
        chosen = positions.cpu().numpy()
        rows = int(graphs.num_nodes[chosen].sum()) if rows is None else rows
        arcs = int(graphs.num_arcs[chosen].sum()) if arcs is None else arcs
    rows = max(1, rows)  # layers need not think of batches without any
    origin = graphs.node_starts[positions]
    ends = (graphs.node_starts[positions + 1] - origin).cumsum(0)
    starts = torch.nn.functional.pad(torch.nn.functional.pad(ends, (1, 0)), (0, 1), value=rows)
    row = torch.arange(rows, device=device)
    graph_of = torch.searchsorted(ends, row, right=True).clamp(max=len(positions) - 1)
    mask = row < ends[-1]
    base = starts[graph_of]
    if len(graphs.labels) == 0:  # nothing but empty graphs
        node, labels = torch.zeros_like(row), torch.zeros_like(row)
        links = Links(node, node, base, graphs.sources)
    else:
        node = torch.where(mask, origin[graph_of] + row - base, 0)
        labels = graphs.labels[node] * mask
        links = Links(graphs.arc_starts[node], graphs.arc_starts[node + mask], base, graphs.sources)
    listed = list_arcs(links, arcs, graphs.arc_labels)
    return GraphBatch(labels, mask, graph_of, starts, links, listed, graphs.largest, arcs)


def pair_batch(
    queries: DeviceSet,
    targets: DeviceSet,
    query_at: Tensor,
    target_at: Tensor,
    budget: Budget | None = None,
    query_of: Tensor | None = None,
) -> PairBatch:
    """Gather pairs of graphs.

    Parameters
    ----------
    queries, targets : DeviceSet
        Where the graphs are, both on one device.
    query_at, target_at : Tensor of int64
        The i-th query belongs to the i-th target, unless `query_of` says which.
    budget : Budget, optional
        What to pad the batch to; by default it has exactly the rows it needs.
    query_of : Tensor of int64, (targets,), optional
        For pairs that share queries: which of `query_at` belongs to each target.

    Returns
    -------
    PairBatch
    """
    query_size = (None, None) if budget is None else (budget.query_rows, budget.query_arcs)
    target_size = (None, None) if budget is None else (budget.target_rows, budget.target_arcs)
    query, target = graph_batch(queries, query_at, *query_size), graph_batch(targets, target_at, *target_size)
    return PairBatch(query, target, query_of)
