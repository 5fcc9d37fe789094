"""Where to put the nodes of a graph in a picture.

Stress majorisation: nodes end up about as far apart as they are in the graph. Edges at busy nodes are meant
to be longer, which gives the leaves of a hub room. Components are laid out one by one and packed in rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import OptionError
from prune4sed.report.layout_quality import covered, crossings
from prune4sed.report.stress import Stress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from prune4sed.graph import Graph

__all__ = ["layout", "turn_to"]

Points = NDArray[np.float64]

TINY = 1e-9
LARGEST = 2000  # nodes: time and memory grow with their square
# Graphs with no more nodes than FEW are laid out from several starts, and the clearest picture wins.
FEW, STARTS = 60, 12
BEND = 0.9  # below 1 lets long chains bend, and so fill a picture better
GAP = 0.55  # nearest two nodes may come, in units of the shortest edge wanted
ASPECT = 1.25  # width to height that packed components aim at


def layout(graph: Graph, seed: int = 0, starts: int = STARTS) -> Points:
    """Positions of the nodes; the same graph and seed give the same picture.

    Parameters
    ----------
    graph : Graph
        Any graph; readable up to a few hundred nodes.
    seed : int
        Another seed may give another picture.
    starts : int
        How many pictures of a small graph to choose the clearest of; fewer is quicker.

    Returns
    -------
    numpy.ndarray
        (nodes, 2), centred; neighbours are about 1 apart, and the picture is wider than high.

    Raises
    ------
    OptionError
        If the graph has too many nodes for a picture.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> xy = layout(Graph(["C", "C", "C"], [(0, 1), (1, 2)]))
    >>> bool(np.ptp(xy[:, 0]) > 1.8), bool(np.ptp(xy[:, 1]) < 0.5)
    (True, True)
    """
    if len(graph) > LARGEST:
        raise OptionError(f"a graph of {len(graph)} nodes is too large to draw; {LARGEST} nodes is the most")
    edges = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    pieces = []
    for nodes in _components(len(graph), edges):
        own = edges[np.isin(edges[:, 0], nodes)]
        pieces.append((nodes, _connected(np.searchsorted(nodes, own), len(nodes), seed, starts)))
    return _packed(pieces, len(graph))


def turn_to(points: Points, goal: Points, rows: Sequence[int]) -> Points:
    """Turn, and mirror if that helps, a layout so that its nodes `rows` lie as `goal` does.

    Distances within the layout stay as they are.

    Examples
    --------
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    >>> turned = turn_to(square @ np.array([[0.0, 1.0], [-1.0, 0.0]]), square, [0, 1, 2])
    >>> bool(np.allclose(turned, square - square.mean(axis=0)))
    True
    """
    if len(rows) < 2:
        return points
    centred: Points = points - points.mean(axis=0)
    ours, theirs = centred[list(rows)], goal - goal.mean(axis=0)
    left, _, right = np.linalg.svd((ours - ours.mean(axis=0)).T @ theirs)
    turned: Points = centred @ left @ right
    return turned


def _components(size: int, edges: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Nodes of each connected component, in order; the largest component first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = (edges[:, 0], edges[:, 1])
    matrix = coo_array((np.ones(len(edges)), ends), shape=(size, size)).tocsr()
    count, names = connected_components(matrix, directed=False) if size else (0, np.zeros(0))
    return sorted((np.flatnonzero(names == i) for i in range(count)), key=len, reverse=True)


def _connected(edges: NDArray[np.int64], size: int, seed: int, tries: int) -> Points:
    """A layout of one connected graph, lying on its longer side."""
    if size == 1:
        return np.zeros((1, 2))
    wanted = _wanted_distances(edges, size)
    rng = np.random.default_rng(seed)
    starts = [_spectral(wanted)]
    if size <= FEW:
        starts += [rng.normal(size=(size, 2)) * wanted.mean() for _ in range(tries)]
    stress = Stress(wanted)
    drawn = [stress.settle(start + rng.normal(scale=0.01, size=start.shape)) for start in starts]
    if len(drawn) > 1:
        flaws = [crossings(points, edges) + covered(points, edges) for points in drawn]
        drawn = [points for points, bad in zip(drawn, flaws, strict=True) if bad == min(flaws)]
    best = min(drawn, key=stress.stress)
    return _flat(_pushed_apart(best, GAP))


def _wanted_distances(edges: NDArray[np.int64], size: int) -> Points:
    """Graph distances, with longer edges where a node has many neighbours that the other has not."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    adjacent = np.zeros((size, size))
    adjacent[edges[:, 0], edges[:, 1]] = adjacent[edges[:, 1], edges[:, 0]] = 1
    degree = adjacent.sum(axis=1)
    common = np.einsum("ij,ij->i", adjacent[edges[:, 0]], adjacent[edges[:, 1]])
    apart = degree[edges[:, 0]] + degree[edges[:, 1]] - 2 * common
    # A hub of k leaves needs a circle of length k, or a disc of area k: the root is between flat and crowded.
    lengths = np.maximum(1.0, 0.45 * np.sqrt(apart))
    matrix = coo_array((lengths, (edges[:, 0], edges[:, 1])), shape=(size, size)).tocsr()
    distances: Points = shortest_path(matrix, directed=False)
    return distances**BEND


