"""The first few of very many, without sorting all of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["first"]


def first(primary: NDArray[Any], secondary: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Positions of the smallest by `primary`, then by `secondary`, then by position; sorted.

    Examples
    --------
    >>> first(np.array([1, 0, 1, 1]), np.array([5, 9, 3, 5]), 3).tolist()
    [1, 2, 0]
    """
    positions = np.arange(len(primary))
    if count < len(primary):
        last = _at(primary, count - 1)
        sure, tied = np.flatnonzero(primary < last), np.flatnonzero(primary == last)
        room = count - len(sure)
        if room < len(tied):
            worst = np.partition(secondary[tied], room - 1)[room - 1]
            tied = tied[secondary[tied] <= worst]
        positions = np.concatenate([sure, tied])
    order = np.lexsort((positions, secondary[positions], primary[positions]))
    return positions[order[:count]]


def _at(values: NDArray[Any], rank: int) -> Any:
    """What would be at this place if all were sorted."""
    if values.dtype.kind in "iu" and values.min() >= 0 and values.max() < len(values):
        # Bounds are few and small: to count them takes a tenth of the time.
        return np.searchsorted(np.cumsum(np.bincount(values)), rank, side="right")
    return np.partition(values, rank)[rank]
