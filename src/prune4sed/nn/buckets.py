"""Which pairs go together: pairs of like size in one bucket, so that little is padded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prune4sed.nn.batch import Shape
from prune4sed.nn.device_set import DeviceSet

__all__ = ["BucketPlan", "plan_buckets", "plan_graphs", "rung"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class BucketPlan:
    """The pairs of one bucket, by their row in the list of pairs, and what they are padded to."""

    rows: Longs
    shape: Shape


def rung(sizes: Longs) -> Longs:
    """Sizes rounded up to 4, 6, 8, 12, 16, 24, 32, 48 and so on: few shapes, and at most a third is padding.

    Examples
    --------
    >>> rung(np.array([0, 4, 5, 9, 13, 33, 73])).tolist()
    [4, 4, 6, 12, 16, 48, 96]
    """
    sizes = np.maximum(sizes, 4)
    power = 2 ** np.ceil(np.log2(sizes)).astype(np.int64)
    return np.where(sizes <= power * 3 // 4, power * 3 // 4, power)


def plan_buckets(
    queries: DeviceSet,
    targets: DeviceSet,
    index: Longs,
    nodes: int,
    batch_size: int | None = None,
    rounded: bool = False,
) -> list[BucketPlan]:
    """Split pairs into buckets of like target size.

    Parameters
    ----------
    queries, targets : DeviceSet
        The graphs.
    index : array of int64, (pairs, 2)
        Positions of query and target.
    nodes : int
        About as many target nodes as one bucket may hold, padding included.
    batch_size : int, optional
        No more pairs than this in a bucket.
    rounded : bool
        Whether shapes are rounded up to a few, for compiled code that is made once per shape.

    Returns
    -------
    list of BucketPlan
        Every row of `index` is in exactly one of them.
    """
    num_nodes, num_arcs = targets.num_nodes[index[:, 1]], targets.num_arcs[index[:, 1]]
    query_nodes, query_arcs = queries.num_nodes[index[:, 0]], queries.num_arcs[index[:, 0]]
    plans = []
    for rows in _chunks(num_nodes, num_arcs, nodes, batch_size, rounded):
        columns = (query_nodes, query_arcs, num_nodes, num_arcs)
        sizes = np.array([max(1, int(column[rows].max())) for column in columns])
        plans.append(BucketPlan(rows, Shape(*(rung(sizes) if rounded else sizes).tolist())))
    return plans


def plan_graphs(
    graphs: DeviceSet, positions: Longs, nodes: int, batch_size: int | None = None
) -> list[Longs]:
    """Split single graphs, by position, into lists of like size; what comes back are rows of `positions`."""
    sizes = graphs.num_nodes[positions], graphs.num_arcs[positions]
    return list(_chunks(*sizes, nodes, batch_size, rounded=False))


def _chunks(
    num_nodes: Longs, num_arcs: Longs, nodes: int, batch_size: int | None, rounded: bool
) -> Iterator[Longs]:
    """Rows in order of size, cut wherever the budget of nodes or the next rung is reached."""
    key = rung(num_nodes) if rounded else np.maximum(num_nodes, 1)
    order = np.lexsort((num_arcs, num_nodes))
    stop = len(order)
    while stop:
        # From the largest down: the first one taken decides what the others are padded to.
        size = int(key[order[stop - 1]])
        count = max(1, nodes // size)
        count = count if batch_size is None else min(count, batch_size)
        start = max(0, stop - count)
        if rounded:
            start = max(start, int(np.searchsorted(key[order], size, side="left")))
        yield order[start:stop]
        stop = start
