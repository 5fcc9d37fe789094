"""How long a prediction takes, end to end: from graphs in memory to numbers in numpy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from prune4sed.datasets.dataset import PairSet
from prune4sed.graph import Graph
from prune4sed.models.predictor import Predictor

__all__ = ["Latency", "measure_latency"]

# Seconds that each of the two measurements may take, more or less, and how often the large one is repeated.
_SECONDS, _REPEATS = 1.5, 3
_LARGE, _SINGLE = 4096, 100
# How much larger the next trial batch is.
_GROWTH = 8
# Seconds after which single pairs are enough, however few were timed.
_PATIENCE = 15.0


@dataclass(frozen=True)
class Latency:
    """Wall-clock time of `predict`.

    Attributes
    ----------
    batch_us : float
        Microseconds per pair when many are asked for at once; the median of a few runs.
    batch_pairs : int
        How many that was.
    single_us : float
        Microseconds for one pair asked for alone, the second time; the median over pairs.
    """

    batch_us: float
    batch_pairs: int
    single_us: float


def measure_latency(
    predictor: Predictor,
    one: PairSet,
    bounds: bool = False,
    batch_size: int | None = None,
    guess: float | None = None,
) -> Latency:
    """Time a predictor on the first pairs of a set: as many as a second or two allow.

    Parameters
    ----------
    predictor : Predictor
        What to time.
    one : PairSet
        At least one pair.
    bounds, batch_size
        As for `predict`.
    guess : float, optional
        Seconds per pair, so that a slow solver is not given thousands; measured on the first pair otherwise.

    Returns
    -------
    Latency
    """
    queries, targets, pairs = one

    def batch(count: int) -> None:
        if bounds:
            predictor.predict(queries, targets, pairs.index[:count], batch_size, bounds=True)
        else:
            predictor.predict(queries, targets, pairs.index[:count], batch_size)

    most = min(len(pairs), _LARGE)
    count = _fitting(batch, most) if guess is None else _room(guess, most)
    large = [_seconds(batch, count) / count for _ in range(_REPEATS)]
    single = _single_seconds(predictor, one, bounds)
    return Latency(1e6 * float(np.median(large)), count, 1e6 * float(np.median(single)))


def _fitting(batch: Callable[[int], None], most: int) -> int:
    """How many pairs fit the time: found by larger batches, for a GPU's cost hardly grows at first."""
    count = 1
    while True:
        spent = min(_seconds(batch, count), _seconds(batch, count))
        if spent > _SECONDS / _REPEATS / 2 or count == most:
            return _room(spent / count, most)
        count = min(_GROWTH * count, most)


def _room(each: float, most: int) -> int:
    return int(np.clip(_SECONDS / _REPEATS / max(each, 1e-9), 1, most))


def _single_seconds(predictor: Predictor, one: PairSet, bounds: bool) -> list[float]:
    """Every pair is asked for twice: at the first time a GPU compiles kernels for sizes it has not met."""
    queries, targets, pairs = one
    first: list[float] = []
    again: list[float] = []
    for i, j in pairs.index[:_SINGLE].tolist():
        for spent in (first, again):
            spent.append(_seconds_alone(predictor, queries[i], targets[j], bounds))
        if sum(again) > _SECONDS or sum(first) > _PATIENCE:
            break
    return again


def _seconds_alone(predictor: Predictor, query: Graph, target: Graph, bounds: bool) -> float:
    start = perf_counter()
    if bounds:
        predictor.predict(query, target, bounds=True)
    else:
        predictor.predict(query, target)
    return perf_counter() - start


def _seconds(call: Callable[[int], None], count: int) -> float:
    start = perf_counter()
    call(count)
    return perf_counter() - start
