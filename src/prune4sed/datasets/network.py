"""Network: one large labelled graph, from which ego-nets are cut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prune4sed.arrays import flat, offsets_of
from prune4sed.errors import GraphError

__all__ = ["Network"]


@dataclass(frozen=True, eq=False)
class Network:
    """One undirected graph without self-loops, as sorted neighbour lists one after another.

    Attributes
    ----------
    starts : array of int64, (n + 1,)
        Node ``u`` has the neighbours ``neighbours[starts[u]:starts[u + 1]]``.
    neighbours : array of int32
        Every edge stands here twice, once at either end.
    labels : array of int32, (n,)
        A label for every node.

    Examples
    --------
    >>> star = Network.from_edges([[0, 1], [2, 0], [0, 1]], labels=[7, 5, 5])
    >>> star.starts.tolist(), star.neighbours.tolist()
    ([0, 2, 3, 4], [1, 2, 0, 0])
    """

    starts: NDArray[np.int64]
    neighbours: NDArray[np.int32]
    labels: NDArray[np.int32]

    @classmethod
    def from_edges(cls, ends: ArrayLike, labels: ArrayLike) -> Network:
        """Make a network from edges in any order.

        Parameters
        ----------
        ends : array of int, (m, 2)
            Node numbers. Directions, repeats and self-loops are dropped.
        labels : array of int, (n,)
            One label per node.

        Returns
        -------
        Network

        Raises
        ------
        GraphError
            If an edge ends at a node that does not exist.
        """
        names = flat(labels, np.int32, "labels")
        pairs = flat(ends, np.int64, "edges", width=2)
        n = len(names)
        _check_ends(pairs, n)
        u, v = pairs[:, 0], pairs[:, 1]
        # One number per direction of an edge: sorting them sorts by node, then by neighbour.
        keys = np.concatenate([u * n + v, v * n + u])[np.tile(u != v, 2)]
        keys.sort()
        keys = keys[np.diff(keys, prepend=-1) > 0]
        starts = offsets_of(np.bincount(keys // n, minlength=n) if n else np.zeros(0, dtype=np.int64))
        neighbours = (keys % n if n else keys).astype(np.int32)
        neighbours.setflags(write=False)
        return cls(starts, neighbours, names)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def num_edges(self) -> int:
        """Undirected edges."""
        return len(self.neighbours) // 2

    def __repr__(self) -> str:
        kinds = len(np.unique(self.labels))
        return f"Network({len(self):,} nodes, {self.num_edges:,} edges, {kinds} label{'s' * (kinds != 1)})"


def _check_ends(pairs: NDArray[np.int64], n: int) -> None:
    wrong = ((pairs < 0) | (pairs >= n)).any(axis=1)
    if wrong.any():
        at = int(wrong.argmax())
        u, v = pairs[at].tolist()
        missing = u if not 0 <= u < n else v
        exist = f"nodes are 0 to {n - 1}" if n else "there are no nodes"
        raise GraphError(f"edge {at} joins {u} and {v}, but node {missing} does not exist: {exist}")
