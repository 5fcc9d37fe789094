"""Verify a dataset: prove a random sample of its labels again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.label_run import Progress
from prune4sed.datasets.sampling import SampledSet, fingerprint
from prune4sed.errors import OptionError, Prune4SEDError
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.engine import sed_pairs
from prune4sed.exact.table import SedTable

__all__ = ["Verification", "verify"]

_UNIT_COSTS = EditCosts()


@dataclass(frozen=True)
class Verification:
    """What a verification found.

    Attributes
    ----------
    pairs : int
        Pairs looked at.
    certified : int
        How many of them have a distance that is said to be proven.
    proven : int
        How many of these the engine proved again, within its limit.
    problems : tuple of str
        What is wrong, a line each; empty if all is well.
    """

    pairs: int
    certified: int
    proven: int
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    def __str__(self) -> str:
        found = (
            f"{len(self.problems)} problem{'s' * (len(self.problems) != 1)}"
            if self.problems
            else "no problem"
        )
        again = f"{self.proven} of {self.certified} certified ones proven again"
        return f"{self.pairs} pairs checked, {again}: {found}"


def verify(
    dataset: Dataset,
    sample: int = 200,
    seed: int = 0,
    *,
    node_limit: int | None = None,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Verification:
    """Check a random sample of the labels against the graphs.

    The graphs of every set must have the fingerprint that its labels were made for. Of every pair in the
    sample, the edits that the mapping implies must cost the upper bound, counted straight from the
    definition; and bounds that the engine proves anew must agree with those stored.

    Parameters
    ----------
    dataset : Dataset
        What to verify.
    sample : int
        Pairs to look at, spread evenly over the sets.
    seed : int
        Which pairs.
    node_limit, time_limit : optional
        Limits per pair for the engine; by default the node limit the labels were made with, and no other.
    threads : int, optional
        All cores by default.
    progress : callable, optional
        Called as ``progress(set, done, total)``.

    Returns
    -------
    Verification
        Its `problems` say what is wrong, if anything.
    """
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 1:
        raise OptionError(f"sample must be a whole number, 1 or more; got {sample!r}")
    certified = proven = checked = 0
    problems: list[str] = []
    for name, rows in _sample(dataset, sample, seed).items():
        one, known = dataset[name], dataset.info.get("sets", {}).get(name, {})
        problems += _changed(name, one, known)
        found = sed_pairs(
            one.queries,
            one.targets,
            one.pairs.index[rows],
            time_limit=time_limit,
            node_limit=known.get("node_limit") if node_limit is None else node_limit,
            threads=threads,
            progress=None if progress is None else _of_set(progress, name),
        )
        problems += _wrong_mappings(name, one, rows)
        problems += _contradictions(name, one, rows, found)
        claimed = one.pairs.certified[rows]
        certified += int(claimed.sum())
        proven += int((claimed & found.certified & (found.upper == one.pairs.upper[rows])).sum())
        checked += len(rows)
    return Verification(checked, certified, proven, tuple(problems))


def _sample(dataset: Dataset, sample: int, seed: int) -> dict[str, NDArray[np.int64]]:
    """Rows of every set: as many of each as come round when the sets are dealt one pair in turn."""
    rng = random.Random(seed)
    left = {name: len(one.pairs) for name, one in dataset.items()}
    counts = dict.fromkeys(left, 0)
    while sum(counts.values()) < min(sample, sum(left.values())):
        for name in left:
            if counts[name] < left[name] and sum(counts.values()) < sample:
                counts[name] += 1
    return {
        name: np.array(sorted(rng.sample(range(left[name]), count)), dtype=np.int64)
        for name, count in counts.items()
        if count
    }


def _of_set(progress: Progress, name: str) -> Any:
    return lambda done, total: progress(name, done, total)


def _changed(name: str, one: PairSet, known: dict[str, Any]) -> Iterator[str]:
    made_for = known.get("fingerprint")
    if made_for is None:
        return
    if fingerprint(SampledSet(name, one.queries, one.targets, one.pairs.index)) != made_for:
        yield f"{name}: the graphs are not those the labels were made for (their fingerprint differs)"


def _wrong_mappings(name: str, one: PairSet, rows: NDArray[np.int64]) -> Iterator[str]:
    for row in rows.tolist():
        q, t = (graphs[int(i)] for graphs, i in zip(one[:2], one.pairs.index[row], strict=True))
        images = [None if v < 0 else v for v in one.pairs.mapping[row, : len(q)].tolist()]
        upper = float(one.pairs.upper[row])
        try:
            cost = _UNIT_COSTS.map_cost(q, t, images)
        except Prune4SEDError as error:
            yield f"{name}, pair {row}: {error}"
            continue
        if cost != upper:
            yield f"{name}, pair {row}: the mapping costs {cost:g}, but the upper bound is {upper:g}"


def _contradictions(name: str, one: PairSet, rows: NDArray[np.int64], found: SedTable) -> Iterator[str]:
    for row, lower, upper in zip(rows.tolist(), found.lower.tolist(), found.upper.tolist(), strict=True):
        low, high = float(one.pairs.lower[row]), float(one.pairs.upper[row])
        if low > high:
            yield f"{name}, pair {row}: the lower bound {low:g} exceeds the upper bound {high:g}"
        elif max(low, lower) > min(high, upper):
            stored, proven = _interval(low, high), _interval(lower, upper)
            yield f"{name}, pair {row}: stored as {stored}, but the engine proves {proven}"


def _interval(low: float, high: float) -> str:
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
