"""The part of a large target that is worth drawing: the match and what is around it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prune4sed.graph import Graph

__all__ = ["around", "cut_out"]


def around(graph: Graph, centre: Iterable[int], most: int) -> list[int]:
    """The nodes of `centre` and those nearest to them, in order, at most `most` unless the centre has more.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> around(Graph(["C"] * 5, [(0, 1), (1, 2), (2, 3), (3, 4)]), [3], most=3)
    [2, 3, 4]
    """
    if len(graph) <= most:
        return list(range(len(graph)))
    neighbours: list[list[int]] = [[] for _ in graph.labels]
    for a, b in graph.edges:
        neighbours[a].append(b)
        neighbours[b].append(a)
    queue = list(dict.fromkeys(centre)) or [0]
    seen = set(queue)
    for u in queue:  # grows while it is walked: breadth first
        for v in neighbours[u]:
            if v not in seen and len(seen) < most:
                seen.add(v)
                queue.append(v)
    return sorted(seen)


def cut_out(graph: Graph, nodes: list[int]) -> Graph:
    """The graph of some nodes and the edges between them, renumbered in the order given.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> cut_out(Graph(["C", "N", "O"], [(0, 1), (1, 2)]), [1, 2]).edges
    ((0, 1),)
    """
    from prune4sed.graph import Graph

    if len(nodes) == len(graph):
        return graph
    place = {u: i for i, u in enumerate(nodes)}
    inside = [i for i, (a, b) in enumerate(graph.edges) if a in place and b in place]
    return Graph(
        [graph.labels[u] for u in nodes],
        [(place[graph.edges[i][0]], place[graph.edges[i][1]]) for i in inside],
        None if graph.edge_labels is None else [graph.edge_labels[i] for i in inside],
        graph.id,
    )
