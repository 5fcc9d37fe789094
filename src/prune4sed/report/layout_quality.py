"""What spoils a picture of a graph: edges that cross, and edges that run through nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["covered", "crossings"]

Points = NDArray[np.float64]

TINY = 1e-9
NEAR = 0.22  # an edge that comes so close to a node runs through it


def crossings(points: Points, edges: NDArray[np.int64]) -> int:
    """Number of pairs of edges that cross, not counting those that meet in a node.

    Examples
    --------
    >>> corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> crossings(corners, np.array([[0, 1], [2, 3]])), crossings(corners, np.array([[0, 2], [1, 3]]))
    (1, 0)
    """
    a, b = points[edges[:, 0]], points[edges[:, 1]]
    first = _side(a, b, a) * _side(a, b, b)
    return int(np.triu((first < 0) & (first.T < 0), 1).sum())


def covered(points: Points, edges: NDArray[np.int64]) -> int:
    """Number of times that an edge runs through a node that is not its end.

    Examples
    --------
    >>> covered(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.1]]), np.array([[0, 1], [1, 2]]))
    1
    """
    a, along = points[edges[:, 0]], points[edges[:, 1]] - points[edges[:, 0]]
    away = points[None, :, :] - a[:, None, :]
    share = (away * along[:, None, :]).sum(axis=2) / np.maximum((along**2).sum(axis=1), TINY)[:, None]
    foot = away - np.clip(share, 0, 1)[..., None] * along[:, None, :]
    near = np.hypot(foot[..., 0], foot[..., 1]) < NEAR
    near[np.arange(len(edges))[:, None], edges] = False
    return int(near.sum())


def _side(a: Points, b: Points, c: Points) -> Points:
    """For each line i from a to b and point j: on which side of the line the point lies."""
    along, away = (b - a)[:, None, :], c[None, :, :] - a[:, None, :]
    side: Points = along[..., 0] * away[..., 1] - along[..., 1] * away[..., 0]
    # A shared end lies on the line itself; rounding must not put it on a side.
    return np.where(np.abs(side) < TINY, 0.0, side)
