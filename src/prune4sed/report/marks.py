"""Which parts of a query and a target to mark in a drawing: what matched, and what had to be edited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prune4sed.exact.result import SedResult

Edge = tuple[int, int]


@dataclass
class Marks:
    """Nodes and edges of one graph: ``True`` for matched as they are, ``False`` for edited."""

    nodes: dict[int, bool] = field(default_factory=dict)
    edges: dict[Edge, bool] = field(default_factory=dict)


def match_marks(result: SedResult) -> tuple[Marks, Marks]:
    """Marks for the query and for its image in the target.

    Examples
    --------
    >>> from prune4sed.exact import EditCosts, SedResult
    >>> from prune4sed.graph import Graph
    >>> q, t = Graph(["C", "N"], [(0, 1)]), Graph(["O", "C"], [(0, 1)])
    >>> r = SedResult(1.0, 1.0, (1, 0), 0, 0.0, q, t, EditCosts())
    >>> match_marks(r)[1]
    Marks(nodes={1: True, 0: False}, edges={(0, 1): True})
    """
    touched = {edit.node if edit.edge is None else edit.edge for edit in result.edits}
    gone = {edit.edge for edit in result.edits if edit.kind == "delete edge"}
    ours, theirs = Marks(), Marks()
    for u, v in enumerate(result.mapping):
        ours.nodes[u] = u not in touched
        if v is not None:
            theirs.nodes[v] = ours.nodes[u]
    for a, b in result.query.edges:
        edge = (min(a, b), max(a, b))
        ours.edges[edge] = edge not in touched
        x, y = result.mapping[a], result.mapping[b]
        if edge not in gone and x is not None and y is not None:
            theirs.edges[min(x, y), max(x, y)] = ours.edges[edge]
    return ours, theirs
