"""What can predict distances: the one interface of models and solvers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from numbers import Integral
from typing import Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prune4sed.errors import OptionError
from prune4sed.exact.bulk import as_set, pair_index
from prune4sed.exact.comparable import check_sets_comparable
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.bounds import Bounded, clip_to_bounds

__all__ = ["Graphs", "Pairs", "Predictor"]

Graphs = GraphSet | Iterable[Graph] | Graph
Pairs = ArrayLike | Sequence[tuple[int, int]] | None


class Predictor(ABC):
    """Anything that predicts SED for lists of pairs; one evaluation serves all."""

    #: What to call it.
    name: ClassVar[str]
    #: Whether it proves bounds in any case, so that to ask for them changes no prediction.
    proves: ClassVar[bool] = False

    @overload
    def predict(
        self,
        queries: Graphs,
        targets: Graphs,
        pairs: Pairs = None,
        batch_size: int | None = None,
        bounds: Literal[False] = False,
    ) -> NDArray[np.float32]: ...
    @overload
    def predict(
        self,
        queries: Graphs,
        targets: Graphs,
        pairs: Pairs = None,
        batch_size: int | None = None,
        *,
        bounds: Literal[True],
    ) -> Bounded: ...
    def predict(
        self,
        queries: Graphs,
        targets: Graphs,
        pairs: Pairs = None,
        batch_size: int | None = None,
        bounds: bool = False,
    ) -> NDArray[np.float32] | Bounded:
        """Predicted distances.

        A distance does not depend on which other pairs are asked for. An empty query is at distance 0 and
        any query to an empty target at the number of its nodes and edges; no model is asked. Nothing is
        predicted to be further than that, save by NeuroSED's norm, which keeps the triangle inequality.

        Parameters
        ----------
        queries, targets : GraphSet, iterable of Graph, or Graph
            What to compare.
        pairs : sequence of (query, target) positions, optional
            None pairs the i-th query with the i-th target, or a single query with every target.
        batch_size : int, optional
            At most so many pairs at a time; by default as many as suit the device. Solvers ignore it.
        bounds : bool
            Whether to return proven bounds as well, and to keep predictions within them: the engine's first
            ones for a model, its own for a solver.

        Returns
        -------
        numpy.ndarray or Bounded
            float32, one distance per pair; with `bounds`, the arrays predicted, lower and upper.

        Raises
        ------
        GraphError
            If something is no graph, or has a label that a model has never seen.
        OptionError
            If `pairs` or `batch_size` cannot be.
        """
        query_set, target_set = as_set(queries, "queries"), as_set(targets, "targets")
        index = pair_index(pairs, query_set, target_set)
        _check_batch_size(batch_size)
        if bounds:
            return self._bounded(query_set, target_set, index, batch_size)
        return self._distances(query_set, target_set, index, batch_size)

    def check_readable(self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]) -> None:
        """Refuse pairs that cannot be asked about, without asking.

        Raises
        ------
        GraphError
            If there is such a pair.
        """
        check_sets_comparable(queries, targets)

    @abstractmethod
    def _distances(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> NDArray[np.float32]:
        """Distances of the pairs of positions in `index`."""

    def _bounded(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> Bounded:
        """Distances with proven bounds."""
        distances = self._distances(queries, targets, index, batch_size)
        return clip_to_bounds(distances, queries, targets, index)


def _check_batch_size(batch_size: Any) -> None:
    if batch_size is None:
        return
    if isinstance(batch_size, bool) or not isinstance(batch_size, Integral) or batch_size < 1:
        raise OptionError(f"batch_size must be a whole number, 1 or more, or None; got {batch_size!r}")
