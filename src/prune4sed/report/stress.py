"""Stress majorisation: points as far apart as they are wanted to be, near ones above all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Stress"]

Points = NDArray[np.float64]

TINY = 1e-9
STEPS = 200
SETTLED = 0.005  # a step that moves no point further is the last


class Stress:
    """The stress of points in the plane, and how to lower it (SMACOF).

    Parameters
    ----------
    wanted : array, (n, n)
        Distances to aim at, each weighted by the inverse of its square.

    Examples
    --------
    >>> apart = Stress(np.array([[0.0, 2.0], [2.0, 0.0]]))
    >>> points = apart.settle(np.array([[0.0, 0.0], [0.1, 0.1]]))
    >>> round(float(np.hypot(*(points[1] - points[0]))), 3)
    2.0
    """

    def __init__(self, wanted: Points) -> None:
        self.wanted = wanted
        self.weights = 1 / np.maximum(wanted, TINY) ** 2
        np.fill_diagonal(self.weights, 0)
        self.pull = self.weights * wanted
        laplacian = np.diag(self.weights.sum(axis=1)) - self.weights
        # Centred points have no component along the ones, so adding them there makes the matrix invertible.
        self.inverse = np.linalg.inv(laplacian + 1 / len(wanted)) - 1 / len(wanted)

    def settle(self, points: Points) -> Points:
        """Move all points at once, each step to where the stress is no more than before."""
        for _ in range(STEPS):
            ratio = self.pull / np.maximum(_distances(points), TINY)
            moved = self.inverse @ (ratio.sum(axis=1)[:, None] * points - ratio @ points)
            still = np.abs(moved - points).max() < SETTLED
            points = moved
            if still:
                break
        return points

    def stress(self, points: Points) -> float:
        return float((self.weights * (_distances(points) - self.wanted) ** 2).sum())


def _distances(points: Points) -> Points:
    from scipy.spatial.distance import cdist

    lengths: Points = cdist(points, points)
    return lengths
