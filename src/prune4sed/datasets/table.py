"""PairTable: labelled pairs as numpy columns, one row per pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import OptionError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["PairTable", "list_column"]

_COLUMNS = ("query", "target", "lower", "upper", "certified", "mapping")


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Which query belongs to which target, and what is proven about their distance.

    Columns are attributes, or by name: ``table.lower`` is ``table["lower"]``. A slice, an integer array or a
    mask gives a table of those rows; positions in it still count in the same queries and targets.

    Attributes
    ----------
    index : int64, (pairs, 2)
        Positions of the query and the target; `query` and `target` are its columns.
    lower, upper : float64, (pairs,)
        Proven bounds on each distance.
    certified : bool, (pairs,)
        Where both agree.
    mapping : int32, (pairs, largest query)
        Target node of every query node; -1 where it is deleted, and beyond the nodes of a smaller query.

    Examples
    --------
    >>> import numpy as np
    >>> bounds = np.array([0.0, 2.0, 1.0]), np.array([0.0, 3.0, 1.0])
    >>> table = PairTable(np.array([[0, 1], [1, 0], [2, 1]]), *bounds, np.zeros((3, 1), dtype=np.int32))
    >>> table
    PairTable(3 pairs, 66.7% certified)
    >>> table[table.certified].target
    array([1, 1])
    """

    index: NDArray[np.int64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    mapping: NDArray[np.int32]

    def __post_init__(self) -> None:
        if self.index.ndim != 2 or self.index.shape[1] != 2:
            raise OptionError(f"index must have shape (pairs, 2), not {self.index.shape}")
        lengths = {len(self.index), len(self.lower), len(self.upper), len(self.mapping)}
        if len(lengths) != 1 or self.mapping.ndim != 2:
            raise OptionError(
                f"the columns do not fit together: {len(self.index)} pairs, {len(self.lower)} lower and "
                f"{len(self.upper)} upper bounds, mappings of shape {self.mapping.shape}"
            )

    @property
    def query(self) -> NDArray[np.int64]:
        """Position of the query of every pair."""
        return self.index[:, 0]

    @property
    def target(self) -> NDArray[np.int64]:
        """Position of the target of every pair."""
        return self.index[:, 1]

    @property
    def certified(self) -> NDArray[np.bool_]:
        """Where the distance is proven."""
        return np.equal(self.lower, self.upper, dtype=np.bool_)

    def keys(self) -> list[str]:
        """Names of the columns."""
        return list(_COLUMNS)

    def __len__(self) -> int:
        return len(self.index)

    @overload
    def __getitem__(self, key: str) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, key: slice | list[int] | NDArray[Any]) -> PairTable: ...
    def __getitem__(self, key: Any) -> NDArray[Any] | PairTable:
        if isinstance(key, str):
            if key not in _COLUMNS:
                raise KeyError(f"{key!r} is not a column; there are {', '.join(_COLUMNS)}")
            values: NDArray[Any] = getattr(self, key)
            return values
        if not isinstance(key, (slice, list, np.ndarray)):
            raise OptionError(f"rows are chosen by a slice, a list of integers or a mask, not {key!r}")
        rows = np.zeros(0, dtype=np.int64) if isinstance(key, list) and not key else key
        return PairTable(self.index[rows], self.lower[rows], self.upper[rows], self.mapping[rows])

    def __repr__(self) -> str:
        share = f"{self.certified.mean():.1%}" if len(self) else "none"
        return f"PairTable({len(self)} pair{'s' * (len(self) != 1)}, {share} certified)"

    def to_arrow(self, sizes: NDArray[Any] | None = None) -> pa.Table:
        """The table as an Arrow table, for Parquet, pandas or polars.

        Parameters
        ----------
        sizes : array, optional
            Number of nodes of each pair's query: how long its mapping is, ``queries.num_nodes[table.query]``.
            Without it every mapping has the width of the longest, filled up with -1.

        Returns
        -------
        pyarrow.Table
            Columns query, target, lower, upper, certified, mapping.
        """
        import pyarrow as pa

        columns = {name: pa.array(np.ascontiguousarray(self[name])) for name in _COLUMNS[:-1]}
        return pa.table({**columns, "mapping": list_column(self.mapping, sizes)})


def list_column(mapping: NDArray[np.int32], sizes: NDArray[Any] | None = None) -> Any:
    """Padded mappings as an Arrow column of lists, in 16 bits where the node numbers allow it."""
    import pyarrow as pa

    rows, width = mapping.shape
    lengths = np.full(rows, width) if sizes is None else np.asarray(sizes)
    if lengths.shape != (rows,) or (rows and not 0 <= lengths.min() <= lengths.max() <= width):
        raise OptionError(f"the sizes of {rows} queries between 0 and {width} nodes are needed")
    kind = np.int16 if mapping.max(initial=0) <= np.iinfo(np.int16).max else np.int32
    values = mapping[np.arange(width) < lengths[:, None]].astype(kind)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), pa.array(values))
