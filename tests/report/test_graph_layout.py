"""Layouts: the same every time, nothing on top of each other, few crossings, near the graph's distances."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform

from prune4sed.errors import OptionError
from prune4sed.graph import Graph
from prune4sed.report.graph_layout import GAP, LARGEST, layout, turn_to
from prune4sed.report.layout_quality import covered, crossings


def graph_of(plain: nx.Graph) -> Graph:
    place = {node: i for i, node in enumerate(plain)}
    return Graph([0] * len(plain), [(place[a], place[b]) for a, b in plain.edges])


def ends(graph: Graph) -> np.ndarray:
    return np.array(graph.edges, dtype=np.int64).reshape(-1, 2)


@pytest.mark.parametrize("size", [0, 1, 2])
def test_tiny_graphs(size: int) -> None:
    points = layout(Graph(["C"] * size, [(0, 1)] if size == 2 else []))
    assert points.shape == (size, 2)
    if size == 2:
        assert np.hypot(*(points[0] - points[1])) == pytest.approx(1, abs=0.01)


def test_a_star_with_a_triangle() -> None:
    """Many equal eigenvalues, of which LAPACK finds none."""
    edges = [*((u, 9) for u in range(9)), *((9, u) for u in range(10, 21)), (2, 10), (10, 20)]
    assert layout(Graph([0] * 21, edges)).shape == (21, 2)


@settings(max_examples=25)
@given(st.integers(2, 40), st.floats(0, 0.2), st.integers(0, 10**6))
def test_nodes_keep_apart_and_pictures_are_repeatable(size: int, dense: float, seed: int) -> None:
    graph = graph_of(nx.gnp_random_graph(size, dense, seed=seed))
    points = layout(graph)
    assert np.isfinite(points).all()
    assert pdist(points).min() > 0.6 * GAP
    assert np.array_equal(points, layout(graph))


@pytest.mark.parametrize(
    "plain",
    [
        nx.cycle_graph(12),
        nx.star_graph(9),
        nx.path_graph(30),
        nx.balanced_tree(2, 3),
        nx.ladder_graph(8),
        nx.hexagonal_lattice_graph(2, 2),
        nx.wheel_graph(7),
    ],
    ids=["cycle", "star", "path", "tree", "ladder", "hexagons", "wheel"],
)
def test_simple_shapes_are_drawn_without_crossings(plain: nx.Graph) -> None:
    graph = graph_of(plain)
    points = layout(graph)
    assert crossings(points, ends(graph)) == 0
    assert covered(points, ends(graph)) == 0


def test_distances_in_the_picture_follow_those_in_the_graph() -> None:
    plain = nx.connected_watts_strogatz_graph(80, 4, 0.05, seed=3)
    far = dict(nx.all_pairs_shortest_path_length(plain))
    pairs = list(combinations(range(80), 2))
    wanted = np.array([far[a][b] for a, b in pairs])
    ours = squareform(pdist(layout(graph_of(plain))))
    peer = nx.kamada_kawai_layout(plain)
    theirs = squareform(pdist([peer[node] for node in range(80)]))
    follows = [np.corrcoef(wanted, [drawn[pair] for pair in pairs])[0, 1] for drawn in (ours, theirs)]
    assert follows[0] > 0.97 * follows[1] > 0.8


def test_components_lie_beside_each_other() -> None:
    graph = graph_of(nx.disjoint_union_all([nx.cycle_graph(6), nx.path_graph(4), nx.empty_graph(3)]))
    points = layout(graph)
    parts = [points[:6], points[6:10], *(points[i : i + 1] for i in range(10, 13))]
    boxes = [(part.min(axis=0), part.max(axis=0)) for part in parts]
    for (low, high), (bottom, top) in combinations(boxes, 2):
        assert (high < bottom).any() or (top < low).any()


def test_a_hub_gets_room_for_its_leaves() -> None:
    near = layout(graph_of(nx.star_graph(4)))
    far = layout(graph_of(nx.star_graph(80)))
    assert np.hypot(*(far[1:] - far[0]).T).mean() > 2 * np.hypot(*(near[1:] - near[0]).T).mean()


def test_too_large_a_graph_is_refused() -> None:
    with pytest.raises(OptionError, match="too large to draw"):
        layout(Graph([0] * (LARGEST + 1)))


@given(st.integers(2, 12), st.integers(0, 10**6))
def test_turning_keeps_distances_and_finds_the_turn(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points, angle = rng.normal(size=(size, 2)), rng.uniform(0, 6.3)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    goal = points @ turn * [rng.choice([-1, 1]), 1] + rng.normal(size=2)
    turned = turn_to(points, goal, range(size))
    assert np.allclose(pdist(turned), pdist(points))
    assert np.allclose(turned, goal - goal.mean(axis=0), atol=1e-6)


def crosses(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int], d: tuple[int, int]) -> bool:
    """Whole numbers, so no rounding: do the two lines cross inside?"""

    def side(p: tuple[int, int], q: tuple[int, int], r: tuple[int, int]) -> int:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=9, unique=True), st.data()
)
def test_crossings_are_counted(corners: list[tuple[int, int]], data: st.DataObject) -> None:
    every = list(combinations(range(len(corners)), 2))
    edges = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    expected = sum(
        crosses(corners[a], corners[b], corners[c], corners[d]) for (a, b), (c, d) in combinations(edges, 2)
    )
    assert crossings(np.array(corners, dtype=float), np.array(edges)) == expected
