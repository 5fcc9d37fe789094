"""The classical rivals on the engine's own problem: MIP-F2 on HiGHS, and the bounds of BRANCH."""

from __future__ import annotations

from typing import Any

import numpy as np
from rich.progress import track

import prune4sed as ps
from _pairs import Pairs, sample
from _timing import ratios, timed, times
from prune4sed import Graph
from prune4sed.exact import SedResult, branch, mip_f2

Bounds = tuple[float, float]

#: |V_q| x |V_t| of a pair that the program gets: about what HiGHS proves in seconds.
MODEST = 400


def modest_pairs(name: str, count: int, seed: int) -> list[tuple[Graph, Graph]]:
    """The first so many pairs of a sample that are small enough for the program."""
    drawn = sample(name, 12 * count, seed)
    queries, targets = drawn.queries.num_nodes, drawn.targets.num_nodes
    small = queries[drawn.index[:, 0]] * targets[drawn.index[:, 1]] <= MODEST
    return drawn.where(small & (np.cumsum(small) <= count)).graphs()


def against_mip(name: str, count: int, seed: int, limit: float) -> dict[str, Any]:
    """Both on the same pairs, one thread each; a pair that HiGHS cannot finish counts with its limit."""
    ours: list[tuple[SedResult, float]] = []
    theirs: list[tuple[SedResult, float]] = []
    for q, t in track(modest_pairs(name, count, seed), f"MIP-F2, {name}"):
        ours.append(timed(ps.sed, q, t, time_limit=limit))
        theirs.append(timed(mip_f2, q, t, time_limit=limit, solver="highs"))
    answers = [(a, b) for (a, _), (b, _) in zip(ours, theirs, strict=True)]
    ours_s, theirs_s = [s for _, s in ours], [s for _, s in theirs]
    return {
        "pairs": len(answers),
        "query_nodes": round(float(np.mean([len(a.query) for a, _ in answers])), 1),
        "target_nodes": round(float(np.mean([len(a.target) for a, _ in answers])), 1),
        "ours": times(ours_s) | {"certified": sum(a.certified for a, _ in answers)},
        "mip_f2": times(theirs_s) | {"certified": sum(b.certified for _, b in answers)},
        **ratios(theirs_s, ours_s),
        "both_certified": sum(a.certified and b.certified for a, b in answers),
        "disagree": sum(not _compatible(a, b) for a, b in answers),
        "seconds": {"ours": ours_s, "mip_f2": theirs_s},
    }


def against_branch(pairs: Pairs) -> dict[str, Any]:
    """How close BRANCH comes to the distance, on pairs of any size that the engine proves in a second."""
    rows = []
    for q, t in track(pairs.graphs(), f"BRANCH, {pairs.name}"):
        ours, our_s = timed(ps.sed, q, t)
        theirs, their_s = timed(branch, q, t)
        rows.append((ours, our_s, theirs, their_s))
    proven = [(ours.upper, theirs) for ours, _, theirs, _ in rows if ours.certified]
    true = np.array([value for value, _ in proven])
    lower, upper = np.array([b.lower for _, b in proven]), np.array([b.upper for _, b in proven])
    return {
        "pairs": len(rows),
        "proven_by_us": len(proven),
        "certified_by_branch": int((lower == upper).sum()),
        "mean_sed": round(float(true.mean()), 2),
        "mean_lower": round(float(lower.mean()), 2),
        "mean_upper": round(float(upper.mean()), 2),
        "lower_is_exact_percent": round(100 * float((lower == true).mean()), 1),
        "upper_is_exact_percent": round(100 * float((upper == true).mean()), 1),
        "ours": times([row[1] for row in rows]),
        "branch": times([row[3] for row in rows]),
        "disagree": sum(not _compatible(a, b) for a, _, b, _ in rows),
    }


def compatible(a: Bounds, b: Bounds) -> bool:
    """Whether one distance can lie within both pairs of bounds, lower and upper."""
    return a[0] <= b[1] and b[0] <= a[1]


def _compatible(a: SedResult, b: SedResult) -> bool:
    return compatible((a.lower, a.upper), (b.lower, b.upper))
