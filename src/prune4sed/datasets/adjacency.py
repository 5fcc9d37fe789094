"""Neighbours of all nodes of a set of graphs at once, for loops over steps instead of over graphs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prune4sed.graphset import GraphSet

__all__ = ["Adjacency", "spans"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """Sorted neighbour lists of every graph of a set, one after another.

    Node ``v`` of graph ``g`` has the row ``offsets[g] + v``; its neighbours, numbered within the graph, are
    ``neighbours[starts[row]:starts[row + 1]]``.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> path = Graph(["C"] * 3, [(2, 1), (1, 0)])
    >>> both = Adjacency.of(GraphSet([Graph(["O"]), path]))
    >>> row = both.offsets[1] + 1
    >>> both.neighbours[both.starts[row] : both.starts[row + 1]].tolist()
    [0, 2]
    """

    offsets: Longs
    starts: Longs
    neighbours: NDArray[np.int32]

    @classmethod
    def of(cls, graphs: GraphSet) -> Adjacency:
        """The lists of a set."""
        from scipy.sparse import coo_array

        offsets = graphs.node_offsets - graphs.node_offsets[0]
        first, last = graphs.edge_offsets[0], graphs.edge_offsets[-1]
        edges = graphs.edges[first:last]
        base = np.repeat(offsets[:-1], graphs.num_edges)
        rows = np.concatenate([base + edges[:, 0], base + edges[:, 1]])
        ends = np.concatenate([edges[:, 1], edges[:, 0]])
        widest = int(graphs.num_nodes.max(initial=1))
        # scipy sorts by row, then by column, in linear time; the values do not matter.
        there = np.ones(len(rows), dtype=bool)
        table = coo_array((there, (rows, ends)), shape=(int(offsets[-1]), widest)).tocsr()
        table.sort_indices()
        return cls(offsets, table.indptr.astype(np.int64), table.indices.astype(np.int32))

    def around(self, rows: Longs) -> tuple[Longs, NDArray[np.int32]]:
        """Neighbours of the given rows: which of the rows each belongs to, and its number in the graph."""
        owner, where = spans(self.starts[rows], self.starts[rows + 1] - self.starts[rows])
        return owner, self.neighbours[where]


def spans(starts: Longs, lengths: Longs) -> tuple[Longs, Longs]:
    """All positions of many ranges, one range after another, and which range each belongs to.

    Examples
    --------
    >>> owner, where = spans(np.array([5, 0]), np.array([2, 3]))
    >>> owner.tolist(), where.tolist()
    ([0, 0, 1, 1, 1], [5, 6, 0, 1, 2])
    """
    owner = np.repeat(np.arange(len(lengths)), lengths)
    shift = starts - (np.cumsum(lengths) - lengths)
    return owner, np.arange(len(owner)) + shift[owner]
