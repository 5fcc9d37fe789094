"""Limits: whatever ends the search, bounds hold; time is kept, node limits repeat, thresholds are sure."""

from __future__ import annotations

import random
from functools import cache
from time import perf_counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import cases
from oracles import UNIT, brute_force, costs, pairs_of_graphs
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.engine import sed, sed_pairs
from prune4sed.exact.result import SedResult
from prune4sed.graph import Graph
from random_graphs import hard_pair, medium_pairs, random_graph

ATTEMPTS = 3  # a busy machine can delay any single call; a search that ignores the clock is late every time


@cache
def build(query: tuple[int, float, int], target: tuple[int, float, int]) -> tuple[Graph, Graph]:
    """A pair from (nodes, density, labels) of each side."""
    rng = random.Random(11)
    return random_graph(rng, *query), random_graph(rng, *target)


PAIRS = {
    "25 in 40, dense": ((25, 0.25, 1), (40, 0.25, 1)),
    "25 in 150": ((25, 0.25, 1), (150, 0.1, 1)),
    "25 in 1200": ((25, 0.25, 1), (1200, 0.05, 1)),
    "25 in 10000": ((25, 0.25, 3), (10_000, 0.001, 3)),
    "60 in 60, half full": ((60, 0.5, 1), (60, 0.5, 1)),
    "300 in 5000": ((300, 0.02, 3), (5000, 0.002, 3)),
    "300 in 2000, dense": ((300, 0.3, 3), (2000, 0.02, 3)),
    "2000 in 300": ((2000, 0.005, 3), (300, 0.02, 3)),
}


def quickest(q: Graph, t: Graph, time_limit: float) -> tuple[float, SedResult]:
    """The least overrun of a few calls, in seconds, and the last answer."""
    overruns = []
    for _ in range(ATTEMPTS):
        start = perf_counter()
        result = sed(q, t, time_limit=time_limit)
        overruns.append(perf_counter() - start - time_limit)
        if overruns[-1] <= max(0.02, 0.05 * time_limit):
            break
    return min(overruns), result


@pytest.mark.parametrize("time_limit", [0, 0.1, 0.5])
@pytest.mark.parametrize("name", PAIRS)
def test_the_time_limit_is_kept(name: str, time_limit: float) -> None:
    q, t = build(*PAIRS[name])
    overrun, result = quickest(q, t, time_limit)
    print(f"{name}: {overrun * 1000:+.1f} ms at a limit of {time_limit} s; {result!r}")
    assert overrun <= max(0.02, 0.05 * time_limit)
    assert 0 <= result.lower <= result.upper
    assert UNIT.map_cost(q, t, result.mapping) == result.upper


@settings(max_examples=cases(100))
@given(
    pairs_of_graphs(), costs(), st.sampled_from([{"time_limit": 0}, {"time_limit": None, "node_limit": 0}])
)
def test_no_allowance_still_gives_valid_bounds(
    pair: tuple[Graph, Graph], prices: EditCosts, allowance: dict[str, int | None]
) -> None:
    result = sed(*pair, costs=prices, **allowance)  # type: ignore[arg-type]
    truth = brute_force(*pair, prices)
    assert result.lower <= truth * (1 + 1e-9)
    assert result.upper >= truth * (1 - 1e-9)
    assert prices.map_cost(*pair, result.mapping) == pytest.approx(result.upper)


def same(a: SedResult, b: SedResult) -> bool:
    return (a.lower, a.upper, a.mapping, a.nodes) == (b.lower, b.upper, b.mapping, b.nodes)


def test_bounds_under_node_limits_hold_and_repeat() -> None:
    """The truth comes from a search without limits; only limited ones deepen on the way."""
    for k, (q, t) in enumerate(medium_pairs(1, cases(16))):
        prices = [UNIT, EditCosts(10, 1, 5, 1), EditCosts(2, 5, 1, 1), EditCosts(5, 10, 2, 1)][k % 4]
        full = sed(q, t, time_limit=None, node_limit=20_000, costs=prices)
        if full.certified:  # then there is time for a search without limits, which goes another way
            full = sed(q, t, time_limit=None, costs=prices)
        for node_limit in (0, 1, 5, 20, *(int(share * full.nodes) for share in (0.3, 0.7, 1.5, 3, 6))):
            result = sed(q, t, time_limit=None, node_limit=node_limit, costs=prices)
            assert result.nodes <= node_limit
            assert same(result, sed(q, t, time_limit=None, node_limit=node_limit, costs=prices))
            assert result.lower <= (full.upper if full.certified else result.upper)
            assert result.upper >= full.lower
            assert prices.map_cost(q, t, result.mapping) == result.upper


def test_bounds_hold_wherever_the_clock_stops_the_search() -> None:
    """Root phase, annealing, tree, deepening: each may be left half done, with or without a threshold."""
    rng = random.Random(9)
    for k in range(cases(30)):
        q, t = medium_pairs(100 + k, 1)[0]
        if k % 2:
            labels = rng.randint(2, 4)
            q, t = random_graph(rng, 12, 0.25, labels), random_graph(rng, 150, 0.04, labels)
        prices = [UNIT, EditCosts(10, 1, 5, 1), EditCosts(10**8 + 1, 3e7, 1e8, 9e6)][k % 3]
        full = sed(q, t, time_limit=None, node_limit=300, costs=prices)
        if not full.certified:
            continue
        for _ in range(8):
            threshold = rng.choice([None, rng.uniform(0, 1.2 * full.upper), full.upper])
            limit = rng.uniform(0, 1.1 * full.seconds)
            result = sed(q, t, time_limit=limit, threshold=threshold, costs=prices)
            assert result.lower <= full.upper <= result.upper
            assert prices.map_cost(q, t, result.mapping) == result.upper


