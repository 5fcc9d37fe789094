"""Distances without cleverness, written apart from the package so that the two check each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, permutations

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from prune4sed import EditCosts, Graph
from prune4sed.labels import Label

Floats = NDArray[np.float64]


def brute_force(q: Graph, t: Graph, costs: EditCosts) -> float:
    """Every injective partial map, priced; the last row and column of each table stand for deletion."""
    maps = partial_maps(len(q), len(t))
    total = np.zeros(len(maps))
    for u, label in enumerate(q.labels):
        prices = [0.0 if label == other else costs.node_relabel for other in t.labels]
        total += np.array([*prices, costs.node_deletion])[maps[:, u]]
    for (a, b), bond in edges(q).items():
        total += _edge_prices(bond, t, costs)[maps[:, a], maps[:, b]]
    return float(total.min())


@cache
def partial_maps(size: int, room: int) -> NDArray[np.int64]:
    """All injective partial maps as rows; an entry of ``room`` means deleted."""
    rows = [
        _row(size, room, kept, images)
        for count in range(min(size, room) + 1)
        for kept in combinations(range(size), count)
        for images in permutations(range(room), count)
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), size)


def price(q: Graph, t: Graph, mapping: Sequence[int | None], costs: EditCosts) -> float:
    """What one map costs; raises if it is none."""
    used = [v for v in mapping if v is not None]
    if len(mapping) != len(q) or len(set(used)) != len(used) or any(not 0 <= v < len(t) for v in used):
        raise ValueError(f"not an injective map: {mapping}")
    images = edges(t)
    total = 0.0
    for label, v in zip(q.labels, mapping, strict=True):
        total += costs.node_deletion if v is None else costs.node_relabel * (t.labels[v] != label)
    for (a, b), bond in edges(q).items():
        x, y = mapping[a], mapping[b]
        image = (-1, -1) if x is None or y is None else (min(x, y), max(x, y))
        if image not in images:
            total += costs.edge_deletion
        elif images[image] != bond:
            total += min(costs.edge_relabel, costs.edge_deletion)
    return total


def contained(q: Graph, t: Graph) -> bool:
    """Whether networkx finds the query in the target, labels included."""
    matcher = nx.algorithms.isomorphism.GraphMatcher(
        _networkx(t),
        _networkx(q),
        node_match=lambda a, b: a["label"] == b["label"],
        edge_match=lambda a, b: a["label"] == b["label"],
    )
    return bool(matcher.subgraph_is_monomorphic())


def edges(g: Graph) -> dict[tuple[int, int], Label | None]:
    """Label of every edge, None if there are none, by its ends in order."""
    labels: Sequence[Label | None] = g.edge_labels or [None] * len(g.edges)
    return {(min(e), max(e)): label for e, label in zip(g.edges, labels, strict=True)}


def _row(size: int, room: int, kept: tuple[int, ...], images: tuple[int, ...]) -> list[int]:
    row = [room] * size
    for u, v in zip(kept, images, strict=True):
        row[u] = v
    return row


def _edge_prices(label: Label | None, t: Graph, costs: EditCosts) -> Floats:
    prices = np.full((len(t) + 1, len(t) + 1), costs.edge_deletion)
    for (x, y), other in edges(t).items():
        prices[x, y] = prices[y, x] = 0.0 if other == label else min(costs.edge_relabel, costs.edge_deletion)
    return prices


def _networkx(g: Graph) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from((u, {"label": label}) for u, label in enumerate(g.labels))
    graph.add_edges_from((a, b, {"label": label}) for (a, b), label in edges(g).items())
    return graph