def _spectral(wanted: Points) -> Points:
    """Classical scaling: a good place to start from, and the same every time."""
    from scipy.linalg import eigh

    last = len(wanted) - 1
    squared = wanted**2
    centred = squared - squared.mean(axis=0) - squared.mean(axis=1)[:, None] + squared.mean()
    values, vectors = eigh(-0.5 * centred, subset_by_index=[last - 1, last])
    if len(values) < 2:  # LAPACK may find none of those asked for where a star makes many of them equal
        values, vectors = (found[..., -2:] for found in np.linalg.eigh(-0.5 * centred))
    points: Points = vectors * np.sqrt(np.maximum(values, 0))
    return points


def _pushed_apart(points: Points, gap: float) -> Points:
    """Move nodes that sit on top of each other until they are about `gap` apart."""
    from scipy.spatial import cKDTree

    points = points.copy()
    for _ in range(100):
        close = cKDTree(points).query_pairs(0.99 * gap, output_type="ndarray")
        if not len(close):
            break
        close = close[np.lexsort(close.T)]
        ways = points[close[:, 0]] - points[close[:, 1]]
        lengths = np.maximum(np.hypot(*ways.T), TINY)[:, None]
        push = 0.4 * ways * (gap - lengths) / lengths
        np.add.at(points, close[:, 0], push)
        np.add.at(points, close[:, 1], -push)
    return points


def _flat(points: Points) -> Points:
    """Turned so that the longest way through the graph is level."""
    centred = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False)
    turned: Points = centred @ axes.T
    # The sign of an axis is arbitrary; the first node, the centre of an ego-net, says which way is up.
    return turned * np.where(turned[0] < -TINY, -1, 1)


def _packed(pieces: list[tuple[Any, Points]], size: int) -> Points:
    """Put components next to each other in rows, centred as a whole."""
    placed = np.zeros((size, 2))
    boxes = [np.ptp(points, axis=0) + 1 for _, points in pieces]
    width = max([np.sqrt(ASPECT * sum(box.prod() for box in boxes)), *(box[0] for box in boxes)], default=0)
    x = y = height = 0.0
    for (nodes, points), box in zip(pieces, boxes, strict=True):
        if x and x + box[0] > width + TINY:
            x, y, height = 0.0, y - height, 0.0
        low, high = points.min(axis=0), points.max(axis=0)
        placed[nodes] = points - [low[0], high[1]] + [x, y]
        x, height = x + box[0], max(height, box[1])
    return placed - (placed.max(axis=0) + placed.min(axis=0)) / 2 if size else placed
