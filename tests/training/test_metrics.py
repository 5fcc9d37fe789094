"""Metrics against scipy and against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from prune4sed.errors import OptionError
from prune4sed.training.metrics import bootstrap, interval_rmse, kendall_tau, measure


def test_by_hand() -> None:
    found = measure([0.4, 3.0, 2.0, 7.0, 0.0], [0, 2, 0, 4, 1], [0, 2, 1, 6, 1], [0, 0, 0, 0, 0])
    # Misses: 0.4, 1, 1 over the upper bound, 1 over it, 1 under the lower bound.
    assert found.rmse == pytest.approx(math.sqrt((0.16 + 1 + 1 + 1 + 1) / 5))
    assert found.certified == pytest.approx(3 / 5)
    assert found.rmse_certified == pytest.approx(math.sqrt((0.16 + 1 + 1) / 3))
    assert found.mae == pytest.approx(2.4 / 3)
    assert found.r2 == pytest.approx(1 - 2.16 / 2)
    # Said to be contained: the first, rightly, and the last, wrongly.
    assert (found.containment_precision, found.containment_recall) == (0.5, 1.0)
    assert found.rmse_low <= found.rmse <= found.rmse_high


def test_inside_the_interval_is_no_error() -> None:
    assert interval_rmse([1.5, 2.0], [1, 2], [2, 2]) == 0


@pytest.mark.parametrize("seed", range(5))
def test_kendall_is_scipys_tau_b(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 6, 40), rng.normal(size=40).round(1)
    assert kendall_tau(a, b) == pytest.approx(kendalltau(a, b).statistic)


def test_kendall_is_per_query_and_skips_queries_without_an_order() -> None:
    rng = np.random.default_rng(0)
    query = rng.integers(0, 4, 60)
    true, ours = rng.integers(0, 5, 60), rng.normal(size=60)
    true[query == 3] = 2
    expected = np.mean([kendalltau(ours[query == i], true[query == i]).statistic for i in range(3)])
    assert measure(ours, true, true, query).kendall == pytest.approx(expected)
    assert math.isnan(kendall_tau([1, 1], [1, 2]))
    assert math.isnan(kendall_tau([1], [1]))


def test_bootstrap_covers_the_mean_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(100):
        low, high = bootstrap(rng.normal(3, 1, 80), lambda x: float(x.mean()), seed, rounds=200)
        hits += low <= 3 <= high
    assert 85 <= hits <= 100


def test_same_seed_same_interval() -> None:
    y = np.random.default_rng(2).normal(size=50)
    one, other = measure(y, np.zeros(50), np.ones(50)), measure(y, np.zeros(50), np.ones(50))
    assert (one.rmse_low, one.rmse_high) == (other.rmse_low, other.rmse_high)


def test_nothing_to_measure() -> None:
    found = measure([], [], [])
    assert found.pairs == 0
    assert all(math.isnan(x) for name, x in found.to_dict().items() if name != "pairs")
    open_ended = measure([1.0], [0], [3])
    assert (open_ended.rmse, open_ended.certified) == (0, 0)
    assert math.isnan(open_ended.mae)


def test_bad_input() -> None:
    with pytest.raises(OptionError, match="must be as many"):
        measure([1.0], [0, 0], [1, 1])
    with pytest.raises(OptionError, match="pair 1 has a lower bound of 3 over"):
        measure([1.0, 1.0], [0, 3], [1, 2])
    with pytest.raises(OptionError, match="2 queries were given for 1"):
        measure([1.0], [0], [1], [0, 1])
