"""The cascade: bounds for all targets, the engine for those that can still enter the answer.

Targets are taken in the order of their lower bounds. The engine is asked whether a target is nearer than the
k-th best so far, and stops as soon as it is not; once every target left has a lower bound of at least the
k-th best distance, the answer is proven. Rounds have fixed sizes and fixed thresholds, and targets a fixed
order, so the answer is the same on any number of threads, unless the time runs out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.limits import Deadline
from prune4sed.search.knowledge import Knowledge
from prune4sed.search.ranking import first
from prune4sed.search.rounds import Engine

__all__ = ["ask_nearest", "ask_within"]

#: Search nodes for a target at first; those that need more wait until all others are settled.
FIRST_NODES = 5_000
SMALLEST_ROUND, LARGEST_ROUND = 32, 4096
#: Search nodes after which models are asked, a second or two of work: most searches are over before, and the
#: models would take longer than they save. Counted in nodes, so that the answer does not hang on the clock.
PATIENCE = 5_000
#: What it takes to put one hit together in the end.
SECONDS_PER_HIT = 5e-6

Positions = NDArray[np.int64]


class _Best:
    """The k smallest upper bounds so far."""

    def __init__(self, k: int) -> None:
        self.k = k
        self._upper = np.zeros(0, dtype=np.int64)

    def add(self, upper: NDArray[np.int32]) -> None:
        self._upper = np.sort(np.concatenate([self._upper, upper]))[: self.k]

    @property
    def last(self) -> int | None:
        """The k-th of them, None while there are fewer."""
        return int(self._upper[-1]) if len(self._upper) == self.k else None

    def settles(self, level: int) -> bool:
        """Whether a target with this lower bound cannot be among the k nearest any more, but as a tie."""
        return self.last is not None and self.last <= level


def ask_nearest(
    known: Knowledge,
    engine: Engine,
    k: int,
    quick: NDArray[np.float32],
    better: Callable[[], NDArray[np.float32]] | None,
    deadline: Deadline,
) -> None:
    """Ask the engine until the k nearest targets are proven, or the time is up.

    Parameters
    ----------
    known : Knowledge
        Takes in the answers.
    engine : Engine
        Gives them.
    k : int
        How many targets are wanted.
    quick : array of float32
        An estimate of every distance: of targets with the same lower bound, the nearest come first.
    better : callable or None
        A better estimate, which takes its time: asked for once the search turns out to be long.
    deadline : Deadline
        When to stop.
    """
    best = _Best(k)
    if deadline.passed():
        return
    if known.next_level(0) == 0:
        _rounds(known, engine, best, 0, _sorted(known.at_level(0), quick), deadline)
    order = quick
    if best.last is None or best.last > 1:
        _probe(known, engine, best, k, order, deadline)
    level = 0
    while (found := known.next_level(level)) is not None and not best.settles(found):
        if deadline.passed():
            return
        level = found
        if better is not None and engine.nodes > PATIENCE:
            order, better = better(), None
            _probe(known, engine, best, k, order, deadline)
        if not _rounds(known, engine, best, level, _sorted(known.at_level(level), order), deadline):
            return
    _finish_hard_ones(known, engine, best, deadline)


def _probe(
    known: Knowledge, engine: Engine, best: _Best, k: int, order: NDArray[np.float32], deadline: Deadline
) -> None:
    """Ask about the most promising targets first, whatever their bounds: a good k-th best saves much work."""
    count = min(max(SMALLEST_ROUND, 2 * k), len(order))
    likely = first(known.asked, order, count)
    for chosen in _pieces(likely[~known.asked[likely]]):
        _ask(known, engine, best, chosen, deadline)


def _rounds(
    known: Knowledge, engine: Engine, best: _Best, level: int, positions: Positions, deadline: Deadline
) -> bool:
    """All targets at a level, as long as they can be nearer than the k-th best; False if time is up."""
    for chosen in _pieces(positions):
        if best.settles(level):
            return True
        if not _ask(known, engine, best, chosen, deadline):
            return False
    return True


def _ask(known: Knowledge, engine: Engine, best: _Best, chosen: Positions, deadline: Deadline) -> bool:
    """One round; False if the time was not enough for it."""
    if deadline.passed():
        return False
    threshold = None if best.last is None else max(0, best.last - 1)
    answers = engine.ask(chosen, deadline, threshold, FIRST_NODES)
    known.learn(chosen, answers)
    best.add(answers.upper[answers.done].astype(np.int32))
    return bool(answers.done.all())


def _finish_hard_ones(known: Knowledge, engine: Engine, best: _Best, deadline: Deadline) -> None:
    """More search nodes for what the first ones did not settle, a tenfold at a time."""
    nodes = FIRST_NODES
    while not deadline.passed():
        last = Knowledge.UNKNOWN if best.last is None else best.last
        open_ = np.flatnonzero(known.asked & (known.lower < known.upper) & (known.lower < last))
        if not len(open_):
            return
        nodes = min(10 * nodes, 1 << 60)
        open_ = open_[np.argsort(known.lower[open_], kind="stable")][:LARGEST_ROUND]
        # A target may have to be proven as near as its upper bound, the k-th best itself.
        answers = engine.ask(open_, deadline, last if best.last is not None else None, nodes)
        known.learn(open_, answers)
        best = _Best(best.k)
        best.add(known.upper[known.asked])


def ask_within(known: Knowledge, engine: Engine, radius: int, deadline: Deadline) -> None:
    """Ask the engine about all targets that may be within a radius, until it is known or the time is up."""
    level, hits = 0, 0
    while not deadline.passed() and (found := known.next_level(level)) is not None and found <= radius:
        level = found
        for chosen in _pieces(known.at_level(level)):
            early = deadline.sooner(hits * SECONDS_PER_HIT)
            if early.passed():
                return
            answers = engine.ask(chosen, early, radius, FIRST_NODES)
            known.learn(chosen, answers)
            hits += int((answers.done & (answers.upper <= radius)).sum())
    deadline, nodes = deadline.sooner(hits * SECONDS_PER_HIT), FIRST_NODES
    while not deadline.passed():
        open_ = np.flatnonzero(known.asked & (known.lower < known.upper) & (known.lower <= radius))
        if not len(open_):
            return
        nodes = min(10 * nodes, 1 << 60)
        known.learn(open_, engine.ask(open_, deadline, radius, nodes))


def _sorted(positions: Positions, order: NDArray[np.float32]) -> Positions:
    return positions[np.argsort(order[positions], kind="stable")]


def _pieces(positions: Positions) -> Iterator[Positions]:
    """Small rounds first: what they find lowers the threshold of the others."""
    start, size = 0, SMALLEST_ROUND
    while start < len(positions):
        yield positions[start : start + size]
        start, size = start + size, min(2 * size, LARGEST_ROUND)
