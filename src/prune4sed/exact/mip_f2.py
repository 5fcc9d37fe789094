"""MIP-F2: the distance by integer programming, on HiGHS or, where the user has it, Gurobi.

The formulation is in `prune4sed.exact.f2_model`. Slow, but written by others and proven by others: the rival
of the engine, and its independent check.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Literal

from prune4sed.errors import OptionError
from prune4sed.exact.bounds import greedy_mapping, multiset_lower, settle
from prune4sed.exact.comparable import check_comparable
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.f2_model import build_f2
from prune4sed.exact.limits import Deadline
from prune4sed.exact.mip_solvers import gurobi_at_hand, solve_gurobi, solve_highs
from prune4sed.exact.result import SedResult

if TYPE_CHECKING:
    from prune4sed.exact.mip_solvers import MipAnswer
    from prune4sed.graph import Graph

Solver = Literal["auto", "highs", "gurobi"]

#: The solvers' own tolerance on the objective, relative to the largest cost.
SOLVER_NOISE = 1e-6


def mip_f2(
    q: Graph,
    t: Graph,
    costs: EditCosts | None = None,
    time_limit: float | None = 60.0,
    threads: int = 1,
    solver: Solver = "auto",
) -> SedResult:
    """Bound the subgraph edit distance by the integer program F2.

    Parameters
    ----------
    q, t
        Query and target; both with edge labels or both without.
    costs
        Edit costs; unit costs if None.
    time_limit
        Seconds for building and solving; 0 gives bounds from label counts at once, None means no limit.
    threads
        Threads the solver may use.
    solver
        ``"highs"``, ``"gurobi"``, or ``"auto"``: Gurobi if installed with a licence that fits, else HiGHS.

    Returns
    -------
    SedResult
        Proven bounds and the mapping of the upper one; ``nodes`` counts the solver's search nodes.

    Raises
    ------
    MissingExtraError
        If the solver is not installed.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> q = Graph(labels=["C", "N"], edges=[(0, 1)])
    >>> mip_f2(q, Graph(labels=["C", "O"], edges=[(0, 1)]), solver="highs")
    SED = 1 (certified)
    """
    check_comparable(q, t)
    start, costs = perf_counter(), costs or EditCosts()
    deadline = Deadline(time_limit)
    _check(threads, solver)
    mapping, lower, nodes = greedy_mapping(q, t, costs), multiset_lower(q, t, costs), 0
    answer = None if deadline.passed() else _solve(q, t, costs, deadline, threads, solver)
    if answer is not None:
        # A finished solver speaks alone, so that it stays a check on the bounds from label counts.
        lower = answer.lower if answer.finished else max(lower, answer.lower)
        nodes = answer.nodes
        if answer.mapping is not None:
            mapping = min(answer.mapping, mapping, key=lambda m: costs.map_cost(q, t, m))
    bounds = settle(lower, costs.map_cost(q, t, mapping), costs, SOLVER_NOISE)
    return SedResult(*bounds, mapping, nodes, perf_counter() - start, query=q, target=t, costs=costs)


def _solve(
    q: Graph, t: Graph, costs: EditCosts, deadline: Deadline, threads: int, solver: Solver
) -> MipAnswer | None:
    """Build and solve; None if there is nothing to decide or building used up the time."""
    if not q.labels or not t.labels:
        return None
    model = build_f2(q, t, costs)
    if deadline.passed():
        return None
    if solver == "gurobi" or (solver == "auto" and gurobi_at_hand(model.cost.size)):
        return solve_gurobi(model, deadline.left(), threads)
    return solve_highs(model, deadline.left(), threads)


def _check(threads: int, solver: str) -> None:
    """Refuse options that no solver can honour."""
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise OptionError(f"threads must be a whole number, 1 or more; got {threads!r}")
    if solver not in ("auto", "highs", "gurobi"):
        raise OptionError(f'solver must be "auto", "highs" or "gurobi"; got {solver!r}')
