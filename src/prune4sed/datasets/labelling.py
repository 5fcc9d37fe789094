"""Label a sampled set: exact bounds and an optimal mapping for every pair, resumable after a kill."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.journal import Journal, row_type
from prune4sed.datasets.sampled import fingerprint
from prune4sed.errors import FormatError

if TYPE_CHECKING:
    from prune4sed.datasets.sampled import SampledSet
    from prune4sed.exact.bulk import Progress
    from prune4sed.exact.table import SedTable

__all__ = ["Labels", "label_set", "mapping_width"]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """What is proven about the pairs of a set, at unit costs.

    Attributes
    ----------
    lower, upper : int32, (pairs,)
        Proven bounds on each distance.
    mapping : int32, (pairs, largest query)
        Target node of every query node; -1 where it is deleted, and beyond the nodes of a smaller query.

    Examples
    --------
    >>> bounds = np.array([0, 1], dtype=np.int32), np.array([0, 3], dtype=np.int32)
    >>> Labels(*bounds, np.zeros((2, 4), dtype=np.int32))
    Labels(2 pairs, 50.0% certified)
    """

    lower: NDArray[np.int32]
    upper: NDArray[np.int32]
    mapping: NDArray[np.int32]

    @property
    def certified(self) -> NDArray[np.bool_]:
        """Where both bounds agree."""
        agree: NDArray[np.bool_] = self.lower == self.upper
        return agree

    def __len__(self) -> int:
        return len(self.lower)

    def __repr__(self) -> str:
        share = f"{self.certified.mean():.1%}" if len(self) else "none"
        return f"Labels({len(self)} pairs, {share} certified)"


def label_set(
    sampled: SampledSet,
    node_limit: int | None,
    journal: Path | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    time_limit: float | None = None,
) -> Labels:
    """Bounds and mappings of all pairs of a set, by the exact engine.

    Parameters
    ----------
    sampled : SampledSet
        The pairs.
    node_limit : int or None
        Search nodes per pair. Without a time limit the labels are then the same on every run and machine.
    journal : Path, optional
        A file that keeps every finished row, so that a run that was stopped or killed can go on. It stays
        when the run is over: whoever has put the labels in a safe place removes it.
    resume : bool
        Go on with an existing journal, which is refused otherwise.
    threads : int, optional
        All cores by default.
    progress : callable, optional
        Called as ``progress(done, total)`` every few dozen milliseconds; `done` counts what a journal held.
    time_limit : float, optional
        Seconds per pair.

    Returns
    -------
    Labels

    Raises
    ------
    OptionError
        If the journal belongs to other pairs or limits, or exists and `resume` is false.

    Examples
    --------
    >>> from prune4sed import Graph, GraphSet
    >>> from prune4sed.datasets.sampled import SampledSet
    >>> ring = Graph(["C"] * 3, [(0, 1), (1, 2), (2, 0)])
    >>> path = Graph(["C"] * 3, [(0, 1), (1, 2)])
    >>> pairs = SampledSet("two", GraphSet([ring, path]), GraphSet([path]), np.array([[0, 0], [1, 0]]))
    >>> label_set(pairs, node_limit=100).upper
    array([1, 0], dtype=int32)
    """
    from prune4sed.exact.engine import sed_pairs

    graphs = sampled.queries, sampled.targets
    limits: dict[str, Any] = {"time_limit": time_limit, "node_limit": node_limit, "threads": threads}
    sed_pairs(*graphs, sampled.index[:0], **limits)  # refuses bad limits before a journal is begun
    width = mapping_width(sampled)
    rows = _unlabelled(len(sampled.index), width)
    key = _key(sampled, node_limit, time_limit)
    with nullcontext() if journal is None else Journal(journal, key, width, resume) as log:
        todo = np.arange(len(rows)) if log is None else _restore(rows, log)
        done = len(rows) - len(todo)

        def finished(chosen: NDArray[np.int64], table: SedTable) -> None:
            nonlocal done
            where = todo[chosen]
            _fill(rows, where, table)
            if log is not None:
                log.append(rows[where])
            done += len(where)

        def beat(*_: int) -> None:
            if progress is not None:
                progress(done, len(rows))

        beat()
        sed_pairs(*graphs, sampled.index[todo], finished=finished, progress=beat, **limits)
    columns = (rows[name] for name in ("lower", "upper", "mapping"))
    return Labels(*(np.ascontiguousarray(column, dtype=np.int32) for column in columns))


def mapping_width(sampled: SampledSet) -> int:
    """Nodes of the largest query that occurs in a pair: the columns of the mappings."""
    return int(sampled.queries.num_nodes[sampled.index[:, 0]].max(initial=0))


def _key(sampled: SampledSet, node_limit: int | None, time_limit: float | None) -> dict[str, object]:
    """All that the labels depend on: the journal of one run is never taken for another's."""
    from prune4sed import __version__

    return {
        "pairs": fingerprint(sampled),
        "node_limit": node_limit,
        "time_limit": time_limit,
        "costs": [1, 1, 1, 1],
        "version": __version__,
    }


def _unlabelled(count: int, width: int) -> NDArray[np.void]:
    rows = np.zeros(count, dtype=row_type(width))
    rows["row"] = np.arange(count)
    rows["mapping"] = -1
    return rows


def _fill(rows: NDArray[np.void], where: NDArray[np.int64], table: SedTable) -> None:
    # Unit costs, so the bounds are whole numbers. The engine's mapping is as wide as its own largest query.
    rows["lower"][where] = table.lower
    rows["upper"][where] = table.upper
    rows["mapping"][where, : table.mapping.shape[1]] = table.mapping


def _restore(rows: NDArray[np.void], log: Journal) -> NDArray[np.int64]:
    """Put the journal's rows in their places; returns the positions that are still to do."""
    where = log.rows["row"]
    if len(where) and (where.min() < 0 or where.max() >= len(rows)):
        raise FormatError(f"{log.path} is damaged; delete it and label anew")
    rows[where] = log.rows
    waiting = np.ones(len(rows), dtype=bool)
    waiting[where] = False
    return np.flatnonzero(waiting)
