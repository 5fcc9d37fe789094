"""Pairs to draw: chosen by a seed and a rule, not by hand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet
from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.studies.pruned_distances import NODE_LIMIT

__all__ = ["LARGEST", "SMALLEST", "one_target_each", "readable"]

#: Target nodes that can be read in a small picture, and of which some can be spared.
SMALLEST, LARGEST = 14, 40
# Nodes of a query, in those of its target: a larger one leaves little to prune, a smaller one is everywhere.
_SHARE = 0.3, 0.6
_DRAWN = 24  # queries to choose the nearest of


def readable(targets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Positions of the targets of so many nodes that suit a small picture; of all if none do.

    Examples
    --------
    >>> readable(np.array([5, 20, 300, 30])).tolist()
    [1, 3]
    """
    fit = np.flatnonzero((targets >= SMALLEST) & (targets <= LARGEST))
    return fit if len(fit) else np.arange(len(targets))


def one_target_each(one: PairSet, targets: int, queries: int, seed: int) -> list[tuple[Graph, Graph]]:
    """So many targets of a set with so many queries each.

    The seed draws the targets, of more than one label if there are such, and for each of them some queries of
    0.3 to 0.6 times its nodes (of any size, if there are none). Of those the nearest are taken: where nothing
    matches, nothing can be seen.

    Returns
    -------
    list of (query, target)
        Pairs of one target follow each other.
    """
    rng = np.random.default_rng(seed)
    fit = readable(one.targets.num_nodes)
    mixed = [at for at in fit.tolist() if len(set(one.targets[at].labels)) > 1]
    fit = np.array(mixed) if mixed else fit
    pairs = []
    for position in rng.choice(fit, min(targets, len(fit)), replace=False).tolist():
        target = one.targets[position]
        share = one.queries.num_nodes / max(len(target), 1)
        suited = np.flatnonzero((share >= _SHARE[0]) & (share <= _SHARE[1]))
        pool = suited if len(suited) else np.arange(len(one.queries))
        drawn = one.queries.take(rng.choice(pool, min(_DRAWN, len(pool)), replace=False))
        found = sed_pairs(drawn, target, _with_one(len(drawn)), time_limit=None, node_limit=NODE_LIMIT)
        nearest: dict[object, Graph] = {}
        for i in np.argsort(found.upper, kind="stable").tolist():
            # A functional group may be the query of many pairs; it is drawn once.
            nearest.setdefault((drawn[i].labels, drawn[i].edges), drawn[i])
        pairs += [(query, target) for query in list(nearest.values())[:queries]]
    return pairs


def _with_one(count: int) -> NDArray[np.int64]:
    """Pairs of so many queries with the only target."""
    return np.column_stack([np.arange(count), np.zeros(count, dtype=np.int64)])
