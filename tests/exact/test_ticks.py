"""Costs as whole ticks: exact where they can be, rounded down where not, never up."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.exact.costs import EditCosts
from prune4sed.exact.ticks import FINEST, NO_LIMIT, ticks_of

COST = st.floats(0, 1e6, allow_nan=False) | st.integers(0, 10**6) | st.fractions(0, 100, max_denominator=1000)


def fields(costs: EditCosts) -> tuple[float, float, float, float]:
    return costs.node_deletion, costs.node_relabel, costs.edge_deletion, costs.edge_relabel


@pytest.mark.parametrize(
    ("costs", "ticks"),
    [
        ((1, 1, 1, 1), (1, 1, 1, 1)),
        ((2, 4, 6, 8), (1, 2, 3, 4)),
        ((0.1, 0.2, 0.3, 1), (1, 2, 3, 10)),
        ((1 / 3, 1 / 2, 1, 0), (2, 3, 6, 0)),
        ((0, 0, 0, 0), (0, 0, 0, 0)),
        ((0, 7, 0, 7), (0, 1, 0, 1)),
    ],
)
def test_simple_fractions_are_exact(costs: tuple[float, ...], ticks: tuple[int, ...]) -> None:
    made = ticks_of(EditCosts(*costs))
    assert made.exact
    assert made[:4] == ticks
    assert [made.to_cost(count) for count in made[:4]] == list(costs)


@pytest.mark.parametrize("costs", [(math.pi, 1, 1, 1), (1, math.sqrt(2), 1 / 3, 1e-3), (1e12 + 0.5, 1, 1, 1)])
def test_others_are_rounded_down_to_a_fine_tick(costs: tuple[float, ...]) -> None:
    made = ticks_of(EditCosts(*costs))
    assert not made.exact
    assert max(made[:4]) == FINEST
    tick = Fraction(made.numerator, made.denominator)
    for count, cost in zip(made[:4], costs, strict=True):
        assert count * tick <= Fraction(cost) < (count + 1) * tick


@given(st.builds(EditCosts, COST, COST, COST, COST))
def test_ticks_never_exceed_the_costs(costs: EditCosts) -> None:
    made = ticks_of(costs)
    tick = Fraction(made.numerator, made.denominator)
    assert tick > 0
    for count, cost in zip(made[:4], fields(costs), strict=True):
        assert count >= 0
        assert count * tick <= Fraction(cost) * (1 + Fraction(1, 10**15))  # 0.1 stands for one tenth
        assert Fraction(cost) - count * tick <= tick
        if made.exact:
            assert made.to_cost(count) == cost


@given(st.builds(EditCosts, COST, COST, COST, COST), st.floats(0, 1e7))
def test_floor_is_the_last_tick_not_above(costs: EditCosts, cost: float) -> None:
    made = ticks_of(costs)
    count = made.floor(cost)
    assert made.to_cost(count) <= cost * (1 + 1e-11) or count == NO_LIMIT
    assert made.to_cost(count + 1) > cost or count == NO_LIMIT


def test_floor_of_what_floats_cannot_say_exactly() -> None:
    ticks = ticks_of(EditCosts(0.1, 0.1, 0.1, 0.1))
    assert ticks.floor(0.1 + 0.2) == 3
    assert ticks.floor(0.3) == 3
    assert ticks.floor(0.29999) == 2
    assert ticks.floor(0) == 0
    assert ticks.floor(math.inf) == ticks.floor(None) == NO_LIMIT
