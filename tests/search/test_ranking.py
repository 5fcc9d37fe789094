"""The first few of many, beside a full sort."""

from __future__ import annotations

import numpy as np
import pytest

from prune4sed.search.ranking import first


@pytest.mark.parametrize("kind", [np.uint8, np.int32, np.float32])
@pytest.mark.parametrize("most", [1, 4, 5000])
def test_as_a_full_sort_does(kind: type, most: int) -> None:
    rng = np.random.default_rng(most)
    for size in (1, 7, 300):
        primary = rng.integers(0, min(most, 250 if kind is np.uint8 else most), size).astype(kind)
        secondary = rng.integers(0, 5, size).astype(np.float32)
        expected = np.lexsort((np.arange(size), secondary, primary))
        for count in (1, size // 2 + 1, size, size + 3):
            assert first(primary, secondary, count).tolist() == expected[:count].tolist()


def test_negative_numbers() -> None:
    assert first(np.array([0, -2, 1, -1]), np.zeros(4), 2).tolist() == [1, 3]
