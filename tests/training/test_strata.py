"""Every pair equally often, one of each stratum, and never more nodes than promised."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.errors import OptionError
from prune4sed.training.strata import Strata, like_sizes


def _sizes(pairs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(1, 25, pairs), rng.geometric(0.02, pairs)


@given(st.integers(1, 60), st.integers(1, 70), st.integers(0, 5), st.booleans())
def test_counts_and_bounds(pairs: int, batch: int, seed: int, both: bool) -> None:
    queries, targets = _sizes(pairs, seed)
    strata = Strata.of(queries, targets, batch, both)
    assert strata.batch_size == min(batch, pairs)
    drawn = np.zeros(pairs, dtype=np.int64)
    for epoch in range(4):
        order = strata.epoch(seed, epoch).numpy()
        assert order.shape == (strata.batch_size, strata.steps)
        assert len(np.unique(order)) == order.size
        assert (queries[order].sum(0) <= strata.bound(queries)).all()
        assert (targets[order].sum(0) <= strata.bound(targets)).all()
        drawn += np.bincount(order.ravel(), minlength=pairs)
        assert drawn.max() - drawn.min() <= 1


def test_strata_are_in_the_order_of_size() -> None:
    queries, targets = _sizes(1000, 0)
    order = Strata.of(queries, targets, 50).epoch(3, 0).numpy()
    rows = targets[order]
    assert (rows.max(1)[:-1] <= rows.min(1)[1:]).all()


def test_bounds_are_tight() -> None:
    queries, targets = _sizes(20_000, 0)
    strata = Strata.of(queries, targets, 200)
    assert strata.bound(targets) < 1.15 * 200 * targets.mean() + 64
    assert strata.bound(queries) > 1.5 * 200 * queries.mean()
    both = Strata.of(queries, targets, 200, both=True)
    assert both.bound(targets) < 1.4 * 200 * targets.mean() + 64
    assert both.bound(queries) < 1.15 * 200 * queries.mean() + 64


def test_the_order_is_the_seeds_and_the_epochs() -> None:
    strata = Strata.of(*_sizes(100, 1), 10)
    one = strata.epoch(0, 0)
    assert one.equal(strata.epoch(0, 0))
    assert not one.equal(strata.epoch(0, 1))
    assert not one.equal(strata.epoch(1, 0))


def test_parts_have_bounds_of_their_own() -> None:
    queries, targets = _sizes(500, 2)
    whole = Strata.of(queries, targets, 40)
    for rank in range(2):
        bound = whole.bound(targets, (rank, 2))
        assert bound < 0.6 * whole.bound(targets)
        assert (targets[whole.epoch(0, 1)[rank::2].numpy()].sum(0) <= bound).all()


def test_no_pairs() -> None:
    with pytest.raises(OptionError, match="no pairs"):
        Strata.of(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), 5)


@given(st.lists(st.integers(1, 300), min_size=1, max_size=20), st.integers(1, 200))
def test_two_parts_save_work_and_never_cost_any(sizes: list[int], most: int) -> None:
    sizes.sort()

    def work(ends: list[int]) -> int:
        return sum((b - a) * min(most, sizes[b - 1]) for a, b in zip([0, *ends], ends, strict=False))

    ends, whole = like_sizes(sizes, most), work([len(sizes)])
    assert ends[-1] == len(sizes)
    assert len(ends) <= 2
    best = min(work([i, len(sizes)]) for i in range(1, len(sizes) + 1))
    assert work(ends) == (best if best < 0.85 * whole else whole)
