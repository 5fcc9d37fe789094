"""Which nodes of targets go when a share of all is pruned by some score."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet
from prune4sed.errors import OptionError
from prune4sed.models.predictor import Predictor

__all__ = [
    "RULES",
    "degree_scores",
    "keep_scores",
    "match_scores",
    "one_share_each",
    "one_threshold",
    "random_scores",
]

Scores = NDArray[np.float64]
Kept = NDArray[np.bool_]


def keep_scores(model: Predictor, one: PairSet) -> list[Scores]:
    """What a model would keep: its keep probabilities, the mean over its heads, for the target of every pair.

    A node that a head prunes hard counts as 0 in it.

    Raises
    ------
    OptionError
        If the model does not prune.
    """
    prune = getattr(model, "prune", None)
    if prune is None:
        raise OptionError(f"{model.name} does not prune targets")
    scores = []
    for query, target in one.pairs.index.tolist():
        found = prune(one.queries[query], one.targets[target])
        scores.append((found.keep * found.kept).mean(axis=0).astype(np.float64))
    return scores


def random_scores(one: PairSet, seed: int) -> list[Scores]:
    """Scores that know nothing."""
    rng = np.random.default_rng(seed)
    return [rng.random(int(n)) for n in one.targets.num_nodes[one.pairs.target]]


def degree_scores(one: PairSet) -> list[Scores]:
    """The number of neighbours: nodes at the rim go first, whatever the query is."""
    scores = []
    for target in one.pairs.target.tolist():
        graph = one.targets[target]
        ends = np.array(graph.edges, dtype=np.int64).reshape(-1)
        scores.append(np.bincount(ends, minlength=len(graph)).astype(np.float64))
    return scores


def match_scores(one: PairSet) -> list[Scores]:
    """What a pruning could know at best: nodes of the known best match go last, the rim of it first."""
    scores = []
    for degrees, mapping in zip(degree_scores(one), one.pairs.mapping, strict=True):
        score = np.zeros(len(degrees))
        images = mapping[mapping >= 0]
        score[images] = 1 + degrees[images]
        scores.append(score)
    return scores


def one_threshold(scores: Sequence[Scores], ratio: float, seed: int = 0) -> list[Kept]:
    """The nodes that stay when one threshold for all targets prunes this share of all nodes, as in the paper.

    Nodes on the threshold go in a random order, so that the share is met.

    Examples
    --------
    >>> [kept.tolist() for kept in one_threshold([np.array([0.1, 0.2]), np.array([0.8, 0.9])], 0.5)]
    [[False, False], [True, True]]
    """
    sizes = [len(score) for score in scores]
    kept = _best(np.concatenate(scores), ratio, np.random.default_rng(seed))
    return np.split(kept, np.cumsum(sizes)[:-1])


def one_share_each(scores: Sequence[Scores], ratio: float, seed: int = 0) -> list[Kept]:
    """The nodes that stay when every target loses this share of its own nodes, rounded.

    Examples
    --------
    >>> [kept.tolist() for kept in one_share_each([np.array([0.1, 0.2]), np.array([0.8, 0.9])], 0.5)]
    [[False, True], [False, True]]
    """
    rng = np.random.default_rng(seed)
    return [_best(score, ratio, rng) for score in scores]


#: Ways to prune a share of the nodes, by name.
RULES: dict[str, Callable[[Sequence[Scores], float, int], list[Kept]]] = {
    "threshold": one_threshold,
    "each": one_share_each,
}


def _best(scores: Scores, ratio: float, rng: np.random.Generator) -> Kept:
    order = np.lexsort((rng.random(len(scores)), scores))
    kept = np.ones(len(scores), dtype=bool)
    kept[order[: round(ratio * len(scores))]] = False
    return kept
