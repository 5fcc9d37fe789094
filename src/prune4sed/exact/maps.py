"""Small helpers on mappings: partial, injective assignments of query nodes to target nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import index
from typing import TYPE_CHECKING

from prune4sed.errors import OptionError

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.labels import Label

#: target node of every query node; None where the query node is deleted
Mapping = tuple[int | None, ...]


def edge_table(g: Graph) -> dict[tuple[int, int], Label | None]:
    """Edges as ``{(smaller, larger): label}``; an unlabelled edge has the label None."""
    labels: Iterable[Label | None] = g.edge_labels if g.edge_labels is not None else [None] * len(g.edges)
    return {(min(a, b), max(a, b)): label for (a, b), label in zip(g.edges, labels, strict=True)}


def check_mapping(q: Graph, t: Graph, mapping: Sequence[int | None]) -> None:
    """Raise OptionError, naming the node, unless the mapping is injective and within range."""
    size, room = len(q.labels), len(t.labels)
    if len(mapping) != size:
        raise OptionError(f"the mapping has {len(mapping)} entries for a query of {size} nodes")
    owner: dict[int, int] = {}
    for u, v in enumerate(mapping):
        if v is None:
            continue
        if isinstance(v, bool) or not hasattr(v, "__index__"):
            raise OptionError(f"query node {u} must map to a node number or None, got {v!r}")
        if not 0 <= index(v) < room:
            raise OptionError(f"query node {u} maps to {v}, but the target has nodes 0 to {room - 1}")
        if v in owner:
            raise OptionError(f"query nodes {owner[v]} and {u} both map to target node {v}")
        owner[v] = u
