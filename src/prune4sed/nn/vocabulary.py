"""The labels a model knows, and their numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prune4sed.arrays import vocabulary
from prune4sed.errors import GraphError
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["Vocabulary"]

# As many labels as an error message lists.
_SHOWN = 8


@dataclass(frozen=True)
class Vocabulary:
    """Node labels and, for a model of graphs with labelled edges, edge labels.

    Parameters
    ----------
    nodes : tuple of str or int
        The node labels; the position of a label is its number.
    edges : tuple of str or int, optional
        The edge labels; None for a model that takes none.
    unknown : bool
        Whether one more number, the last, stands for every label that is not listed.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> words = Vocabulary.of(GraphSet([Graph(["C", "O"], [(0, 1)])]))
    >>> words.nodes, words.num_node_codes
    (('C', 'O'), 2)
    """

    nodes: tuple[Label, ...]
    edges: tuple[Label, ...] | None = None
    unknown: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", vocabulary(self.nodes, "node"))
        if self.edges is not None:
            object.__setattr__(self, "edges", vocabulary(self.edges, "edge"))

    @classmethod
    def of(cls, *sets: GraphSet, unknown: bool = False) -> Vocabulary:
        """The labels that the graphs use, in sorted order."""
        nodes = _joined((_used(g.node_labels, g.node_offsets, g.node_vocabulary) for g in sets), "node")
        labelled = [g for g in sets if g.edge_vocabulary is not None and g.edge_label_codes is not None]
        if not labelled:
            return cls(nodes, None, unknown)
        bare = [g for g in sets if g.edge_label_codes is None and _has_edges(g)]
        if bare:
            raise GraphError("one set of graphs has edge labels and another has none; give both or neither")
        edges = _joined(
            (_used(g.edge_label_codes, g.edge_offsets, g.edge_vocabulary or ()) for g in labelled), "edge"
        )
        return cls(nodes, edges, unknown)

    @property
    def num_node_codes(self) -> int:
        """How many numbers node labels have."""
        return len(self.nodes) + self.unknown

    @property
    def num_edge_codes(self) -> int:
        """How many numbers edge labels have; 0 for a model that takes none."""
        return 0 if self.edges is None else len(self.edges) + self.unknown

    def node_codes(self, graphs: GraphSet) -> NDArray[np.int64]:
        """The number of every node's label, for the graphs of this set in order.

        Raises
        ------
        GraphError
            If a label is not listed and there is no number for unknown ones.
        """
        return self._codes(
            graphs.node_labels, graphs.node_offsets, graphs.node_vocabulary, self.nodes, graphs, "node"
        )

    def edge_codes(self, graphs: GraphSet) -> NDArray[np.int64] | None:
        """The number of every edge's label; None for a model that takes none."""
        if not _has_edges(graphs):
            return None if self.edges is None else np.zeros(0, dtype=np.int64)
        codes = graphs.edge_label_codes
        if self.edges is None:
            if codes is not None:
                raise GraphError(
                    "the model takes no edge labels and these graphs have them; "
                    "use without_edge_labels(), or no --edge-labels"
                )
            return None
        if codes is None:
            raise GraphError("the model takes edge labels and these graphs have none")
        names = graphs.edge_vocabulary or ()
        return self._codes(codes, graphs.edge_offsets, names, self.edges, graphs, "edge")

    def _codes(
        self,
        codes: NDArray[np.int32],
        offsets: NDArray[np.int64],
        names: tuple[Label, ...],
        known: tuple[Label, ...],
        graphs: GraphSet,
        what: str,
    ) -> NDArray[np.int64]:
        numbers = {label: i for i, label in enumerate(known)}
        other = len(known) if self.unknown else -1
        table = np.array([numbers.get(name, other) for name in names], dtype=np.int64)
        used = codes[int(offsets[0]) : int(offsets[-1])]
        found = table[used] if used.size else np.zeros(0, dtype=np.int64)
        if found.size and found.min() < 0:
            at = int(found.argmin())
            graph = int(np.searchsorted(offsets - offsets[0], at, side="right")) - 1
            raise GraphError(
                f"graph {graphs.ids[graph]!r} has the {what} label {names[used[at]]!r}, which the model has "
                f"never seen; it knows {_listed(known)}"
            )
        return found


def _joined(parts: Iterable[set[Label]], what: str) -> tuple[Label, ...]:
    labels: set[Label] = set().union(*parts)
    if len({isinstance(label, str) for label in labels}) > 1:
        raise GraphError(f"some {what} labels are strings and some are integers; they can never be equal")
    return tuple(sorted(labels))


def _used(
    codes: NDArray[np.int32] | None, offsets: NDArray[np.int64], names: tuple[Label, ...]
) -> set[Label]:
    if codes is None:
        return set()
    return {names[i] for i in np.unique(codes[int(offsets[0]) : int(offsets[-1])])}


def _has_edges(graphs: GraphSet) -> bool:
    return bool(graphs.edge_offsets[-1] > graphs.edge_offsets[0])


def _listed(known: tuple[Label, ...]) -> str:
    if not known:
        return "no label"
    more = len(known) - _SHOWN
    return ", ".join(repr(name) for name in known[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
