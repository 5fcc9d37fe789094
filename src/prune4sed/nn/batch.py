"""Batches of graphs and of pairs, padded to a common size and gathered on the device by index arithmetic."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from prune4sed.nn.device_set import DeviceSet
from prune4sed.nn.sparse import Pattern, sparse_pays

__all__ = ["Bucket", "GraphBatch", "Shape", "graph_batch", "make_bucket"]

# Up to this many nodes a dense adjacency is worth its memory; larger graphs sum over their arcs.
DENSE_NODES = 1024


@dataclass(frozen=True)
class Shape:
    """What the graphs of a bucket are padded to."""

    query_nodes: int
    query_arcs: int
    target_nodes: int
    target_arcs: int


@dataclass(frozen=True, eq=False)
class GraphBatch:
    """B graphs, each padded to N nodes and E arcs.

    Attributes
    ----------
    labels : Tensor of int64, (B, N)
        Label numbers; 0 where there is no node.
    mask : Tensor of bool, (B, N)
        Which nodes are real.
    sources, ends : Tensor of int64, (B, E)
        Where arcs start and end, as rows of the B * N nodes of the whole batch. An arc that is not real goes
        from a node of its own graph to the same node, each to another one: if all of them met in one row, a
        GPU would add them up one at a time.
    arc_mask : Tensor of bool, (B, E)
        Which arcs are real.
    arc_labels : Tensor of int64, (B, E), or None
        Edge label numbers.
    adjacency : Tensor, (B, N, N), or None
        1 where an arc goes from column to row; None for graphs too large for it, and where `pattern` serves.
    pattern : Pattern, or None
        All real arcs as one sparse matrix of B * N rows, for prediction on a CPU.
    """

    labels: Tensor
    mask: Tensor
    sources: Tensor
    ends: Tensor
    arc_mask: Tensor
    arc_labels: Tensor | None
    adjacency: Tensor | None
    pattern: Pattern | None = None

    def __len__(self) -> int:
        return int(self.labels.shape[0])


@dataclass(frozen=True, eq=False)
class Bucket:
    """Pairs of one shape.

    Attributes
    ----------
    query, target : GraphBatch
        The graphs.
    query_of : Tensor of int64, (B,), or None
        Which row of `query` belongs to each target; None if the i-th belongs to the i-th.
    """

    query: GraphBatch
    target: GraphBatch
    query_of: Tensor | None = None

    def __len__(self) -> int:
        return len(self.target)


def graph_batch(
    graphs: DeviceSet, positions: Tensor, nodes: int, arcs: int, dense: bool | None = None
) -> GraphBatch:
    """Gather graphs by position, padded to `nodes` and `arcs`; never waits for the device.

    Parameters
    ----------
    graphs : DeviceSet
        Where they are.
    positions : Tensor of int64, (B,)
        Which ones, on the same device.
    nodes, arcs : int
        At least as many as any of the graphs has, and at least 1.
    dense : bool, optional
        Whether to build the dense adjacency; by default for graphs that are not too large, unless a sparse
        one is faster here.

    Returns
    -------
    GraphBatch
    """
    device = graphs.device
    first, count = _range(graphs.node_starts, positions)
    slot = torch.arange(nodes, device=device)
    mask = slot < count
    labels = _pick(graphs.labels, first + slot, mask)
    first, count = _range(graphs.arc_starts, positions)
    place = torch.arange(arcs, device=device)
    arc_mask = place < count
    where, idle = first + place, place % nodes
    base = torch.arange(len(positions), device=device).unsqueeze(1) * nodes
    sources = base + torch.where(arc_mask, _pick(graphs.sources, where, arc_mask), idle)
    ends = base + torch.where(arc_mask, _pick(graphs.ends, where, arc_mask), idle)
    arc_labels = None if graphs.arc_labels is None else _pick(graphs.arc_labels, where, arc_mask)
    adjacency = pattern = None
    if dense is None and sparse_pays(device):
        pattern = Pattern.of(sources[arc_mask], ends[arc_mask], mask.numel())
    elif dense if dense is not None else nodes <= DENSE_NODES:
        adjacency = _adjacency(sources - base, ends, arc_mask, nodes)
    return GraphBatch(labels, mask, sources, ends, arc_mask, arc_labels, adjacency, pattern)


def make_bucket(
    queries: DeviceSet,
    targets: DeviceSet,
    query_positions: Tensor,
    target_positions: Tensor,
    shape: Shape,
    query_of: Tensor | None = None,
) -> Bucket:
    """Gather pairs of graphs.

    Parameters
    ----------
    queries, targets : DeviceSet
        Where the graphs are, both on one device.
    query_positions, target_positions : Tensor of int64
        The i-th query belongs to the i-th target, unless `query_of` says which.
    shape : Shape
        What to pad them to.
    query_of : Tensor of int64, (targets,), optional
        For pairs that share queries: which of `query_positions` belongs to each target.

    Returns
    -------
    Bucket
    """
    return Bucket(
        graph_batch(queries, query_positions, shape.query_nodes, shape.query_arcs),
        graph_batch(targets, target_positions, shape.target_nodes, shape.target_arcs),
        query_of,
    )


def _range(starts: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
    """First item and number of items of the chosen graphs, as columns."""
    first = starts[positions]
    return first.unsqueeze(1), (starts[positions + 1] - first).unsqueeze(1)


def _pick(values: Tensor, where: Tensor, mask: Tensor) -> Tensor:
    """``values[where]`` where the mask holds and 0 elsewhere; places outside the array are never read."""
    if len(values) == 0:
        return torch.zeros_like(where)
    return values[torch.where(mask, where, 0)] * mask


def _adjacency(sources: Tensor, ends: Tensor, mask: Tensor, nodes: int) -> Tensor:
    """1 at (end, source) of every real arc; the others add nothing to the place they point at."""
    cells = torch.zeros(len(sources) * nodes * nodes, device=sources.device)
    cells.index_add_(0, (ends * nodes + sources).flatten(), mask.flatten().to(cells.dtype))
    return cells.view(len(sources), nodes, nodes)
