"""Solvers that need no training, behind the interface of the models. Nothing here loads torch."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import OptionError
from prune4sed.exact.branch import branch
from prune4sed.exact.comparable import check_sets_comparable
from prune4sed.exact.engine import sed_pairs
from prune4sed.exact.mip_f2 import mip_f2
from prune4sed.exact.result import SedResult
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.bounds import Bounded
from prune4sed.models.predictor import Predictor

__all__ = ["SOLVERS", "Branch", "Exact", "MipF2", "Solver"]

Estimate = Literal["lower", "middle", "upper"]
_Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]


class Solver(Predictor):
    """What proves bounds on each distance and predicts one of them, or the middle.

    Parameters
    ----------
    time_limit : float, optional
        Seconds per pair; None for no limit.
    threads : int, optional
        How many to use.
    estimate : {"lower", "middle", "upper"}
        What to predict where the bounds differ.
    """

    proves = True

    def __init__(self, time_limit: float | None, threads: int | None, estimate: Estimate) -> None:
        if estimate not in ("lower", "middle", "upper"):
            raise OptionError(f"estimate must be lower, middle or upper; got {estimate!r}")
        self.time_limit = time_limit
        self.threads = threads
        self.estimate = estimate

    @abstractmethod
    def _solve_all(self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]) -> _Bounds:
        """Proven bounds of all pairs."""

    def _bounded(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> Bounded:
        check_sets_comparable(queries, targets)
        lower, upper = self._solve_all(queries, targets, index)
        chosen = {"lower": lower, "middle": (lower + upper) / 2, "upper": upper}[self.estimate]
        return Bounded(chosen.astype(np.float32), lower, upper)

    def _distances(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> NDArray[np.float32]:
        return self._bounded(queries, targets, index, batch_size).predicted


class Exact(Solver):
    """The exact engine; what it cannot prove in time is predicted by the best mapping it found.

    Parameters
    ----------
    time_limit, threads, estimate
        As for every solver; all cores by default.
    node_limit : int, optional
        Search nodes per pair. With ``time_limit=None`` the answers are the same on every machine.

    Examples
    --------
    >>> Exact().predict(Graph(["C", "O"], [(0, 1)]), Graph(["C", "N"], [(0, 1)]))
    array([1.], dtype=float32)
    """

    name = "exact"

    def __init__(
        self,
        time_limit: float | None = 1.0,
        threads: int | None = None,
        estimate: Estimate = "upper",
        node_limit: int | None = None,
    ) -> None:
        super().__init__(time_limit, threads, estimate)
        self.node_limit = node_limit

    def _solve_all(self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]) -> _Bounds:
        found = sed_pairs(
            queries, targets, index, self.time_limit, threads=self.threads, node_limit=self.node_limit
        )
        return found.lower, found.upper


class _OneByOne(Solver):
    """A solver that takes one pair at a time."""

    @abstractmethod
    def _solve(self, query: Graph, target: Graph) -> SedResult:
        """Bounds of one pair."""

    def _solve_all(self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]) -> _Bounds:
        found = [self._solve(queries[i], targets[j]) for i, j in index.tolist()]
        lower, upper = (np.array([getattr(x, end) for x in found], float) for end in ("lower", "upper"))
        return lower, upper


class Branch(_OneByOne):
    """BRANCH, predicting the middle of its two bounds as the paper does.

    Parameters
    ----------
    time_limit, estimate
        As for every solver.
    threads : int, optional
        Not used: BRANCH has one.

    Examples
    --------
    >>> Branch().predict(Graph(["C", "O"], [(0, 1)]), Graph(["C", "N"], [(0, 1)]))
    array([1.], dtype=float32)
    """

    name = "branch"

    def __init__(
        self, time_limit: float | None = None, threads: int | None = None, estimate: Estimate = "middle"
    ) -> None:
        super().__init__(time_limit, threads, estimate)

    def _solve(self, query: Graph, target: Graph) -> SedResult:
        return branch(query, target, time_limit=self.time_limit)


class MipF2(_OneByOne):
    """The integer program F2, predicting the best mapping found in time. Needs HiGHS or Gurobi.

    Parameters
    ----------
    time_limit, threads, estimate
        As for every solver; one thread by default.
    """

    name = "mip-f2"

    def __init__(
        self, time_limit: float | None = 1.0, threads: int | None = None, estimate: Estimate = "upper"
    ) -> None:
        super().__init__(time_limit, threads, estimate)

    def _solve(self, query: Graph, target: Graph) -> SedResult:
        return mip_f2(query, target, time_limit=self.time_limit, threads=self.threads or 1)


#: All solvers by name.
SOLVERS: dict[str, type[Exact] | type[Branch] | type[MipF2]] = {x.name: x for x in (Branch, MipF2, Exact)}
