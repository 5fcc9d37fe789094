"""Mappings in few bits: an image mostly lies beside the image of a neighbour.

The nodes of a query are taken in breadth-first order. The image of each is one of the unused neighbours of
its parent's image, named by its rank among them; or it is deleted; or it lies elsewhere in the target and is
given by its number. How many candidates there are is known on both sides, and is the context in which the
rank is stored. All pairs of a block take the same step at once, so that numpy does the work.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.adjacency import Adjacency
from prune4sed.datasets.streams import StreamReader, StreamWriter
from prune4sed.errors import FormatError

__all__ = ["BLOCK", "read_mappings", "write_mappings"]

Longs = NDArray[np.int64]
Ints = NDArray[np.int32]

BLOCK = 1 << 14  #: pairs that are walked together; part of the format, for it sets the order of the numbers
DELETED, ELSEWHERE, RANK = 0, 1, 2  # what a number in the first stream says; ranks begin at the last
NO_PARENT, NO_IMAGE, CANDIDATES = 0, 1, 2  # contexts; numbers of candidates begin at the last


class _Step(NamedTuple):
    """The next node of every query of a block that has one."""

    rows: Longs  # of the pairs in the block
    nodes: Longs  # of the queries
    contexts: Longs
    owner: Longs  # of every candidate, which of the rows it belongs to
    candidates: Ints
    first: Longs  # of every row, where its candidates begin


def write_mappings(queries: Adjacency, targets: Adjacency, index: Longs, mapping: Ints) -> bytes:
    """The images of all query nodes, ready for a compressor.

    Parameters
    ----------
    queries, targets : Adjacency
        The graphs.
    index : int64, (n, 2)
        Query and target of each pair.
    mapping : int32, (n, width)
        Images, -1 where a node is deleted and beyond the nodes of a smaller query.
    """
    ranks, numbers = StreamWriter(), StreamWriter()
    for start in range(0, len(index), BLOCK):
        block = _Block(queries, targets, index[start : start + BLOCK], mapping.shape[1])
        images = mapping[start : start + BLOCK]
        for step in block.steps():
            wanted = images[step.rows, step.nodes].astype(np.int64)
            symbols = np.where(wanted < 0, DELETED, ELSEWHERE)
            hit = np.flatnonzero(step.candidates == wanted[step.owner])
            symbols[step.owner[hit]] = RANK + hit - step.first[step.owner[hit]]
            far = symbols == ELSEWHERE
            ranks.add(step.contexts, symbols)
            numbers.add(block.room[step.rows[far]], wanted[far])
            block.place(step, wanted)
    return ranks.to_bytes() + numbers.to_bytes()


def read_mappings(
    data: bytes, queries: Adjacency, targets: Adjacency, index: Longs, width: int
) -> tuple[Ints, int]:
    """What `write_mappings` was given, from the start of the data, and where its bytes end.

    Raises
    ------
    FormatError
        If the data is damaged or belongs to other graphs.
    """
    ranks = StreamReader(data)
    numbers = StreamReader(data, ranks.stop)
    mapping = np.full((len(index), width), -1, dtype=np.int32)
    for start in range(0, len(index), BLOCK):
        block = _Block(queries, targets, index[start : start + BLOCK], width)
        for step in block.steps():
            symbols = ranks.take(step.contexts)
            found = np.full(len(symbols), -1, dtype=np.int64)
            near = np.flatnonzero(symbols >= RANK)
            if (symbols[near] - RANK >= step.contexts[near] - CANDIDATES).any():
                raise FormatError("a mapping names a neighbour that does not exist")
            found[near] = step.candidates[step.first[near] + symbols[near] - RANK]
            far = symbols == ELSEWHERE
            room = block.room[step.rows[far]]
            found[far] = numbers.take(room)
            if (found[far] >= room).any():
                raise FormatError("a mapping leaves its target")
            block.place(step, found)
        mapping[start : start + BLOCK] = block.images
    return mapping, numbers.stop


class _Block:
    """Pairs on their common walk, with the images that are known so far."""

    def __init__(self, queries: Adjacency, targets: Adjacency, index: Longs, width: int) -> None:
        self._targets = targets
        self._base = targets.offsets[index[:, 1]]
        self._sizes = (queries.offsets[1:] - queries.offsets[:-1])[index[:, 0]]
        self.room = (targets.offsets[1:] - targets.offsets[:-1])[index[:, 1]]
        self.images = np.full((len(index), width), -1, dtype=np.int32)
        self._order, self._parents = breadth_first(queries, index[:, 0], width)
        self._used_base = np.cumsum(self.room) - self.room
        self._used = np.zeros(int(self.room.sum()), dtype=bool)

    def steps(self) -> Iterator[_Step]:
        """One step after another; the images of each must be placed before the next."""
        for k in range(self.images.shape[1]):
            rows = np.flatnonzero(self._sizes > k)
            parents = self._parents[rows, k]
            around = np.where(parents < 0, -1, self.images[rows, parents])
            known = np.flatnonzero(around >= 0)
            owner, candidates = self._targets.around(self._base[rows[known]] + around[known])
            owner = known[owner]
            free = ~self._used[self._used_base[rows[owner]] + candidates]
            owner, candidates = owner[free], candidates[free]
            counts = np.bincount(owner, minlength=len(rows))
            contexts = np.where(parents < 0, NO_PARENT, NO_IMAGE)
            contexts[known] = CANDIDATES + counts[known]
            first = np.cumsum(counts) - counts
            yield _Step(rows, self._order[rows, k], contexts, owner, candidates, first)

    def place(self, step: _Step, images: Longs) -> None:
        """Say where the nodes of a step lie."""
        self.images[step.rows, step.nodes] = images
        kept = images >= 0
        self._used[self._used_base[step.rows[kept]] + images[kept]] = True


def breadth_first(graphs: Adjacency, chosen: Longs, width: int) -> tuple[Longs, Longs]:
    """Nodes of the chosen graphs in breadth-first order from node 0, and the parent of each.

    Where a graph falls apart, the search goes on from its first unseen node. Parents are -1 there, and at the
    start.

    Examples
    --------
    >>> from prune4sed import Graph, GraphSet
    >>> star = Adjacency.of(GraphSet([Graph(["C"] * 4, [(2, 0), (2, 3)])]))
    >>> [part.tolist() for part in breadth_first(star, np.array([0]), 4)]
    [[[0, 2, 3, 1]], [[-1, 0, 2, -1]]]
    """
    base = graphs.offsets[chosen]
    sizes = graphs.offsets[chosen + 1] - base
    order = np.full((len(chosen), width), -1, dtype=np.int64)
    parents = np.full((len(chosen), width), -1, dtype=np.int64)
    unseen = np.arange(width) < sizes[:, None]
    filled = np.zeros(len(chosen), dtype=np.int64)
    for k in range(width):
        empty = np.flatnonzero((filled == k) & (sizes > k))
        order[empty, k] = fresh = np.argmax(unseen[empty], axis=1)
        unseen[empty, fresh] = False
        filled[empty] += 1
        rows = np.flatnonzero(sizes > k)
        nodes = order[rows, k]
        owner, found = graphs.around(base[rows] + nodes)
        new = unseen[rows[owner], found]
        owner, found = owner[new], found[new]
        counts = np.bincount(owner, minlength=len(rows))
        rank = np.arange(len(owner)) - (np.cumsum(counts) - counts)[owner]
        where = rows[owner], filled[rows[owner]] + rank
        order[where], parents[where] = found, nodes[owner]
        unseen[rows[owner], found] = False
        filled[rows] += counts
    return order, parents
