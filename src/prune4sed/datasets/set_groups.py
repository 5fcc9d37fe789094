"""Which sets a dataset has, how many pairs each, and which of them share a pool of targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from prune4sed.datasets.draws import Stream
from prune4sed.datasets.protocol import Protocol, Recipe
from prune4sed.errors import OptionError

__all__ = ["FULL", "Group", "checked_pairs", "checked_seed", "groups"]

FULL = (100_000, 10_000, 10_000)
STANDARD = ("train", "validation", "test")
SIZE_SET = (1_600, 200, 200)
LARGE_QUERIES = 2_000
# Every group draws its targets, queries and pairs from three streams of its own. New groups go to the end:
# another number gives other pairs, and the shipped labels would no longer fit.
STREAMS = ("standard", "strict", "small", "medium", "large", "large_queries")


@dataclass(frozen=True)
class Group:
    """Sets that share a pool of targets, and how they are drawn.

    Attributes
    ----------
    name : str
        One of STREAMS.
    recipe : Recipe
        Hops, depths and sizes.
    counts : dict
        Pairs of every set.
    one_in : int
        One shape in so many is strict.
    strict : bool
        Whether the group takes the strict shapes or the others.
    """

    name: str
    recipe: Recipe
    counts: dict[str, int]
    one_in: int
    strict: bool = False

    @property
    def total(self) -> int:
        """Pairs of all sets."""
        return sum(self.counts.values())

    def stream(self, seed: int, what: str) -> Stream:
        """Random numbers for "targets", "queries" or "pairs"."""
        return Stream(seed, 3 * STREAMS.index(self.name) + ("targets", "queries", "pairs").index(what))


def groups(rules: Protocol, counts: tuple[int, int, int], extras: bool) -> list[Group]:
    """The groups of a dataset, in order; `counts` are the pairs of train, validation and test.

    Examples
    --------
    >>> from prune4sed.datasets.protocol import protocol
    >>> [group.counts for group in groups(protocol("pubmed"), (500, 50, 50), extras=True)]
    [{'train': 500, 'validation': 50, 'test': 50}, {'strict_test': 50}, {'large_queries': 10}]
    """
    one_in, standard, test = rules.strict_one_in, rules.standard, counts[2]

    def share(full: int) -> int:
        return max(1, min(full, full * test // FULL[2]))

    found = [Group("standard", standard, dict(zip(STANDARD, counts, strict=True)), one_in)]
    if not extras:
        return found
    strict = replace(standard, pool=rules.strict_pool)
    found.append(Group("strict", strict, {"strict_test": test}, one_in, strict=True))
    for size, recipe in rules.sizes.items():
        parts = {f"{size}_{part}": share(full) for part, full in zip(STANDARD, SIZE_SET, strict=True)}
        found.append(Group(size, recipe, parts, one_in))
    if rules.large_queries is not None:
        parts = {"large_queries": share(LARGE_QUERIES)}
        found.append(Group("large_queries", rules.large_queries, parts, one_in))
    return found


def checked_pairs(pairs: Any) -> tuple[int, int, int]:
    """Numbers of pairs as three int, or OptionError."""
    fine = isinstance(pairs, (Sequence, np.ndarray)) and not isinstance(pairs, str) and len(pairs) == 3
    if not fine:
        raise OptionError(f"pairs must be three numbers, for train, validation and test; got {pairs!r}")
    train, validation, test = (_whole(count, "each of the pairs", 1) for count in pairs)
    return train, validation, test


def checked_seed(seed: Any) -> int:
    """A seed as int, or OptionError."""
    return _whole(seed, "seed", 0)


def _whole(value: Any, what: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise OptionError(f"{what} must be a whole number, {least} or more; got {value!r}")
    if int(value) >= 2**63:
        raise OptionError(f"{what} must be less than 2**63; got {value!r}")
    return int(value)