@pytest.mark.parametrize("threads", [1, 2])
def test_node_limits_give_the_same_in_bulk_on_any_number_of_threads(threads: int) -> None:
    pairs = [pair for pair in medium_pairs(2, cases(24)) if pair[0].edge_labels is None]
    queries, targets = [q for q, _ in pairs], [t for _, t in pairs]
    table = sed_pairs(queries, targets, time_limit=None, node_limit=50, threads=threads)
    for k, (q, t) in enumerate(pairs):
        result = sed(q, t, time_limit=None, node_limit=50)
        assert (table.lower[k], table.upper[k], table.nodes[k]) == (result.lower, result.upper, result.nodes)
        assert table.mapping[k, : len(q)].tolist() == [-1 if v is None else v for v in result.mapping]


def test_a_node_limit_alone_ends_a_hard_search() -> None:
    start = perf_counter()
    result = sed(*hard_pair(), time_limit=None, node_limit=300)
    assert perf_counter() - start < 20
    assert result.nodes <= 300
    assert not result.certified


@settings(max_examples=cases(150))
@given(pairs_of_graphs(), costs(), st.sampled_from([0, 0.5, 1, 1.5, 2, 3, 4.5, 100]))
def test_a_threshold_is_decided_and_never_wrongly(
    pair: tuple[Graph, Graph], prices: EditCosts, threshold: float
) -> None:
    result = sed(*pair, time_limit=None, threshold=threshold, costs=prices)
    truth = brute_force(*pair, prices)
    assert result.lower > threshold or result.certified
    assert result.lower <= truth * (1 + 1e-9)
    assert result.upper >= truth * (1 - 1e-9)
    if abs(truth - threshold) > 1e-9:  # sums of floats may fall on either side of an equal threshold
        assert (result.lower > threshold) == (truth > threshold)


def test_a_threshold_at_the_distance_certifies_and_below_it_refutes() -> None:
    for q, t in medium_pairs(4, cases(12)):
        full = sed(q, t, time_limit=None, node_limit=20_000)
        if not full.certified:
            continue
        at = sed(q, t, time_limit=None, threshold=full.upper)
        assert at.certified
        assert at.upper == full.upper
        for threshold in {0, full.upper // 2, full.upper - 1} - {-1}:
            below = sed(q, t, time_limit=None, threshold=threshold)
            assert below.lower <= full.upper <= below.upper
            assert (below.lower > threshold) == (full.upper > threshold)


def test_a_known_pair_under_thresholds() -> None:
    """Beyond the threshold nothing more is proven: this pair was once certified as 7, but it is 5."""
    rows = [[0], [0], [0], [2], [0, 1, 2, 3, 4], [0, 1, 4], [3, 4, 5, 6], [0, 1, 2, 4]]
    q = Graph([0] * 9, [(a, b) for b, row in enumerate(rows, start=1) for a in row])
    rows = [
        [0],
        [],
        [],
        [2, 3],
        [1, 4],
        [1, 5],
        [1, 2],
        [],
        [0, 1, 3, 6],
        [2, 6, 7, 8],
        [8],
        [1, 2, 4, 11],
        [0, 3, 4],
    ]
    t = Graph([0] * 14, [(a, b) for b, row in enumerate(rows, start=1) for a in row])
    for threshold in range(9):
        for node_limit in (1, 6, 16, 64, None):
            result = sed(q, t, time_limit=None, threshold=threshold, node_limit=node_limit)
            assert result.lower <= 5 <= result.upper
    assert repr(result) == "SED = 5 (certified)"


def test_a_threshold_far_below_saves_most_of_the_work() -> None:
    q, t = build((14, 0.6, 1), (40, 0.1, 1))
    result = sed(q, t, time_limit=10, threshold=5)
    assert result.lower > 5
    assert result.seconds < 1


def test_thresholds_and_node_limits_together_stay_valid() -> None:
    for q, t in medium_pairs(6, cases(8)):
        full = sed(q, t, time_limit=None, node_limit=20_000)
        for threshold in range(0, int(full.upper) + 2, 3):
            for node_limit in (1, 10, 60):
                result = sed(q, t, time_limit=None, threshold=threshold, node_limit=node_limit)
                assert result.lower <= full.upper
                assert result.upper >= full.lower


def test_threads_share_nothing() -> None:
    """Each Python thread has a solver of its own."""
    from concurrent.futures import ThreadPoolExecutor

    pairs = medium_pairs(8, 12)
    alone = [sed(q, t, time_limit=None, node_limit=200) for q, t in pairs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda pair: sed(*pair, time_limit=None, node_limit=200), pairs * 2))
    assert all(same(a, b) for a, b in zip(alone * 2, together, strict=True))
