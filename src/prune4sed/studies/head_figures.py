"""How differently the heads of a model prune, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet
from prune4sed.training.metrics import interval_rmse

if TYPE_CHECKING:
    from prune4sed.models.prune4sed import Prune4SED, Pruning

__all__ = ["BEST", "best_nodes", "head_figures", "mean_correlation", "mean_jaccard"]

# As many as the paper's hard pruning starts from, also for a model that predicts with another k.
BEST = 5


def head_figures(model: Prune4SED, one: PairSet) -> dict[str, Any]:
    """How alike the heads are over some pairs, and what their mean gains over each alone.

    Returns
    -------
    dict
        ``jaccard_kept`` and ``jaccard_best``: mean Jaccard index, over pairs of heads, of the nodes that hard
        pruning leaves and of the `BEST` nodes that each head likes best. ``correlation``: of keep
        probabilities. ``spread``: mean standard deviation of the heads' predictions. ``rmse_heads``,
        ``rmse_mean``: of every head alone and of the mean. None where nothing can be said.
    """
    found = [model.prune(one.queries[q], one.targets[t]) for q, t in one.pairs.index.tolist()]
    said = np.array(
        [model.predict_heads(one.queries[q], one.targets[t]) for q, t in one.pairs.index.tolist()]
    )
    bounds = one.pairs.lower, one.pairs.upper
    return {
        "pairs": len(found),
        "heads": model.options.heads,
        "jaccard_kept": _mean([mean_jaccard(pruning.kept) for pruning in found]),
        "jaccard_best": _mean([mean_jaccard(best_nodes(pruning, BEST)) for pruning in found]),
        "correlation": _mean([mean_correlation(pruning.keep) for pruning in found]),
        "spread": float(said.std(axis=1).mean()),
        "rmse_heads": [interval_rmse(column, *bounds) for column in said.T],
        "rmse_mean": interval_rmse(said.mean(axis=1), *bounds),
    }


def best_nodes(pruning: Pruning, k: int) -> NDArray[np.bool_]:
    """The k nodes that each head would rather keep than others, (heads, nodes)."""
    order = np.argsort(-pruning.keep, axis=1, kind="stable")[:, :k]
    best = np.zeros(pruning.keep.shape, dtype=bool)
    np.put_along_axis(best, order, True, axis=1)
    return best


def mean_jaccard(sets: NDArray[np.bool_]) -> float | None:
    """Mean over pairs of rows of the share of nodes in either that are in both; None for a single row.

    Examples
    --------
    >>> mean_jaccard(np.array([[True, True, False], [False, True, True]])) == 1 / 3
    True
    """
    either = [((a | b).sum(), (a & b).sum()) for a, b in combinations(sets, 2)]
    return _mean([float(both) / float(any_) if any_ else None for any_, both in either])


def mean_correlation(rows: NDArray[np.float32]) -> float | None:
    """Mean of Pearson's correlation over pairs of rows; None if no two rows have any.

    Examples
    --------
    >>> round(mean_correlation(np.array([[0.1, 0.9, 0.5], [0.2, 0.8, 0.5]], np.float32)), 3)
    1.0
    """
    varied = [row.astype(np.float64) for row in rows if np.ptp(row) > 0]
    return _mean([float(np.corrcoef(a, b)[0, 1]) for a, b in combinations(varied, 2)])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None
