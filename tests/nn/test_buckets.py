"""Every item is in exactly one list, and no list is too large."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.nn.buckets import chunks


@given(
    sizes=st.lists(st.integers(0, 40), max_size=60),
    rows=st.integers(1, 120),
    most=st.none() | st.integers(1, 9),
)
def test_every_item_is_in_one_list_that_is_not_too_large(
    sizes: list[int], rows: int, most: int | None
) -> None:
    array = np.array(sizes, dtype=np.int64)
    found = list(chunks(array, rows, most))
    assert sorted(np.concatenate([*found, np.zeros(0, dtype=np.int64)]).tolist()) == list(range(len(sizes)))
    for items in found:
        assert len(items) >= 1
        assert len(items) == 1 or array[items].sum() <= rows
        assert most is None or len(items) <= most
    for larger, smaller in pairwise(found):
        assert array[larger].min() >= array[smaller].max()
        # No room is wasted: the next smaller item would not have fitted.
        full = most is not None and len(larger) == most
        assert full or array[larger].sum() + array[smaller].max() > rows


@pytest.mark.parametrize("most", [None, 1])
def test_nothing_gives_no_lists(most: int | None) -> None:
    assert list(chunks(np.zeros(0, dtype=np.int64), 5, most)) == []
