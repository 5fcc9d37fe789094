"""Bounds that cost next to nothing, and the rounding that turns a solver's floats into sound bounds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from prune4sed.exact.maps import edge_table

if TYPE_CHECKING:
    from prune4sed.exact.costs import EditCosts
    from prune4sed.exact.maps import Mapping
    from prune4sed.graph import Graph


def multiset_lower(q: Graph, t: Graph, costs: EditCosts) -> float:
    """Lower bound from label counts alone: no mapping can match more equal labels than both sides share.

    Examples
    --------
    >>> from prune4sed.exact.costs import EditCosts
    >>> from prune4sed.graph import Graph
    >>> q = Graph(labels=["N", "N"], edges=[(0, 1)])
    >>> multiset_lower(q, Graph(labels=["N", "C", "C"], edges=[]), EditCosts())
    2.0
    """
    nodes = _unmatched(q.labels, t.labels, min(costs.node_relabel, costs.node_deletion), costs.node_deletion)
    edges = _unmatched(
        edge_table(q).values(), edge_table(t).values(), costs.edge_mismatch, costs.edge_deletion
    )
    return nodes + edges


def _unmatched(ours: Iterable[Hashable], theirs: Iterable[Hashable], change: float, drop: float) -> float:
    """Cost of what cannot be matched by label: change it while the other side has room, drop the rest."""
    left, right = Counter(ours), Counter(theirs)
    size, room = left.total(), right.total()
    return change * (min(size, room) - (left & right).total()) + drop * max(0, size - room)


def greedy_mapping(q: Graph, t: Graph, costs: EditCosts) -> Mapping:
    """A mapping found without search: equal labels in order, or delete everything if that is cheaper."""
    free: dict[Hashable, list[int]] = {}
    for v in reversed(range(len(t.labels))):
        free.setdefault(t.labels[v], []).append(v)
    mapping: list[int | None] = []
    for label in q.labels:
        places = free.get(label)
        mapping.append(places.pop() if places else None)
    if costs.node_relabel <= costs.node_deletion:
        rest = iter(sorted(v for places in free.values() for v in places))
        mapping = [next(rest, None) if v is None else v for v in mapping]
    nothing: Mapping = (None,) * len(q.labels)
    return min(tuple(mapping), nothing, key=lambda m: costs.map_cost(q, t, m))


def settle(lower: float, upper: float, costs: EditCosts, noise: float = 1e-9) -> tuple[float, float]:
    """Sound bounds out of a solver's floats.

    Every distance is a multiple of ``costs.step``, so the lower bound rises to the next multiple. Bounds that
    differ by float noise only (``noise`` times the largest cost) become equal.

    Examples
    --------
    >>> from prune4sed.exact.costs import EditCosts
    >>> settle(1.3, 4.0, EditCosts())
    (2.0, 4.0)
    """
    slack = noise * max(costs.node_deletion, costs.node_relabel, costs.edge_deletion, costs.edge_relabel)
    if lower > upper + 1e3 * slack:
        raise AssertionError(
            f"a lower bound of {lower} exceeds an upper bound of {upper}: please report this"
        )
    step = costs.step
    if step is not None and slack < step / 2:
        lower = math.ceil((lower - slack) / step) * step
    lower = max(0.0, lower)
    return (upper, upper) if lower >= upper - slack else (lower, upper)
