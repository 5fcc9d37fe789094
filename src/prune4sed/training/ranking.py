"""Some queries of a set against many of its targets each: what it takes to judge an order.

The sets of the paper have one target per query, so nothing can be ranked there. Exact labels for a few more
pairs are made on the spot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet
from prune4sed.datasets.table import PairTable
from prune4sed.errors import OptionError
from prune4sed.exact.bulk import Progress
from prune4sed.exact.engine import sed_pairs

__all__ = ["ranking_set"]

# Search nodes per pair: few enough for seconds in all; what they do not prove is left out of the order.
NODE_LIMIT = 300
_QUERIES, _TARGETS = 20, 50


def ranking_set(
    one: PairSet, pairs: int | None = None, seed: int = 0, progress: Progress | None = None
) -> PairSet:
    """Random queries of a set, each with the same random targets of it, labelled by the exact engine.

    Parameters
    ----------
    one : PairSet
        Where to take graphs from.
    pairs : int, optional
        At most about so many; 20 queries with 50 targets by default.
    seed : int
        Which ones. Same seed, same pairs, same labels.
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    PairSet

    Examples
    --------
    >>> from prune4sed import Graph, GraphSet
    >>> graphs = GraphSet([Graph(["C"] * n, [(i, i + 1) for i in range(n - 1)]) for n in (2, 3, 4)])
    >>> table = PairTable(np.array([[2, 0], [2, 1]]), np.zeros(2), np.zeros(2), np.zeros((2, 4), np.int32))
    >>> ranking_set(PairSet(graphs, graphs, table)).pairs.upper
    array([4., 2.])
    """
    if pairs is not None and pairs < 1:
        raise OptionError(f"pairs must be 1 or more, got {pairs}")
    many = _QUERIES * _TARGETS if pairs is None else pairs
    width = min(_TARGETS, max(2, int(np.sqrt(many * _TARGETS / _QUERIES))))
    rng = np.random.default_rng(seed)
    queries = _some(one.pairs.query, min(_QUERIES, max(1, many // width)), rng)
    targets = _some(one.pairs.target, width, rng)
    index = np.stack(np.meshgrid(queries, targets, indexing="ij"), -1).reshape(-1, 2)
    found = sed_pairs(
        one.queries, one.targets, index, time_limit=None, node_limit=NODE_LIMIT, progress=progress
    )
    return PairSet(one.queries, one.targets, PairTable(index, found.lower, found.upper, found.mapping))


def _some(positions: NDArray[np.int64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    distinct = np.unique(positions)
    return np.sort(rng.choice(distinct, min(count, len(distinct)), replace=False))
