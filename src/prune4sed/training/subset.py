"""A part of a set of pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from prune4sed.datasets.dataset import PairSet
from prune4sed.errors import OptionError

__all__ = ["some_pairs"]


def some_pairs(one: PairSet, count: int | None, seed: int = 0) -> PairSet:
    """So many random pairs of a set, in their order, with no graphs but theirs; all for None.

    Raises
    ------
    OptionError
        If there are not as many.
    """
    total = len(one.pairs)
    if count is None or count == total:
        return one
    if count < 1:
        raise OptionError(f"pairs must be 1 or more, got {count}")
    if count > total:
        raise OptionError(f"{count:,} pairs were asked for, but the set has {total:,}")
    rows = np.sort(np.random.default_rng(seed).choice(total, count, replace=False))
    table = one.pairs[rows]
    queries, query_at = np.unique(table.query, return_inverse=True)
    targets, target_at = np.unique(table.target, return_inverse=True)
    index = np.column_stack([query_at, target_at]).astype(np.int64)
    return PairSet(one.queries.take(queries), one.targets.take(targets), replace(table, index=index))
