"""The answers of a bulk run, one row per pair, as numpy arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class SedTable:
    """Bounds and mappings of many pairs.

    Columns are attributes, or by name: ``table.lower`` is ``table["lower"]``.

    Attributes
    ----------
    lower, upper : float64, (pairs,)
        Proven bounds on each distance.
    certified : bool, (pairs,)
        Where both agree.
    mapping : int32, (pairs, largest query)
        Target node of every query node; -1 where it is deleted, and beyond the nodes of a smaller query.
    nodes : int64, (pairs,)
        Search nodes visited.
    seconds : float64, (pairs,)
        Time spent on each pair.
    """

    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    certified: NDArray[np.bool_]
    mapping: NDArray[np.int32]
    nodes: NDArray[np.int64]
    seconds: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, column: str) -> NDArray[Any]:
        if column not in self.keys():
            raise KeyError(f"{column!r} is not a column; there are {', '.join(self.keys())}")
        values: NDArray[Any] = getattr(self, column)
        return values

    def keys(self) -> list[str]:
        """Names of the columns."""
        return [field.name for field in fields(self)]

    def __repr__(self) -> str:
        share = f"{self.certified.mean():.1%}" if len(self) else "none"
        return f"SedTable({len(self)} pairs, {share} certified)"
