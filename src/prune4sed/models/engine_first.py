"""What the exact engine proves in a moment, and a model's word on the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.engine import sed_pairs
from prune4sed.graphset import GraphSet
from prune4sed.models.bounds import Bounded
from prune4sed.models.predictor import Predictor

__all__ = ["EngineFirst"]


class EngineFirst(Predictor):
    """The exact engine for what it can prove in time, a model for what stays open.

    Most distances are proven in a fraction of a millisecond, and those that are not have bounds that a
    prediction can be kept within. So no answer is further from the truth than the model's own. What is proven
    in time depends on the machine and on what else it does; a `node_limit` does not.

    Parameters
    ----------
    model : Predictor
        Whom to ask about pairs that the engine leaves open. It must be able to read all graphs: which pairs
        stay open may change from run to run, and what is an error must not.
    time_limit : float, optional
        Seconds per pair for the engine; None for no limit.
    threads : int, optional
        Of the engine; all cores by default.
    node_limit : int, optional
        Search nodes per pair. With ``time_limit=None`` the answers are the same on every machine.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> from prune4sed.models.solvers import Branch
    >>> EngineFirst(Branch()).predict(Graph(["C", "O"], [(0, 1)]), Graph(["C", "N"], [(0, 1)]))
    array([1.], dtype=float32)
    """

    name, proves = "engine-first", True

    def __init__(
        self,
        model: Predictor,
        time_limit: float | None = 0.001,
        threads: int | None = None,
        node_limit: int | None = None,
    ) -> None:
        self.model, self.time_limit, self.threads, self.node_limit = model, time_limit, threads, node_limit
        self.vocabulary = getattr(model, "vocabulary", None)

    def check_readable(self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]) -> None:
        self.model.check_readable(queries, targets, index)

    def _distances(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> NDArray[np.float32]:
        return self._bounded(queries, targets, index, batch_size).predicted

    def _bounded(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> Bounded:
        self.check_readable(queries, targets, index)
        found = sed_pairs(
            queries, targets, index, self.time_limit, threads=self.threads, node_limit=self.node_limit
        )
        answer = Bounded(found.upper.astype(np.float32), found.lower.copy(), found.upper.copy())
        open_ = np.flatnonzero(found.lower < found.upper)
        if len(open_):
            asked = self.model.predict(queries, targets, index[open_], batch_size, bounds=True)
            better = _within(found.lower[open_], found.upper[open_], asked)
            answer.predicted[open_] = better.predicted
            answer.lower[open_], answer.upper[open_] = better.lower, better.upper
        return answer


def _within(lower: NDArray[np.float64], upper: NDArray[np.float64], asked: Bounded) -> Bounded:
    """A prediction within the better of two lower and of two upper bounds."""
    lower, upper = np.maximum(lower, asked.lower), np.minimum(upper, asked.upper)
    return Bounded(np.clip(asked.predicted, lower, upper).astype(np.float32), lower, upper)
