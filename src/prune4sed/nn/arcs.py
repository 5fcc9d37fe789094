"""The arcs of a batch: as ranges in the arrays of the set, and as a list of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from prune4sed.nn.kernels import usable
from prune4sed.nn.sparse import Pattern, sparse_pays

__all__ = ["Arcs", "Links", "every_arc", "list_arcs"]


class Links(NamedTuple):
    """Where the neighbours of R rows are.

    Row ``r`` has the neighbours ``base[r] + neighbours[first[r]:last[r]]``. Every edge is there both ways, so
    sums over the arcs into a row are sums over those out of it too.

    Attributes
    ----------
    first, last : Tensor of int64, (R,)
        Range of arcs.
    base : Tensor of int64, (R,)
        First row of the row's graph.
    neighbours : Tensor of int64, (arcs of the whole set,)
        Node numbers within graphs.
    """

    first: Tensor
    last: Tensor
    base: Tensor
    neighbours: Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Arcs:
    """E arcs, sorted by where they end.

    Attributes
    ----------
    sources, ends : Tensor of int64, (E,)
        Rows.
    mask : Tensor of bool, (E,)
        Which arcs are real. One that is not goes from a row to the same row, each from another one: if all of
        them met in one row, a GPU would add them up one at a time.
    labels : Tensor of int64, (E,), or None
        Edge label numbers.
    pattern : Pattern, or None
        The same as a sparse matrix, for prediction on a CPU.
    """

    sources: Tensor
    ends: Tensor
    mask: Tensor
    labels: Tensor | None
    pattern: Pattern | None


def list_arcs(links: Links, count: int, labels: Tensor | None) -> Arcs | None:
    """The arcs of a batch, padded to `count`; None where kernels do without the list."""
    if labels is None and usable(links.first.device):
        return None
    return every_arc(links, count, labels)


def every_arc(links: Links, count: int, labels: Tensor | None = None) -> Arcs:
    """The arcs of a batch, padded to `count`, wherever they are."""
    if len(links.neighbours) == 0:  # the set has no arcs; one to point at saves many questions below
        links = links._replace(neighbours=links.neighbours.new_zeros(1))
        labels = None if labels is None else labels.new_zeros(1)
    stops = (links.last - links.first).cumsum(0)
    rows = len(stops)
    place = torch.arange(count, device=stops.device)
    row = torch.searchsorted(stops, place, right=True)
    mask = row < rows
    idle = place % max(1, rows)
    ends = torch.where(mask, row, idle)
    before = torch.nn.functional.pad(stops, (1, 0))[ends]
    where = torch.where(mask, links.first[ends] + place - before, 0)
    sources = torch.where(mask, links.base[ends] + links.neighbours[where], idle)
    numbers = None if labels is None else labels[where] * mask
    return Arcs(sources, ends, mask, numbers, _pattern(stops, sources))


def _pattern(stops: Tensor, sources: Tensor) -> Pattern | None:
    if not sparse_pays(stops.device):
        return None
    return Pattern(torch.nn.functional.pad(stops, (1, 0)), sources)
