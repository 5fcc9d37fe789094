"""What the Python side adds: time per call of `sed`, and what `sed_pairs` makes of all cores."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

import prune4sed as ps
from _pairs import Pairs
from prune4sed import Graph

REPEATS = 5


def overhead(pairs: Pairs) -> dict[str, float | int]:
    """Wall-clock time of a call less the engine's own, in microseconds: the first call and later ones.

    The first call with a graph also translates its labels and edges into arrays, which the graph then keeps.
    Give easy pairs: long ones would drown the overhead.
    """
    first: list[float] = []
    later: list[float] = []
    for q, t in pairs.graphs():
        q, t = Graph(q.labels, q.edges), Graph(t.labels, t.edges)
        first.append(_call(q, t))
        later.extend(_call(q, t) for _ in range(REPEATS))
    return {
        "pairs": len(first),
        "first_call_us": round(1e6 * float(np.median(first)), 2),
        "later_calls_us": round(1e6 * float(np.median(later)), 2),
        "later_calls_p90_us": round(1e6 * float(np.quantile(later, 0.9)), 2),
    }


def _call(q: Graph, t: Graph) -> float:
    start = time.perf_counter()
    result = ps.sed(q, t)
    return time.perf_counter() - start - result.seconds


def all_cores(samples: list[Pairs], seconds: float = 2.0) -> dict[str, Any]:
    """How much of all cores goes into pairs: the engine's seconds over threads x wall, and the gain in wall.

    Give easy pairs: they are repeated in a shuffled order so that one run takes about so many seconds. With
    long ones, the last pair of a thread would be measured instead.
    """
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    runs = [(sample, _copies(sample, seconds / len(samples))) for sample in samples]
    one = [_timed(sample, index, 1) for sample, index in runs]
    many = [_timed(sample, index, threads) for sample, index in runs]
    wall_one, wall_many = sum(w for w, _ in one), sum(w for w, _ in many)
    return {
        "threads": threads,
        "pairs": int(sum(len(index) for _, index in runs)),
        "one_thread_wall_s": round(wall_one, 3),
        "one_thread_efficiency": round(sum(s for _, s in one) / wall_one, 4),
        "all_threads_wall_s": round(wall_many, 3),
        "all_threads_efficiency": round(sum(s for _, s in many) / (threads * wall_many), 4),
        "speedup": round(wall_one / wall_many, 3),
    }


def _copies(sample: Pairs, seconds: float) -> np.ndarray:
    wall, _ = _timed(sample, sample.index, 1)
    copies = np.repeat(sample.index, max(1, round(seconds / max(wall, 1e-4))), axis=0)
    return np.ascontiguousarray(np.random.default_rng(0).permutation(copies))


def _timed(sample: Pairs, index: np.ndarray, threads: int) -> tuple[float, float]:
    start = time.perf_counter()
    table = ps.sed_pairs(sample.queries, sample.targets, index, threads=threads)
    return time.perf_counter() - start, float(table.seconds.sum())
