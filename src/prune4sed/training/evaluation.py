"""Evaluate any model or solver on labelled pairs: how good its predictions are, and how fast."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.errors import OptionError
from prune4sed.models.predictor import Predictor
from prune4sed.training.latency import Latency, measure_latency
from prune4sed.training.metrics import Metrics, measure

__all__ = ["Evaluation", "default_sets", "evaluate"]

Progress = Callable[[int, int], object]

# The first pairs come alone, so that a slow solver shows progress; then as many as take about a second.
_FIRST, _SECONDS, _GROWTH = 32, 1.0, 8


@dataclass(frozen=True)
class Evaluation:
    """What was measured.

    Attributes
    ----------
    metrics : Metrics
        Quality of the predictions.
    latency : Latency or None
        Time per pair; None if it was not asked for.
    proven : float
        Share of pairs whose distance the predictor itself proved; NaN if it proves none and no bounds were
        asked for.
    """

    metrics: Metrics
    latency: Latency | None
    proven: float

    def to_dict(self) -> dict[str, Any]:
        """Names and values in one flat dictionary; None where nothing can be said, for JSON has no NaN."""
        known = {**self.metrics.to_dict(), "proven": self.proven}
        known |= asdict(self.latency) if self.latency is not None else {}
        return {name: None if math.isnan(value) else value for name, value in known.items()}


def evaluate(
    predictor: Predictor,
    one: PairSet,
    *,
    ranking: PairSet | None = None,
    bounds: bool = False,
    batch_size: int | None = None,
    latency: bool = True,
    seed: int = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Measure a predictor on all pairs of a set.

    Parameters
    ----------
    predictor : Predictor
        A model or solver; anything with such a `predict` will do.
    one : PairSet
        Queries, targets, and pairs with proven bounds.
    ranking : PairSet, optional
        Pairs with several targets per query for Kendall's tau, from `ranking_set`; without it, tau is over
        the pairs of `one`.
    bounds : bool
        Whether predictions are kept within bounds that the predictor proves.
    batch_size : int, optional
        As for `predict`.
    latency : bool
        Whether to time it too.
    seed : int
        Of the bootstrap.
    progress : callable, optional
        Called as ``progress(done, total)``.

    Returns
    -------
    Evaluation

    Examples
    --------
    >>> from prune4sed import Graph, GraphSet
    >>> from prune4sed.datasets.table import PairTable
    >>> from prune4sed.models.solvers import Exact
    >>> g = GraphSet([Graph(["C", "O"], [(0, 1)]), Graph(["C", "N"], [(0, 1)])])
    >>> true = np.array([0.0, 3.0])
    >>> pairs = PairTable(np.array([[0, 0], [0, 1]]), true, true, np.zeros((2, 2), np.int32))
    >>> evaluate(Exact(), PairSet(g, g, pairs), latency=False).metrics.mae
    1.0
    """
    if not len(one.pairs):
        raise OptionError("there are no pairs to evaluate on")
    bounds = bounds or getattr(predictor, "proves", False)
    predicted, proven, seconds = _predictions(predictor, one, bounds, batch_size, progress)
    pairs = one.pairs
    metrics = measure(predicted, pairs.lower, pairs.upper, pairs.query, seed)
    if ranking is not None:
        order, _, _ = _predictions(predictor, ranking, bounds, batch_size)
        labels = ranking.pairs
        metrics = replace(metrics, kendall=measure(order, labels.lower, labels.upper, labels.query).kendall)
    timed = measure_latency(predictor, one, bounds, batch_size, seconds) if latency else None
    return Evaluation(metrics, timed, proven)


def default_sets(dataset: Dataset) -> list[str]:
    """The sets that models are judged on: the paper's test and the strict one, as far as there are any."""
    return [name for name in ("test", "strict_test") if name in dataset] or [list(dataset)[-1]]


def _predictions(
    predictor: Predictor,
    one: PairSet,
    bounds: bool,
    batch_size: int | None,
    progress: Progress | None = None,
) -> tuple[NDArray[np.float32], float, float]:
    """Predictions, the share of them that is proven, and seconds per pair in the last part of the work."""
    index, parts, proven = one.pairs.index, [], 0
    done, size, each = 0, _FIRST, math.nan
    while done < len(index):
        chunk, start = index[done : done + size], perf_counter()
        if bounds:
            part, lower, upper = predictor.predict(one.queries, one.targets, chunk, batch_size, bounds=True)
            proven += int((lower == upper).sum())
        else:
            part = predictor.predict(one.queries, one.targets, chunk, batch_size)
        each = (perf_counter() - start) / len(chunk)
        parts.append(part)
        done += len(chunk)
        size = int(np.clip(_SECONDS / max(each, 1e-9), 1, _GROWTH * size))
        if progress is not None:
            progress(done, len(index))
    return np.concatenate(parts), proven / len(index) if bounds else math.nan, each
