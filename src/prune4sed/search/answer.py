"""From what is known when a search ends to the hits it returns, with an exact statement of what is proven."""

from __future__ import annotations

from math import isnan
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.limits import Deadline
from prune4sed.graph import Graph
from prune4sed.search.estimates import Estimates
from prune4sed.search.hits import Hit, Hits, SearchCounts
from prune4sed.search.knowledge import Knowledge
from prune4sed.search.ranking import first
from prune4sed.search.rounds import Engine
from prune4sed.search.segments import Segments

__all__ = ["answer_nearest", "answer_unproven", "answer_within"]

#: What the engine may spend on the hits of a search that need not be proven.
QUICK_NODES, QUICK_SECONDS = 20, 0.2
#: As many undecided targets are listed.
MOST_UNDECIDED = 100

Positions = NDArray[np.int64]


def answer_nearest(
    query: Graph,
    library: Segments,
    known: Knowledge,
    engine: Engine,
    k: int,
    guessed: Estimates,
    started: float,
) -> Hits:
    """The k nearest by upper bound; proven if every other target is proven to be no nearer than the last."""
    exact = int(known.asked.sum())
    _fill_up(known, engine, min(k, len(library)), guessed)
    chosen = known.nearest()[:k]
    others = np.ones(len(library), dtype=np.bool_)
    others[chosen] = False
    last = int(known.upper[chosen].max(initial=0))
    nearer = others & (known.lower < last)
    tied = others & (known.lower == last)
    certain = tied & (known.upper == last)
    return Hits(
        query,
        _hits(chosen, library, known, guessed),
        proven=not nearer.any() and bool((known.lower[chosen] >= known.upper[chosen]).all()),
        library=library,
        ties=int(certain.sum()),
        possible_ties=int((tied & ~certain).sum()),
        undecided=_hits(_listed(np.flatnonzero(nearer), known), library, known, guessed, engine),
        elapsed=perf_counter() - started,
        counts=_counts(library, exact, int((others & ~nearer & ~known.asked).sum()), int(nearer.sum())),
        notes=guessed.notes,
    )


def answer_unproven(
    query: Graph,
    library: Segments,
    known: Knowledge,
    engine: Engine,
    k: int,
    guessed: Estimates,
    started: float,
) -> Hits:
    """The k most promising targets in the order of the estimates, raised to the lower bounds where they are
    below them, with the bounds that come at once.
    """
    chosen = _most_promising(known, guessed, k)
    known.learn(chosen, engine.ask(chosen, Deadline(QUICK_SECONDS), node_limit=QUICK_NODES))
    late = chosen[~known.asked[chosen]]
    known.learn(late, engine.bounds(late))
    # What the engine has just proven may be more than a guess: a hit is not listed before nearer ones for it.
    chosen = chosen[np.argsort(_raised(chosen, known, guessed), kind="stable")]
    return Hits(
        query,
        _hits(chosen, library, known, guessed),
        proven=False,
        library=library,
        elapsed=perf_counter() - started,
        counts=_counts(library, len(chosen), 0, len(library) - len(chosen)),
        notes=guessed.notes,
    )


def _most_promising(known: Knowledge, guessed: Estimates, k: int) -> Positions:
    """By what a model says, but no less than what is proven; then those that no model was asked about."""
    asked = np.flatnonzero(~np.isnan(guessed.predicted))
    chosen = asked[first(_raised(asked, known, guessed), guessed.order[asked], k)]
    if len(chosen) < min(k, len(known.lower)):
        others = np.flatnonzero(np.isnan(guessed.predicted))
        more = first(known.lower[others], guessed.order[others], k - len(chosen))
        chosen = np.concatenate([chosen, others[more]])
    return chosen


def _raised(positions: Positions, known: Knowledge, guessed: Estimates) -> NDArray[np.float32]:
    """What a model says, but no less than what is proven; that alone where no model was asked."""
    return np.fmax(guessed.predicted[positions], known.lower[positions])


def answer_within(
    query: Graph,
    library: Segments,
    known: Knowledge,
    engine: Engine,
    radius: int,
    guessed: Estimates,
    started: float,
) -> Hits:
    """All with an upper bound within the radius; undecided are those whose lower bound alone is."""
    exact = int(known.asked.sum())
    nearest = known.nearest()
    chosen = nearest[known.upper[nearest] <= radius]
    open_ = (known.lower <= radius) & (known.upper > radius)
    return Hits(
        query,
        _hits(chosen, library, known, guessed),
        proven=not open_.any() and bool((known.lower[chosen] >= known.upper[chosen]).all()),
        library=library,
        undecided=_hits(_listed(np.flatnonzero(open_), known), library, known, guessed, engine),
        elapsed=perf_counter() - started,
        counts=_counts(library, exact, int((~open_ & ~known.asked).sum()), int(open_.sum())),
        notes=guessed.notes,
    )


def _fill_up(known: Knowledge, engine: Engine, k: int, guessed: Estimates) -> None:
    """First bounds for the most promising targets, where the time was not enough for k of them."""
    lacking = k - int(known.asked.sum())
    if lacking > 0:
        # Where there was no time to look at all targets there is none now to choose among all of them.
        rest = np.flatnonzero(~known.asked[: max(known.looked_at, k)])
        chosen = rest[first(known.lower[rest], guessed.order[rest], lacking)]
        known.learn(chosen, engine.bounds(chosen))


def _listed(positions: Positions, known: Knowledge) -> Positions:
    """The undecided that are listed: those with the smallest lower bounds."""
    return positions[np.argsort(known.lower[positions], kind="stable")][:MOST_UNDECIDED]


def _hits(
    positions: Positions,
    library: Segments,
    known: Knowledge,
    guessed: Estimates,
    engine: Engine | None = None,
) -> tuple[Hit, ...]:
    if engine is not None:
        unknown = positions[~known.asked[positions]]
        known.learn(unknown, engine.bounds(unknown))
    upper = known.upper[positions].astype(np.float64)
    lower = np.minimum(known.lower[positions], upper)
    told = guessed.predicted[positions].tolist()
    # Column by column: a range may hold very many.
    columns = (
        library.ids(positions),
        positions.tolist(),
        lower.tolist(),
        upper.tolist(),
        (lower == upper).tolist(),
        [None if isnan(one) else one for one in told],
        known.mappings(positions),
    )
    return tuple(map(Hit, *columns))


def _counts(library: Segments, exact: int, ruled_out: int, left: int) -> SearchCounts:
    return SearchCounts(len(library), ruled_out, exact, left)
