"""Whether pruning keeps the nodes of the optimal match, in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet

if TYPE_CHECKING:
    from prune4sed.models.prune4sed import Prune4SED

__all__ = ["area_under_curve", "match_kept"]


def match_kept(model: Prune4SED, one: PairSet) -> dict[str, Any]:
    """What hard and soft pruning do to the nodes of the known best match, the mean over pairs and heads.

    Returns
    -------
    dict
        ``kept``: share of all nodes that hard pruning leaves. ``match_kept``: share of matched nodes that it
        leaves. ``auc``: how likely a matched node has a larger keep probability than another of its target;
        0.5 is chance. None where nothing can be said.
    """
    kept, matched, areas = [], [], []
    for (q, t), mapping in zip(one.pairs.index.tolist(), one.pairs.mapping, strict=True):
        pruning = model.prune(one.queries[q], one.targets[t])
        inside = np.zeros(pruning.keep.shape[1], dtype=bool)
        inside[mapping[mapping >= 0]] = True
        kept.append(float(pruning.kept.mean()))
        matched += [float(pruning.kept[:, inside].mean())] if inside.any() else []
        areas += [area_under_curve(row, inside) for row in pruning.keep]
    known = [area for area in areas if area is not None]
    return {
        "pairs": len(kept),
        "kept": float(np.mean(kept)),
        "match_kept": float(np.mean(matched)) if matched else None,
        "auc": float(np.mean(known)) if known else None,
    }


def area_under_curve(scores: NDArray[np.float32], inside: NDArray[np.bool_]) -> float | None:
    """How likely one inside scores more than one outside, ties by half; None if one side is empty.

    Examples
    --------
    >>> area_under_curve(np.array([0.9, 0.2, 0.5], np.float32), np.array([True, False, True]))
    1.0
    """
    ours, others = scores[inside], scores[~inside]
    if not len(ours) or not len(others):
        return None
    return float((np.sign(ours[:, None] - others[None, :]).mean() + 1) / 2)
