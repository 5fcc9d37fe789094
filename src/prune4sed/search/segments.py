"""The graphs of an index: one stretch after another, each with its fingerprints and perhaps its vectors."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.search.features import Bits

__all__ = ["Segment", "Segments"]


@dataclass(frozen=True, eq=False)
class Segment:
    """Graphs that were added together.

    Attributes
    ----------
    graphs : GraphSet
        The graphs.
    bits : array of uint64, (graphs, words)
        Their fingerprints.
    vectors : array of float32, (graphs, width), or None
        What the model of the index makes of each.
    """

    graphs: GraphSet
    bits: Bits
    vectors: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        return len(self.graphs)

    def joins(self, other: Segment) -> bool:
        """Whether both have the same kinds of things, so that they can be one segment."""
        return (self.vectors is None) == (other.vectors is None) and (
            (self.graphs.edge_vocabulary is None) == (other.graphs.edge_vocabulary is None)
        )

    def joined(self, other: Segment) -> Segment:
        """One segment of the graphs of both."""
        vectors = None
        if self.vectors is not None and other.vectors is not None:
            vectors = np.concatenate([self.vectors, other.vectors])
        graphs = GraphSet.concat([self.graphs, other.graphs])
        return Segment(graphs, np.concatenate([self.bits, other.bits]), vectors)


class Segments:
    """Segments as one sequence of graphs.

    Examples
    --------
    >>> from prune4sed.search.features import fingerprints
    >>> parts = [GraphSet([Graph(["C"], id="a")]), GraphSet([Graph(["N"], id="b"), Graph(["O"])])]
    >>> both = Segments([Segment(part, fingerprints(part, 1)) for part in parts])
    >>> len(both), both[2].labels, both.id(1), both.id(2)
    (3, ('O',), 'b', '2')
    """

    def __init__(self, parts: Sequence[Segment]) -> None:
        self.parts = tuple(part for part in parts if len(part))
        self.starts = [0, *np.cumsum([len(part) for part in self.parts]).tolist()]
        self._sizes: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return int(self.starts[-1])

    def __getitem__(self, position: int) -> Graph:
        part, row = self._place(position)
        return part.graphs[row]

    def __iter__(self) -> Iterator[Graph]:
        return (graph for part in self.parts for graph in part.graphs)

    def id(self, position: int) -> str:
        """The name of a graph; one without goes by its position in the index."""
        part, row = self._place(position)
        given = part.graphs.ids.given(row)
        return str(position) if given is None else given

    def ids(self, positions: NDArray[np.int64]) -> list[str]:
        """The names of several graphs."""
        found = [""] * len(positions)
        for part, mine, rows in self.split(positions):
            names = part.graphs.ids
            for at, row in zip(mine.tolist(), rows.tolist(), strict=True):
                given = names.given(row)
                found[at] = str(positions[at]) if given is None else given
        return found

    def _place(self, position: int) -> tuple[Segment, int]:
        at = range(len(self))[position]
        which = bisect_right(self.starts, at) - 1
        return self.parts[which], at - int(self.starts[which])

    def split(
        self, positions: NDArray[np.int64]
    ) -> Iterator[tuple[Segment, NDArray[np.int64], NDArray[np.int64]]]:
        """Each segment that has some of the positions: which of them, and their rows in it."""
        owner = np.searchsorted(self.starts, positions, side="right") - 1
        for which in np.unique(owner).tolist():
            mine = np.flatnonzero(owner == which)
            yield self.parts[which], mine, positions[mine] - self.starts[which]

    @property
    def sizes(self) -> NDArray[np.int32]:
        """Nodes of every graph; counted when first asked for."""
        if self._sizes is None:
            parts = [part.graphs.num_nodes.astype(np.int32) for part in self.parts]
            self._sizes = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        return self._sizes

    @property
    def edge_labels(self) -> bool:
        """Whether edges have labels."""
        return any(part.graphs.edge_vocabulary is not None for part in self.parts)
