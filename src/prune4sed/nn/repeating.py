"""Graphs of a batch again, as often as they are asked for."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from prune4sed.nn.arcs import Links, list_arcs
from prune4sed.nn.batch import GraphBatch

__all__ = ["repeat_graphs"]


def repeat_graphs(
    graphs: GraphBatch, which: Tensor, rows: int | None = None, arcs: int | None = None
) -> tuple[GraphBatch, Tensor]:
    """A batch of some graphs of another, and where its rows come from.

    Never waits for the device if `rows` and `arcs` are given.

    Parameters
    ----------
    graphs : GraphBatch
        The graphs.
    which : Tensor of int64, (B,)
        The graphs to take, in order, any of them several times; at least one.
    rows, arcs : int, optional
        At least as many as all of them have; by default exactly as many.

    Returns
    -------
    tuple of GraphBatch and Tensor of int64, (R,)
        The new batch of R rows, and the row of `graphs` that each is a copy of.
    """
    ends = graphs.sizes[which].cumsum(0)
    total = max(1, int(ends[-1]) if rows is None else rows)
    starts = torch.nn.functional.pad(torch.nn.functional.pad(ends, (1, 0)), (0, 1), value=total)
    row = torch.arange(total, device=ends.device)
    graph_of = torch.searchsorted(ends, row, right=True).clamp(max=len(which) - 1)
    mask, base = row < ends[-1], starts[graph_of]
    # A batch of nothing has one row that is no node, and so has this one then.
    source = (graphs.starts[which][graph_of] + row - base).clamp(max=graphs.rows - 1)
    links, labels = _links(graphs, source, base)
    links = links._replace(last=links.last.where(mask, links.first))
    count = int((links.last - links.first).sum()) if arcs is None else arcs
    return replace(
        graphs,
        labels=graphs.labels[source] * mask,
        mask=mask,
        graph_of=graph_of,
        starts=starts,
        links=links,
        arcs=list_arcs(links, count, labels),
        most_arcs=count,
    ), source


def _links(graphs: GraphBatch, source: Tensor, base: Tensor) -> tuple[Links, Tensor | None]:
    """Where the neighbours of copied rows are, and the labels of the arcs there."""
    links, arcs = graphs.links, graphs.arcs
    if arcs is None or arcs.labels is None:
        return Links(links.first[source], links.last[source], base, links.neighbours), None
    # Labels are at hand in the order of the batch's own list only, so that is where to look.
    counts = links.last - links.first
    last = counts.cumsum(0)
    neighbours = arcs.sources - links.base[arcs.ends]
    return Links((last - counts)[source], last[source], base, neighbours), arcs.labels
