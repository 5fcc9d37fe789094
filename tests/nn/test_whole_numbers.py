"""Distances as whole numbers: the expected one, against sums over very many, and what doubt does to it."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from prune4sed.nn.whole_numbers import expected_whole


def expected_slowly(mean: float, variance: float) -> float:
    """By the density at two hundred whole numbers; the variance as the function bounds it."""
    numbers = np.arange(round(mean) - 100, round(mean) + 101)
    deviation = np.sqrt(0.03 + 0.5 * variance / (variance + 0.5))
    weights = norm.pdf(numbers, mean, deviation)
    return float((weights * numbers).sum() / weights.sum())


@given(mean=st.floats(0, 60), variance=st.floats(0, 100))
def test_it_is_the_expected_one(mean: float, variance: float) -> None:
    found = expected_whole(torch.tensor([mean]), torch.tensor([variance]))
    assert found.item() == pytest.approx(expected_slowly(mean, variance), abs=2e-4)


@given(mean=st.floats(0, 60), variance=st.floats(0, 100), more=st.floats(0.001, 1))
def test_a_larger_sum_never_makes_a_smaller_distance(mean: float, variance: float, more: float) -> None:
    means = torch.tensor([mean, mean + more])
    a, b = expected_whole(means, torch.tensor([variance, variance])).tolist()
    assert b >= a - 1e-4


def test_without_doubt_it_rounds_and_in_great_doubt_it_changes_nothing() -> None:
    means = torch.linspace(0, 5, 41)
    sure, unsure = expected_whole(means, torch.zeros(41)), expected_whole(means, torch.full((41,), 1e6))
    far = (means - means.floor() - 0.5).abs() > 0.2
    torch.testing.assert_close(sure[far], means[far].round(), atol=2e-3, rtol=0)
    torch.testing.assert_close(unsure, means, atol=1e-3, rtol=0)


def test_a_gradient_reaches_mean_and_variance() -> None:
    mean, variance = torch.tensor([3.3], requires_grad=True), torch.tensor([0.1], requires_grad=True)
    expected_whole(mean, variance).backward()
    assert mean.grad is not None
    assert mean.grad.item() > 0
    assert variance.grad is not None
    assert variance.grad.item() > 0
