"""PairTable: columns, rows, and the way to Arrow."""

from __future__ import annotations

import numpy as np
import pytest

from prune4sed.datasets.table import PairTable
from prune4sed.errors import OptionError


@pytest.fixture
def table() -> PairTable:
    return PairTable(
        index=np.array([[0, 4], [1, 2], [2, 4]]),
        lower=np.array([0.0, 1.0, 2.0]),
        upper=np.array([0.0, 3.0, 2.0]),
        mapping=np.array([[5, 6, 7], [1, -1, -1], [0, 3, -1]], dtype=np.int32),
    )


def test_columns_by_name_and_as_attributes(table: PairTable) -> None:
    assert len(table) == 3
    assert table.keys() == ["query", "target", "lower", "upper", "certified", "mapping"]
    assert table.query.tolist() == table["query"].tolist() == [0, 1, 2]
    assert table.target.tolist() == [4, 2, 4]
    assert table["certified"].tolist() == [True, False, True]
    assert repr(table) == "PairTable(3 pairs, 66.7% certified)"
    with pytest.raises(KeyError, match="'nodes' is not a column; there are query, target"):
        table["nodes"]


@pytest.mark.parametrize(
    ("key", "queries"),
    [
        (slice(1, None), [1, 2]),
        (np.array([2, 0]), [2, 0]),
        ([2, 0], [2, 0]),
        (np.array([True, False, True]), [0, 2]),
        ([], []),
    ],
)
def test_rows_are_chosen_in_all_columns(
    table: PairTable, key: slice | list[int] | np.ndarray, queries: list[int]
) -> None:
    part = table[key]
    assert part.query.tolist() == queries
    assert part.upper.tolist() == [[0.0, 3.0, 2.0][q] for q in queries]
    assert part.mapping.tolist() == [table.mapping[q].tolist() for q in queries]


def test_a_slice_shares_memory(table: PairTable) -> None:
    assert np.shares_memory(table[1:].mapping, table.mapping)


def test_wrong_keys_and_columns_are_refused(table: PairTable) -> None:
    with pytest.raises(OptionError, match="a slice, a list of integers or a mask, not 1"):
        table[1]  # type: ignore[call-overload]
    with pytest.raises(OptionError, match="2 lower"):
        PairTable(table.index, table.lower[:2], table.upper, table.mapping)
    with pytest.raises(OptionError, match=r"\(pairs, 2\)"):
        PairTable(table.lower, table.lower, table.upper, table.mapping)  # type: ignore[arg-type]


def test_arrow_has_mappings_as_long_as_their_queries(table: PairTable) -> None:
    pa = pytest.importorskip("pyarrow")
    arrow = table.to_arrow(np.array([3, 2, 2]))
    assert arrow.column_names == table.keys()
    assert arrow["mapping"].type == pa.list_(pa.int16())
    assert arrow["mapping"].to_pylist() == [[5, 6, 7], [1, -1], [0, 3]]
    assert arrow["certified"].to_pylist() == [True, False, True]
    assert table.to_arrow()["mapping"].to_pylist() == table.mapping.tolist()
    wide = PairTable(table.index[:1], table.lower[:1], table.upper[:1], np.array([[40_000]], dtype=np.int32))
    assert wide.to_arrow()["mapping"].to_pylist() == [[40_000]]
    with pytest.raises(OptionError, match="sizes of 3 queries"):
        table.to_arrow(np.array([3, 2, 4]))
