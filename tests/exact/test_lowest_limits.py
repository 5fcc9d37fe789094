"""Queries cut out of large targets, which annealing often misses and a look at the lowest limits finds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import prune4sed as ps
from prune4sed import Graph


def _clustered(rng: np.random.Generator, nodes: int) -> Graph:
    """A graph of many triangles and two labels, in which many places look alike."""
    edges = {(int(rng.integers(v)), v) for v in range(1, nodes)}
    around: list[set[int]] = [set() for _ in range(nodes)]
    for a, b in edges:
        around[a].add(b)
        around[b].add(a)
    for centre in range(nodes):
        close = sorted(around[centre])
        for a, b in pairwise(close):
            if rng.random() < 0.6:
                edges.add((a, b))
    return Graph(rng.integers(2, size=nodes).tolist(), sorted(edges))


def _piece(g: Graph, size: int, rng: np.random.Generator) -> Graph:
    around: dict[int, list[int]] = {v: [] for v in range(len(g))}
    for a, b in g.edges:
        around[a].append(b)
        around[b].append(a)
    nodes = [int(rng.integers(len(g)))]
    while len(nodes) < size:
        rim = sorted({w for v in nodes for w in around[v]} - set(nodes))
        nodes.append(rim[int(rng.integers(len(rim)))])
    return g.subgraph(rng.permutation(nodes).tolist())


@pytest.mark.parametrize("seed", range(6))
def test_a_piece_of_a_large_target_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    target = _clustered(rng, 250)
    query = _piece(target, 18, rng)
    result = ps.sed(query, target, time_limit=None, node_limit=2000)
    assert result.certified
    assert result.upper == 0
