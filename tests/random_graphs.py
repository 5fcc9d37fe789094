"""Random graphs of a given size from a seed: larger ones than hypothesis likes to draw."""

from __future__ import annotations

import random

from prune4sed.graph import Graph


def random_graph(
    rng: random.Random,
    nodes: int,
    density: float,
    labels: int = 1,
    edge_labels: int = 0,
    id: str | None = None,
) -> Graph:
    """``nodes`` nodes and the nearest whole number of edges to ``density`` of all possible ones."""
    possible = nodes * (nodes - 1) // 2
    edges = [_pair(k) for k in rng.sample(range(possible), round(density * possible))]
    bonds = [rng.randrange(edge_labels) for _ in edges] if edge_labels else None
    return Graph([rng.randrange(labels) for _ in range(nodes)], edges, bonds, id)


def _pair(k: int) -> tuple[int, int]:
    """The k-th of all pairs (a, b) with a < b."""
    b = int(((8 * k + 1) ** 0.5 + 1) / 2)
    while b * (b - 1) // 2 > k:
        b -= 1
    while b * (b + 1) // 2 <= k:
        b += 1
    return k - b * (b - 1) // 2, b


def hard_pair(seed: int = 7, query: int = 25, target: int = 60) -> tuple[Graph, Graph]:
    """A dense query and a target without labels to go by: nowhere near solved within seconds."""
    rng = random.Random(seed)
    return random_graph(rng, query, 0.25), random_graph(rng, target, 0.2)


def medium_pairs(seed: int, count: int) -> list[tuple[Graph, Graph]]:
    """Pairs beyond brute force that take the engine tens to thousands of search nodes."""
    rng = random.Random(seed)
    pairs = []
    for k in range(count):
        bonds = 2 if k % 4 == 0 else 0
        q = random_graph(rng, rng.randint(8, 12), rng.uniform(0.3, 0.7), rng.randint(1, 5), bonds)
        t = random_graph(rng, rng.randint(12, 20), rng.uniform(0.1, 0.35), rng.randint(1, 5), bonds)
        pairs.append((q, t))
    return pairs
