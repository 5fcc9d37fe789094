"""What there is to say about a match: a stored answer as a result, its title, the edges the target lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.costs import EditCosts
from prune4sed.exact.maps import check_mapping
from prune4sed.exact.result import SedResult

if TYPE_CHECKING:
    from prune4sed.graph import Graph

__all__ = ["known_match", "largest_piece", "match_title", "missing_edges"]

UNIT_COSTS = EditCosts()


def known_match(
    query: Graph,
    target: Graph,
    mapping: Sequence[int | None] | NDArray[np.int32],
    lower: float,
    upper: float,
    costs: EditCosts = UNIT_COSTS,
) -> SedResult:
    """A stored answer as a result: -1 in the mapping means deleted, as in the tables.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> known_match(Graph(["C"]), Graph(["N"]), [0], lower=1, upper=1)
    SED = 1 (certified)
    """
    images = tuple(None if v is None or v < 0 else int(v) for v in mapping[: len(query)])
    check_mapping(query, target, images)
    return SedResult(float(lower), float(upper), images, 0, 0.0, query, target, costs)


def match_title(result: SedResult, letters: int = 100) -> str:
    """The distance and the edits: one by one if they fit, else how many of each kind.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> match_title(known_match(Graph(["C"]), Graph(["C"]), [0], lower=0, upper=0))
    'SED = 0 (certified): contained as it is'
    >>> q, t = Graph(["C", "C"], [(0, 1)]), Graph(["N", "N"])
    >>> match_title(known_match(q, t, [0, 1], lower=3, upper=3), letters=60)
    'SED = 3 (certified): relabel 2 nodes, delete 1 edge'
    """
    answer = repr(result).replace("<=", "≤")
    if not result.edits:
        return f"{answer}: contained as it is"
    line = f"{answer}: {'; '.join(map(str, result.edits))}"
    if len(line) <= letters:
        return line
    counts = Counter(tuple(edit.kind.split()) for edit in result.edits).most_common()
    return f"{answer}: " + ", ".join(f"{verb} {n} {thing}{'s' * (n > 1)}" for (verb, thing), n in counts)


def missing_edges(result: SedResult) -> list[tuple[int, int]]:
    """Pairs of target nodes that a query edge would join, and no target edge does."""
    images = [(result.mapping[a], result.mapping[b]) for a, b in result.query.edges]
    wanted = [(min(x, y), max(x, y)) for x, y in images if x is not None and y is not None]
    there = {(min(a, b), max(a, b)) for a, b in result.target.edges}
    return [edge for edge in wanted if edge not in there]


def largest_piece(result: SedResult) -> list[int]:
    """The most query nodes that the match places and leaves connected, in order.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> q, t = Graph(["C", "C", "C"], [(0, 1), (1, 2)]), Graph(["C", "C", "C"], [(1, 2)])
    >>> largest_piece(known_match(q, t, [0, 1, 2], lower=1, upper=1))
    [1, 2]
    """
    gone = {edit.edge for edit in result.edits if edit.kind == "delete edge"}
    piece = {u: {u} for u, v in enumerate(result.mapping) if v is not None}
    for a, b in result.query.edges:
        if (min(a, b), max(a, b)) not in gone and piece[a] is not piece[b]:
            joined = piece[a] | piece[b]
            piece.update(dict.fromkeys(joined, joined))
    largest: set[int] = max(piece.values(), key=len, default=set())
    return sorted(largest)
