"""Label codes: equal exactly when the labels are, from any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.labels import intern_labels


@given(st.lists(st.text(max_size=2) | st.integers(-3, 3)))
def test_codes_are_equal_exactly_when_labels_are(labels: list[str | int]) -> None:
    codes = intern_labels(labels)
    assert codes.dtype == np.int32
    for a, x in zip(labels, codes, strict=True):
        for b, y in zip(labels, codes, strict=True):
            assert (a == b) == (x == y)


def test_threads_agree() -> None:
    jobs = [[f"thread label {(i * 7 + j) % 500}" for j in range(300)] for i in range(64)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(intern_labels, jobs))
    codes = dict(zip(chain.from_iterable(jobs), np.concatenate(found).tolist(), strict=True))
    assert len(set(codes.values())) == len(codes) == 500
    for job, mine in zip(jobs, found, strict=True):
        assert [codes[label] for label in job] == mine.tolist()
