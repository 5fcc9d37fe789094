"""A bulk run: which pairs, where the answers go, and how they are handed over while it lasts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed import _native
from prune4sed.errors import GraphError, OptionError
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.table import SedTable
from prune4sed.exact.ticks import Ticks
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.labels import intern_labels

__all__ = ["UNSOLVED", "BulkRun", "Finished", "Progress", "as_set", "pair_index"]

#: Search nodes of a pair that was never looked at.
UNSOLVED = -1

Progress = Callable[[int, int], object]
Finished = Callable[[NDArray[np.int64], SedTable], object]


class BulkRun:
    """The arrays that native threads fill in, one row per pair; distances are in ticks until `table`."""

    def __init__(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], costs: EditCosts, ticks: Ticks
    ) -> None:
        self._queries, self._targets, self._index = queries, targets, index
        self._costs, self._ticks = costs, ticks
        count = len(index)
        width = int(queries.num_nodes[np.unique(index[:, 0])].max()) if count else 0
        self._lower, self._upper = (np.zeros(count, dtype=np.int64) for _ in range(2))
        self._nodes = np.full(count, UNSOLVED, dtype=np.int64)
        self._mapping = np.full((count, width), -1, dtype=np.int32)
        self._seconds = np.zeros(count)

    def solve(
        self,
        limits: tuple[float, int, int],
        threads: int,
        progress: Progress | None,
        finished: Finished | None,
        batch_seconds: float = math.inf,
    ) -> None:
        """Fill in every row, within limits of (seconds, search nodes, threshold in ticks) each.

        Rows for which `batch_seconds` leave no time stay as they are: unsolved, with -1 search nodes.
        """
        done = 0

        def hand_over(rows: NDArray[np.int64]) -> None:
            nonlocal done
            done += len(rows)
            if finished is not None and len(rows):
                finished(rows, self.table(rows))
            if progress is not None:
                progress(done, len(self._index))

        try:
            _native.sed_pairs(
                _native_set(self._queries),
                _native_set(self._targets),
                self._index,
                *self._ticks[:4],
                *limits,
                batch_seconds,
                threads,
                self._lower,
                self._upper,
                self._mapping,
                self._nodes,
                self._seconds,
                None if progress is None and finished is None else hand_over,
            )
        except ValueError as problem:
            if problem.__traceback__ is not None and problem.__traceback__.tb_next is not None:
                raise  # out of the caller's own function
            # A damaged file: its arrays are read here for the first time.
            raise GraphError(str(problem)) from None

    def table(self, rows: NDArray[np.int64] | slice = slice(None)) -> SedTable:
        """The answers of these rows."""
        low, high = self._ticks.to_costs(self._lower[rows]), self._ticks.to_costs(self._upper[rows])
        if not self._ticks.exact:
            low, high = self._recount(rows, low)
        return SedTable(low, high, low == high, self._mapping[rows], self._nodes[rows], self._seconds[rows])

    def _recount(
        self, rows: NDArray[np.int64] | slice, low: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Bounds for costs that were rounded down to ticks: the mapping's true cost from above."""
        high = np.empty_like(low)
        proven, mapping = self._lower[rows] == self._upper[rows], self._mapping[rows]
        for row, (i, j) in enumerate(self._index[rows].tolist()):
            q, t = self._queries[i], self._targets[j]
            images = [None if v < 0 else v for v in mapping[row, : len(q)].tolist()]
            high[row] = self._costs.map_cost(q, t, images)
            low[row] = self._ticks.settle(float(low[row]), float(high[row]), bool(proven[row]))
        return low, high


def as_set(graphs: Any, name: str) -> GraphSet:
    """Whatever stands for graphs, as a set."""
    if isinstance(graphs, GraphSet):
        return graphs
    if isinstance(graphs, Graph):
        return GraphSet([graphs])
    if isinstance(graphs, Iterable) and not isinstance(graphs, (str, bytes)):
        return GraphSet(graphs)
    raise OptionError(f"{name} must be graphs, got {type(graphs).__name__}")


def pair_index(pairs: Any, queries: GraphSet, targets: GraphSet) -> NDArray[np.int64]:
    """Positions of query and target, one row per pair, checked."""
    if pairs is None:
        rows = np.arange(len(targets), dtype=np.int64)
        if len(queries) == 1:
            return np.column_stack([np.zeros_like(rows), rows])
        if len(queries) == len(targets):
            return np.column_stack([rows, rows])
        raise OptionError(
            f"{len(queries)} queries and {len(targets)} targets cannot be paired one to one; give pairs"
        )
    try:
        index = np.asarray(pairs)
    except ValueError:  # rows of unequal length
        index = np.zeros(1)
    if index.size == 0:
        index = np.zeros((0, 2), dtype=np.int64)
    if index.ndim != 2 or index.shape[1] != 2 or index.dtype.kind not in "iu":
        raise OptionError(
            "pairs must be (query, target) positions, a list or an integer array of shape (n, 2)"
        )
    for column, graphs, name in ((0, queries, "query"), (1, targets, "target")):
        bad = (index[:, column] < 0) | (index[:, column] >= len(graphs))
        if bad.any():
            row = int(np.argmax(bad))
            raise OptionError(
                f"pair {row} names {name} {index[row, column]}, but there are only {len(graphs)} of them"
            )
    return np.ascontiguousarray(index, dtype=np.int64)


def _native_set(graphs: GraphSet) -> Any:
    return _native.SetArrays(
        graphs.node_offsets,
        graphs.node_labels,
        graphs.edge_offsets,
        graphs.edges,
        graphs.edge_label_codes,
        intern_labels(graphs.node_vocabulary),
        None if graphs.edge_vocabulary is None else intern_labels(graphs.edge_vocabulary),
    )
