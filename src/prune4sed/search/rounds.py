"""Rounds of the exact engine: one query against targets at some positions, until a deadline."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.bulk import UNSOLVED, BulkRun
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.limits import Deadline
from prune4sed.exact.ticks import NO_LIMIT, ticks_of
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.search.segments import Segments

__all__ = ["Answers", "Engine"]

UNIT_COSTS = EditCosts()


@dataclass(frozen=True, eq=False)
class Answers:
    """One row per target that was asked about.

    Attributes
    ----------
    done : bool array
        Whether there was time for it; the other columns mean nothing where there was not.
    lower, upper : int64 arrays
        Proven bounds.
    mapping : int32 array, (targets, query nodes)
        What attains the upper bound; -1 for a deleted node.
    """

    done: NDArray[np.bool_]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]
    mapping: NDArray[np.int32]


class Engine:
    """The engine, made ready for one query and the graphs of an index.

    Attributes
    ----------
    nodes : int
        Search nodes so far: how much work there was, the same on any machine.
    """

    def __init__(self, query: Graph, library: Segments, threads: int) -> None:
        self._query, self._library, self._threads = GraphSet([query]), library, threads
        self.nodes = 0
        self._ticks = ticks_of(UNIT_COSTS, 1 << max(6, (query.num_nodes + query.num_edges).bit_length()))

    def ask(
        self,
        positions: NDArray[np.int64],
        deadline: Deadline,
        threshold: int | None = None,
        node_limit: int | None = None,
        seconds: float = math.inf,
    ) -> Answers:
        """Distances to the targets at these positions, in their order.

        Parameters
        ----------
        positions : array of int64
            Which targets.
        deadline : Deadline
            When to stop. Targets that were never looked at by then are not `done`.
        threshold : int, optional
            Stop with a target as soon as its distance is proven to be larger.
        node_limit : int, optional
            Search nodes per target.
        seconds : float
            Time per target.
        """
        count, width = len(positions), int(self._query.num_nodes[0])
        found = Answers(
            np.zeros(count, dtype=np.bool_),
            np.zeros(count, dtype=np.int64),
            np.zeros(count, dtype=np.int64),
            np.full((count, width), -1, dtype=np.int32),
        )
        most, limit = (NO_LIMIT if x is None else x for x in (node_limit, threshold))
        for part, mine, rows in self._library.split(positions):
            pairs = np.column_stack([np.zeros_like(rows), rows])
            run = BulkRun(self._query, part.graphs, pairs, UNIT_COSTS, self._ticks)
            run.solve((seconds, most, limit), self._threads, None, None, deadline.left())
            table = run.table()
            found.done[mine] = table.nodes != UNSOLVED
            self.nodes += int(table.nodes[found.done[mine]].sum())
            found.lower[mine], found.upper[mine] = table.lower, table.upper
            found.mapping[mine] = table.mapping
        return found

    def bounds(self, positions: NDArray[np.int64]) -> Answers:
        """The engine's first bounds, at once: for the few targets that an answer cannot do without."""
        return self.ask(positions, Deadline(None), seconds=0.0)
