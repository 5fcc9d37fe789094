"""The exact engine: certified subgraph edit distance of one pair, or of many on all cores."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real

from numpy.typing import ArrayLike

from prune4sed import _native
from prune4sed.errors import OptionError
from prune4sed.exact.bulk import BulkRun, Finished, Progress, as_set, pair_index
from prune4sed.exact.comparable import check_comparable, check_sets_comparable
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.result import SedResult
from prune4sed.exact.table import SedTable
from prune4sed.exact.threads import thread_count
from prune4sed.exact.ticks import NO_LIMIT, Ticks, ticks_of
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

__all__ = ["sed", "sed_pairs"]

UNIT_COSTS = EditCosts()


def sed(
    query: Graph,
    target: Graph,
    time_limit: float | None = 1.0,
    threshold: float | None = None,
    costs: EditCosts = UNIT_COSTS,
    node_limit: int | None = None,
) -> SedResult:
    """Subgraph edit distance: the least cost of edits that make the query a subgraph of the target.

    Parameters
    ----------
    query, target : Graph
        Both with edge labels or both without.
    time_limit : float, optional
        Seconds of wall-clock time; None for no limit, 0 for cheap bounds at once.
    threshold : float, optional
        Stop as soon as the distance is proven to exceed this.
    costs : EditCosts
        What each edit costs.
    node_limit : int, optional
        Search nodes to visit. With ``time_limit=None`` the answer is the same on every run and machine.

    Returns
    -------
    SedResult
        Proven bounds; they agree (``certified``) unless a limit or the threshold came first.

    Examples
    --------
    >>> q = Graph(["C", "C", "O"], [(0, 1), (1, 2)])
    >>> t = Graph(["C", "C", "N"], [(0, 1), (1, 2)])
    >>> r = sed(q, t)
    >>> r
    SED = 1 (certified)
    >>> print(r.edits[0])
    relabel node 2 from O to N
    """
    check_comparable(query, target)
    ticks = _ticks(costs, len(query.labels) + len(query.edges))
    seconds, nodes, limit = _limits(time_limit, node_limit, threshold, ticks)
    lower, upper, mapping, visited, spent = _native.sed(
        *query.codes, *target.codes, *ticks[:4], seconds, nodes, limit
    )
    low, high = ticks.to_cost(lower), ticks.to_cost(upper)
    if not ticks.exact:
        high = costs.map_cost(query, target, mapping)
        low = ticks.settle(low, high, lower == upper)
    return SedResult(low, high, mapping, visited, spent, query, target, costs)


def sed_pairs(
    queries: GraphSet | Iterable[Graph] | Graph,
    targets: GraphSet | Iterable[Graph] | Graph,
    pairs: ArrayLike | Sequence[tuple[int, int]] | None = None,
    time_limit: float | None = 1.0,
    threads: int | None = None,
    progress: Progress | None = None,
    costs: EditCosts = UNIT_COSTS,
    threshold: float | None = None,
    node_limit: int | None = None,
    finished: Finished | None = None,
) -> SedTable:
    """Subgraph edit distances of many pairs, in native threads.

    Parameters
    ----------
    queries, targets : GraphSet, iterable of Graph, or Graph
        What to compare.
    pairs : sequence of (query, target) positions, optional
        None pairs the i-th query with the i-th target, or a single query with every target.
    time_limit, costs, threshold, node_limit
        As for `sed`, for each pair.
    threads : int, optional
        All cores by default.
    progress : callable, optional
        Called as ``progress(done, total)`` every few milliseconds.
    finished : callable, optional
        Called as often with the numbers of the rows that were finished since the last call and a table of
        them, so that a long run can put its answers away as it goes. Every row is handed over once, in no
        certain order.

    Returns
    -------
    SedTable
        Numpy columns lower, upper, certified, mapping, nodes, seconds.

    Examples
    --------
    >>> q = Graph(["C", "O"], [(0, 1)])
    >>> sed_pairs(q, [Graph(["C", "O"], [(0, 1)]), Graph(["C", "N"], [(0, 1)])]).upper
    array([0., 1.])
    """
    query_set, target_set = as_set(queries, "queries"), as_set(targets, "targets")
    check_sets_comparable(query_set, target_set)
    index = pair_index(pairs, query_set, target_set)
    edits = query_set.num_nodes + query_set.num_edges
    ticks = _ticks(costs, int(edits.max(initial=0)))
    limits = _limits(time_limit, node_limit, threshold, ticks)
    _check_callable(progress, "progress", "(done, total)")
    _check_callable(finished, "finished", "(rows, table)")
    run = BulkRun(query_set, target_set, index, costs, ticks)
    run.solve(limits, thread_count(threads), progress, finished)
    return run.table()


def _ticks(costs: EditCosts, edits: int) -> Ticks:
    if not isinstance(costs, EditCosts):
        raise OptionError(f"costs must be an EditCosts, got {costs!r}")
    # A power of two, so that the cache of conversions is hit whatever the size of the query.
    return ticks_of(costs, 1 << max(6, edits.bit_length()))


def _limits(
    time_limit: float | None, node_limit: int | None, threshold: float | None, ticks: Ticks
) -> tuple[float, int, int]:
    seconds = math.inf if time_limit is None else time_limit
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not seconds >= 0:
        raise OptionError(f"time_limit must be a number of seconds, 0 or more, or None; got {time_limit!r}")
    nodes = NO_LIMIT if node_limit is None else node_limit
    if isinstance(nodes, bool) or not isinstance(nodes, Integral) or nodes < 0:
        raise OptionError(f"node_limit must be a whole number, 0 or more, or None; got {node_limit!r}")
    if threshold is not None and (
        isinstance(threshold, bool) or not isinstance(threshold, Real) or not threshold >= 0
    ):
        raise OptionError(f"threshold must be a number, 0 or more, or None; got {threshold!r}")
    limit = NO_LIMIT if threshold is None else ticks.floor(float(threshold))
    return float(seconds), min(int(nodes), NO_LIMIT), limit


def _check_callable(function: object, name: str, arguments: str) -> None:
    if function is not None and not callable(function):
        raise OptionError(f"{name} must be a function of {arguments}, got {function!r}")
