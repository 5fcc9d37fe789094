"""The protocol: how the pairs of every dataset are drawn, all numbers in one place.

The paper says that a target is an ego-net of "up to 5 hops", or a whole graph of a collection, and that a
query is grown in a target "to a depth up to 5". It does not say how often each depth comes. The shares below
bring the mean sizes over the 120,000 pairs near the paper's table; `prune4sed data list` shows both.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from prune4sed.datasets.catalogue import canonical

__all__ = ["OWN", "PROTOCOLS", "SMALLEST_POOL", "TRIES", "Protocol", "Recipe", "protocol"]

Mix = dict[int, int]  # a value, and its share in percent

# A query of the wrong size or shape is grown anew so often in one target before another target is drawn.
TRIES = 20

# A pool needs no more targets than there are pairs, but so many at least: in one target alone, it may be that
# no query of the right size and shape can grow.
SMALLEST_POOL = 50

EVEN: Mix = {1: 20, 2: 20, 3: 20, 4: 20, 5: 20}
DEEP: Mix = {3: 34, 4: 33, 5: 33}


@dataclass(frozen=True)
class Recipe:
    """How the targets and queries of one set are drawn.

    Attributes
    ----------
    hops : dict
        Share of ego-nets with so many hops; empty where targets are the graphs of a collection.
    depths : dict
        Share of queries that stop growing at this depth; empty where the queries are a given list.
    smallest_target, largest_target : int
        A target with fewer or more nodes is drawn again, or left out of a collection.
    smallest_query, largest_query : int
        The same for queries.
    pool : int
        Targets to draw at most, for a set of few pairs needs fewer; a collection gives all it has.
    """

    hops: Mix
    depths: Mix
    smallest_target: int = 5
    largest_target: int = 1200
    smallest_query: int = 5
    largest_query: int = 25
    pool: int = 10_000


@dataclass(frozen=True)
class Protocol:
    """How a dataset is drawn.

    Attributes
    ----------
    standard : Recipe
        Of train, validation and test, which share one pool of targets.
    strict_pool : int
        Targets of strict_test, which is otherwise drawn like test.
    strict_one_in : int
        One shape in so many is kept for strict_test.
    sizes : dict
        Recipes of the size sets, by name.
    large_queries : Recipe, optional
        Of the set of large queries.
    """

    standard: Recipe
    strict_pool: int = 2_000
    strict_one_in: int = 10
    sizes: dict[str, Recipe] = field(default_factory=dict)
    large_queries: Recipe | None = None


# 26 to 50 nodes, in targets that have room for them.
_LARGE = {"smallest_query": 26, "largest_query": 50, "pool": 2_000}
# About 16/62/122 nodes per target for CiteSeer and 17/64/118 for Cora_ML, and 12 per query in all of them: in
# the small targets only the larger queries will do, in the others growth must end early.
_CITESEER_SIZES = {
    "small": Recipe(
        {1: 10, 2: 45, 3: 45}, DEEP, smallest_target=11, largest_target=22, smallest_query=9, pool=2_000
    ),
    "medium": Recipe(
        {2: 50, 3: 50}, {1: 60, 2: 30, 3: 10}, smallest_target=42, largest_target=90, pool=2_000
    ),
    "large": Recipe(
        {3: 50, 4: 50}, {1: 35, 2: 50, 3: 15}, smallest_target=92, largest_target=160, pool=2_000
    ),
}
_CORA_ML_SIZES = {
    "small": Recipe(
        {1: 10, 2: 45, 3: 45}, DEEP, smallest_target=12, largest_target=24, smallest_query=9, pool=2_000
    ),
    "medium": Recipe(
        {2: 50, 3: 50}, {1: 30, 2: 50, 3: 20}, smallest_target=41, largest_target=92, pool=2_000
    ),
    "large": Recipe(
        {3: 50, 4: 50},
        {1: 20, 2: 35, 3: 25, 4: 10, 5: 10},
        smallest_target=88,
        largest_target=160,
        pool=2_000,
    ),
}

PROTOCOLS = {
    # The public AIDS graphs are larger than the paper's; without the few largest the mean is the paper's.
    # With as few fragments as there are, one shape in ten would leave too few pairs for strict_test.
    "aids": Protocol(Recipe({}, {}, largest_target=54), strict_one_in=7),
    "protein": Protocol(Recipe({}, {2: 15, 3: 35, 4: 30, 5: 20}, largest_target=200)),
    "citeseer": Protocol(
        Recipe({2: 17, 3: 36, 4: 37, 5: 10}, DEEP, largest_target=400),
        sizes=_CITESEER_SIZES,
        large_queries=Recipe({3: 40, 4: 50, 5: 10}, DEEP, smallest_target=50, largest_target=400, **_LARGE),
    ),
    "cora_ml": Protocol(
        Recipe({1: 9, 2: 64, 3: 27}, {1: 36, 2: 25, 3: 13, 4: 13, 5: 13}, largest_target=400),
        sizes=_CORA_ML_SIZES,
        large_queries=Recipe({2: 70, 3: 30}, DEEP, smallest_target=50, largest_target=400, **_LARGE),
    ),
    "pubmed": Protocol(
        Recipe({1: 10, 2: 82, 3: 8}, {1: 35, 2: 20, 3: 15, 4: 15, 5: 15}, largest_target=400),
        large_queries=Recipe({2: 90, 3: 10}, DEEP, smallest_target=50, largest_target=400, **_LARGE),
    ),
    "dblp": Protocol(
        Recipe({1: 5, 2: 27, 3: 52, 4: 16}, DEEP, smallest_target=8, largest_target=1000),
        large_queries=Recipe({2: 32, 3: 52, 4: 16}, DEEP, smallest_target=50, largest_target=1000, **_LARGE),
    ),
    # The ego-nets of the public subset are smaller than the paper's even with 5 hops; in the full network the
    # largest size keeps them from being much larger.
    "amazon": Protocol(
        Recipe({5: 100}, EVEN, largest_target=100),
        large_queries=Recipe({5: 100}, DEEP, smallest_target=30, largest_target=100, **_LARGE),
    ),
}

# Graphs of one's own: targets of any size.
OWN = Recipe({}, EVEN, smallest_target=1, largest_target=2**31 - 1)


def protocol(name: str) -> Protocol:
    """The protocol of a dataset.

    Examples
    --------
    >>> protocol("Cora_ML").standard.hops
    {1: 9, 2: 64, 3: 27}
    """
    return PROTOCOLS[canonical(name)]
