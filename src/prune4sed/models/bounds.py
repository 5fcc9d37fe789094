"""Predictions kept within bounds that the exact engine proves at next to no cost."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.engine import sed_pairs
from prune4sed.graphset import GraphSet

__all__ = ["Bounded", "clip_to_bounds"]


class Bounded(NamedTuple):
    """Predictions within bounds that are proven.

    Attributes
    ----------
    predicted : float32, (pairs,)
        Never under `lower` nor over `upper`.
    lower, upper : float64, (pairs,)
        Proven bounds on each distance; where they agree, it is known.
    """

    predicted: NDArray[np.float32]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def clip_to_bounds(
    predicted: NDArray[np.float32],
    queries: GraphSet,
    targets: GraphSet,
    index: NDArray[np.int64],
    threads: int | None = None,
) -> Bounded:
    """Predictions moved into the engine's first bounds: label counts, one assignment and a greedy mapping.

    A prediction moves only towards the truth, so no error grows. Where the bounds meet, it becomes exact.

    Parameters
    ----------
    predicted : array of float32, (pairs,)
        What a model says.
    queries, targets : GraphSet
        What was compared.
    index : array of int64, (pairs, 2)
        Positions of query and target.
    threads : int, optional
        All cores by default.

    Returns
    -------
    Bounded

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> q, t = GraphSet([Graph(["C", "O"], [(0, 1)])]), GraphSet([Graph(["C", "N"], [(0, 1)])])
    >>> clip_to_bounds(np.array([2.3], dtype=np.float32), q, t, np.array([[0, 0]])).predicted
    array([1.], dtype=float32)
    """
    found = sed_pairs(queries, targets, index, time_limit=0, threads=threads)
    clipped = np.clip(predicted, found.lower, found.upper).astype(np.float32)
    return Bounded(clipped, found.lower, found.upper)
