"""Which pairs go together: as many as the device takes at a time, pairs of like size beside each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["chunks"]

Longs = NDArray[np.int64]


def chunks(sizes: Longs, rows: int, most: int | None = None, like: Longs | None = None) -> Iterator[Longs]:
    """Split items into lists of about `rows` rows, in order of size.

    Parameters
    ----------
    sizes : array of int64
        Rows of every item.
    rows : int
        No list has more, save one of a single item.
    most : int, optional
        No list has more items than this.
    like : array of int64, optional
        The order instead, where another size than that of the rows should be alike within a list.

    Yields
    ------
    array of int64
        Positions of items; every item is in exactly one list.

    Examples
    --------
    >>> [found.tolist() for found in chunks(np.array([5, 1, 3, 2]), rows=5)]
    [[0], [3, 2], [1]]
    """
    order = np.argsort(sizes if like is None else like, kind="stable")
    before = np.concatenate([[0], np.cumsum(sizes[order])])
    stop = len(order)
    # From the largest down: if memory does not suffice, that shows at once.
    while stop:
        start = int(np.searchsorted(before, before[stop] - rows, side="left"))
        start = min(start, stop - 1) if most is None else max(min(start, stop - 1), stop - most)
        yield order[start:stop]
        stop = start
