"""How much the distance changes when targets are pruned: exact distances before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet
from prune4sed.exact.engine import sed_pairs
from prune4sed.graphset import GraphSet
from prune4sed.report.cut_out import cut_out

__all__ = ["NODE_LIMIT", "compare_distances", "pruned_bounds", "pruned_figures"]

Floats = NDArray[np.float64]

#: Search nodes per pair: more than nearly all pairs need, and the same answer on every machine.
NODE_LIMIT = 50_000


def pruned_figures(one: PairSet, kept: Sequence[NDArray[np.bool_]]) -> dict[str, Any]:
    """Compare the true distances of pairs with those to what is left of their targets.

    Parameters
    ----------
    one : PairSet
        Pairs with proven bounds.
    kept : sequence of array of bool
        The nodes that stay, for the target of every pair.

    Returns
    -------
    dict
        What `compare_distances` says, and ``certified``, the share of pairs where both distances are proven.
    """
    lower, upper = pruned_bounds(one, kept)
    pairs = one.pairs
    found = compare_distances((pairs.lower + pairs.upper) / 2, (lower + upper) / 2)
    found["certified"] = float(((lower == upper) & pairs.certified).mean())
    found["pruned"] = 1 - float(np.concatenate(kept).mean())
    return found


def pruned_bounds(one: PairSet, kept: Sequence[NDArray[np.bool_]]) -> tuple[Floats, Floats]:
    """Proven bounds on the distance of every query to what is left of its target."""
    index = one.pairs.index
    rest = GraphSet(
        cut_out(one.targets[target], np.flatnonzero(stay).tolist())
        for target, stay in zip(index[:, 1].tolist(), kept, strict=True)
    )
    rows = np.column_stack([index[:, 0], np.arange(len(index))])
    table = sed_pairs(one.queries, rest, rows, time_limit=None, node_limit=NODE_LIMIT)
    return table.lower, table.upper


def compare_distances(true: Floats, pruned: Floats) -> dict[str, Any]:
    """Pearson's correlation, mean absolute error, the share of equal pairs, and how many pairs are where.

    The correlation is None where one side is all alike, for then there is none.

    Examples
    --------
    >>> found = compare_distances(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    >>> round(found["correlation"], 3), round(found["mae"], 3), found["bubbles"]
    (0.982, 0.333, [[1.0, 1.0, 1], [2.0, 2.0, 1], [3.0, 4.0, 1]])
    """
    alike = not len(true) or np.ptp(true) == 0 or np.ptp(pruned) == 0
    counts = Counter(zip(true.tolist(), pruned.tolist(), strict=True))
    return {
        "pairs": len(true),
        "correlation": None if alike else float(np.corrcoef(true, pruned)[0, 1]),
        "mae": float(np.abs(true - pruned).mean()),
        "unchanged": float((true == pruned).mean()),
        "bubbles": [[x, y, count] for (x, y), count in sorted(counts.items())],
    }
