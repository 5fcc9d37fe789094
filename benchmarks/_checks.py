"""What must hold of every answer, and what must hold of it beside somebody else's."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

import prune4sed as ps
from _cases import Case, full_size_case, planted_case, random_case, real_case
from _oracle import brute_force, contained, price
from prune4sed.exact import SedResult, mip_f2

Random = np.random.Generator
NOISE = 1e-6  # float noise in sums of costs; every cost but 0 is at least 0.1
LIMIT = 60.0  # seconds: small pairs end long before
PATIENCE = 5  # seconds for networkx, which may take hours on stars of one label
SHORT = 0.05  # seconds for pairs of full size, whose bounds must hold whether or not they are certified


class Undecided(Exception):
    """The other side did not finish; such a pair counts neither way."""


@contextmanager
def _patience() -> Iterator[None]:
    """Undecided, unless the block ends in time."""

    def give_up(*_: object) -> None:
        raise Undecided

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class Check:
    """So many pairs of a kind, and what is wrong with the engine's answers to one of them, in words."""

    what: str
    pairs: int
    draw: Callable[[Random, int], Case]
    faults: Callable[[Case, Random], Iterator[str]]


def by_brute_force(case: Case, rng: Random) -> Iterator[str]:
    """Against every map there is; also at once, after a few nodes and with a threshold."""
    truth = brute_force(case.query, case.target, case.costs)
    yield from _exact(case, _sed(case), truth)
    yield from _around(case, _sed(case, time_limit=0.0), truth)
    yield from _around(case, _sed(case, node_limit=int(rng.integers(4))), truth)
    threshold = float(rng.choice([0.0, 1.0, 2.0, 3.5]))
    result = _sed(case, threshold=threshold)
    yield from _around(case, result, truth)
    if abs(truth - threshold) < NOISE:
        return  # float noise decides on which side of the threshold the distance lies
    if not (result.lower > threshold if truth > threshold else result.certified):
        yield f"the distance is {truth}, but threshold {threshold} was not decided: {result}"


def by_mip(case: Case, rng: Random) -> Iterator[str]:
    """Against MIP-F2 on HiGHS."""
    theirs, ours = mip_f2(case.query, case.target, case.costs, LIMIT, solver="highs"), _sed(case)
    if not theirs.certified:
        raise Undecided
    yield from _exact(case, ours, theirs.upper)


def by_containment(case: Case, rng: Random) -> Iterator[str]:
    """Distance 0 exactly where networkx finds the query in the target."""
    result = _sed(case)
    yield from _sound(case, result)
    if not result.certified:
        yield f"not certified within {LIMIT} s: {result}"
    with _patience():
        found = contained(case.query, case.target)
    if (result.upper == 0) != found:
        yield f"networkx says {'not ' * (result.upper == 0)}contained, the engine {result}"


def by_renumbering(case: Case, rng: Random) -> Iterator[str]:
    """Sound bounds, alone and in bulk, which agree with those of the same graphs under other numbers."""
    q, t = case.query, case.target
    result = ps.sed(q, t, time_limit=SHORT)
    yield from _sound(case, result)
    other = Case(_renumbered(q, rng), _renumbered(t, rng))
    bulk = ps.sed_pairs(other.query, other.target, time_limit=SHORT, threads=1)
    mapping = tuple(None if v < 0 else v for v in bulk.mapping[0].tolist())
    low, high = float(bulk.lower[0]), float(bulk.upper[0])
    yield from _sound(other, SedResult(low, high, mapping, 0, 0.0, other.query, other.target, other.costs))
    if low > result.upper or result.lower > high:
        yield f"{result!r}, but [{low}, {high}] renumbered"


def _unit(draw: Callable[[Random, int], Case]) -> Callable[[Random, int], Case]:
    """The same pairs with unit costs: a cost of 0 would make a distance of 0 without containment."""

    def drawn(rng: Random, seed: int) -> Case:
        case = draw(rng, seed)
        return Case(case.query, case.target)

    return drawn


# Pairs at scale 1. The slow ones come first, so that the last of them do not run alone.
CHECKS = {
    "MIP-F2, real": Check(
        "small pieces of real graphs", 1_500, lambda rng, seed: real_case(rng, (4, 7), (5, 10), seed), by_mip
    ),
    "MIP-F2, random": Check(
        "small random graphs", 2_500, lambda rng, seed: random_case(rng, (3, 6), (3, 8)), by_mip
    ),
    "renumbered, real": Check("real pairs of full size", 2_100, full_size_case, by_renumbering),
    "networkx, planted": Check(
        "queries cut out of real targets, half of them changed", 2_500, _unit(planted_case), by_containment
    ),
    "networkx, real": Check(
        "pieces of real graphs",
        1_500,
        _unit(lambda rng, seed: real_case(rng, (3, 8), (10, 40), seed)),
        by_containment,
    ),
    "brute force, real": Check(
        "tiny pieces of real graphs",
        4_000,
        lambda rng, seed: real_case(rng, (2, 5), (3, 7), seed),
        by_brute_force,
    ),
    "brute force, random": Check(
        "tiny random graphs", 10_000, lambda rng, seed: random_case(rng, (0, 5), (0, 6)), by_brute_force
    ),
}


def _renumbered(g: ps.Graph, rng: Random) -> ps.Graph:
    return g.permuted(rng.permutation(len(g)).tolist())


def _sed(
    case: Case, time_limit: float = LIMIT, threshold: float | None = None, node_limit: int | None = None
) -> SedResult:
    return ps.sed(case.query, case.target, time_limit, threshold, case.costs, node_limit)


def _exact(case: Case, result: SedResult, truth: float) -> Iterator[str]:
    yield from _sound(case, result)
    if not result.certified:
        yield f"not certified within {LIMIT} s: {result}"
    if not math.isclose(result.upper, truth, abs_tol=NOISE):
        yield f"the distance is {truth}, the engine says {result!r}"


def _around(case: Case, result: SedResult, truth: float) -> Iterator[str]:
    yield from _sound(case, result)
    if not result.lower - NOISE <= truth <= result.upper + NOISE:
        yield f"the distance is {truth}, outside the bounds {result!r}"


def _sound(case: Case, result: SedResult) -> Iterator[str]:
    """Bounds in order, and a map that costs what it says."""
    if not 0 <= result.lower <= result.upper:
        yield f"bounds out of order: {result.lower}, {result.upper}"
    cost = price(case.query, case.target, result.mapping, case.costs)
    if not math.isclose(cost, result.upper, abs_tol=NOISE):
        yield f"the map {result.mapping} costs {cost}, the upper bound is {result.upper}"
