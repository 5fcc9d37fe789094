"""Fragments of molecules: connected pieces of a chosen number of atoms, grown from a random atom.

The growth of `draws.grown` stops by itself after a few atoms where a graph is as sparse as a molecule; here a
piece grows until it has the size that was drawn for it. All random numbers come from the streams of `draws`,
so many per piece, so that a seed means the same pieces on every machine.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets import draws
from prune4sed.datasets.adjacency import Adjacency, spans
from prune4sed.datasets.draws import Stream
from prune4sed.errors import OptionError
from prune4sed.graphset import GraphSet

__all__ = ["fragments"]

Longs = NDArray[np.int64]
# Numbers for the molecule, the first atom, the size and the way to grow; then one for every further atom.
_CHOICES = 4
_BELOW = 2**31
# Twice as many are tried as are missing, so the first round or two have them all unless there are hardly any.
_ROUNDS = 20


def fragments(
    molecules: GraphSet, sizes: tuple[int, int], one_in: int, strict: bool, stream: Stream, count: int
) -> tuple[GraphSet, Longs]:
    """Pieces of random molecules, of strict or of ordinary shapes, and which molecule each came from.

    Half of the pieces take in the atoms nearest to the first, so that rings close; half take any neighbour.
    All bonds among the atoms of a piece come along.

    Parameters
    ----------
    molecules : GraphSet
        Graphs without edge labels.
    sizes : two int
        Fewest and most atoms; each number is as likely. Where a molecule ends before, the piece is smaller.
    one_in, strict
        One shape in so many is strict, as for `draws.strict`.
    stream : Stream
        Where the random numbers come from.
    count : int
        How many.

    Raises
    ------
    OptionError
        If hardly any piece is of the right size and shape.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> ring = Graph(["C"] * 9, [(i, (i + 1) % 9) for i in range(9)])
    >>> pieces, sources = fragments(GraphSet([ring]), (4, 6), 10**9, False, Stream(0, 0), 100)
    >>> sorted(set(pieces.num_nodes.tolist())), sources.max()
    ([4, 5, 6], np.int64(0))
    """
    grower = _Grower(molecules, sizes)
    parts: list[GraphSet] = []
    found: list[Longs] = []
    have, start = 0, 0
    for _ in range(_ROUNDS):
        tried = max(64, 2 * (count - have) * (one_in if strict else 1))
        pieces, sources = grower.grow(stream, start, tried)
        right = (pieces.num_nodes >= sizes[0]) & (draws.strict(pieces, one_in) == strict)
        parts.append(pieces.take(right))
        found.append(sources[right])
        have, start = have + int(right.sum()), start + tried
        if have >= count:
            return GraphSet.concat(parts)[:count], np.concatenate(found)[:count]
    raise OptionError(
        f"{len(molecules):,} molecules have too few pieces of {sizes[0]} to {sizes[1]} atoms and such shapes"
    )


class _Grower:
    """Molecules with their neighbour lists, ready to be taken pieces of."""

    def __init__(self, molecules: GraphSet, sizes: tuple[int, int]) -> None:
        self._sizes = sizes
        self._molecules = molecules
        near = Adjacency.of(molecules)
        flat = near.neighbours.tolist()
        self._near = [flat[a:b] for a, b in pairwise(near.starts.tolist())]
        self._first = near.offsets.tolist()

    def grow(self, stream: Stream, start: int, count: int) -> tuple[GraphSet, Longs]:
        """Pieces number `start` and on of a stream, whatever their size and shape."""
        width = _CHOICES + self._sizes[1]
        numbers = draws.partners(_BELOW, stream, (start + count) * width)[start * width :]
        table = numbers.reshape(count, width)
        sources = table[:, 0] % len(self._molecules)
        rows = zip(sources.tolist(), table.tolist(), strict=True)
        return self._cut([self._piece(source, row) for source, row in rows], sources), sources

    def _piece(self, source: int, numbers: list[int]) -> list[int]:
        """Atoms of one piece, in the order they were taken."""
        low, high = self._sizes
        base, stop = self._first[source], self._first[source + 1]
        size, nearest = low + numbers[2] % (high + 1 - low), numbers[3] % 2
        border, seen, taken = [numbers[1] % (stop - base)], set[int](), list[int]()
        seen.add(border[0])
        while border and len(taken) < size:
            at = 0 if nearest else numbers[_CHOICES + len(taken)] % len(border)
            atom = border.pop(at)
            taken.append(atom)
            fresh = [other for other in self._near[base + atom] if other not in seen]
            seen.update(fresh)
            border += fresh
        return taken

    def _cut(self, pieces: list[list[int]], sources: Longs) -> GraphSet:
        """The subgraphs that these atoms make up, atoms in the order of the molecule."""
        lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
        chosen = self._molecules.take(sources)
        owner = np.repeat(np.arange(len(pieces)), lengths)
        atoms = np.array([atom for piece in pieces for atom in piece], dtype=np.int64)
        nodes = chosen.node_offsets
        kept = np.zeros(int(nodes[-1]), dtype=bool)
        kept[nodes[owner] + atoms] = True
        place = np.cumsum(kept) - 1  # of a kept node among all kept ones
        ends, _ = spans(chosen.edge_offsets[:-1], chosen.num_edges)
        edges = chosen.edges + nodes[ends, None]
        inside = kept[edges].all(axis=1)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        bonds = np.bincount(ends[inside], minlength=len(pieces))
        return GraphSet.from_arrays(
            starts,
            chosen.node_labels[kept],
            np.concatenate([[0], np.cumsum(bonds)]),
            place[edges[inside]] - starts[ends[inside], None],
            node_vocabulary=chosen.node_vocabulary,
        )
