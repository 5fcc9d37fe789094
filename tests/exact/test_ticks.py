"""Costs as whole ticks: exact where they can be, rounded down where not, never up."""

from __future__ import annotations

import math
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune4sed.exact.costs import LARGEST_COST, EditCosts
from prune4sed.exact.ticks import MOST_TICKS, NO_LIMIT, TOLERANCE, Ticks, ticks_of

COST = st.floats(0, 1e6, allow_nan=False) | st.integers(0, 10**6) | st.fractions(0, 100, max_denominator=1000)
COSTS = st.builds(EditCosts, COST, COST, COST, COST)
EDITS = st.sampled_from([64, 128, 4096, 2**20])

#: No tick divides them that is not absurdly small.
AWKWARD = [
    (math.pi, 1, 1, 1),
    (1, math.sqrt(2), 1 / 3, 1e-3),
    (1e16 + 2, 1 / 3, 1, 1),
    (1e-20, 1e300, 1, 0),
]


def fields(costs: EditCosts) -> tuple[float, float, float, float]:
    """As the engine charges them: nobody relabels an edge for more than its deletion."""
    return costs.node_deletion, costs.node_relabel, costs.edge_deletion, costs.edge_mismatch


@pytest.mark.parametrize(
    ("costs", "ticks"),
    [
        ((1, 1, 1, 1), (1, 1, 1, 1)),
        ((2, 4, 8, 6), (1, 2, 4, 3)),
        ((0.1, 0.2, 1, 0.3), (1, 2, 10, 3)),
        ((1 / 3, 1 / 2, 1, 0), (2, 3, 6, 0)),
        ((0, 0, 0, 0), (0, 0, 0, 0)),
        ((0, 7, 7, 0), (0, 1, 1, 0)),
        ((1e12 + 0.5, 1, 1, 1), (2 * 10**12 + 1, 2, 2, 2)),
        ((1e299, 1e299, 2e299, 0), (1, 1, 2, 0)),
        ((5e-324, 5e-324, 1.5e-323, 0), (1, 1, 3, 0)),
    ],
)
def test_simple_fractions_are_exact(costs: tuple[float, ...], ticks: tuple[int, ...]) -> None:
    made = ticks_of(EditCosts(*costs))
    assert made.exact
    assert made.blur == 0
    assert made[:4] == ticks
    assert [made.to_cost(count) for count in made[:4]] == list(costs)


@pytest.mark.parametrize(("relabel", "ticks"), [(1, 1), (3, 3), (5, 3)])
def test_an_edge_is_never_relabelled_for_more_than_its_deletion(relabel: float, ticks: int) -> None:
    assert ticks_of(EditCosts(1, 1, edge_deletion=3, edge_relabel=relabel)).edge_relabel == ticks


@pytest.mark.parametrize("costs", AWKWARD)
@pytest.mark.parametrize("edits", [64, 2**20])
def test_others_are_rounded_down_to_the_finest_tick(costs: tuple[float, ...], edits: int) -> None:
    made = ticks_of(EditCosts(*costs), edits)
    assert not made.exact
    assert MOST_TICKS - edits < max(made[:4]) * edits <= MOST_TICKS
    for count, cost in zip(made[:4], fields(EditCosts(*costs)), strict=True):
        assert count * made.tick <= Fraction(cost) < (count + 1) * made.tick


@given(COSTS, EDITS)
def test_ticks_never_exceed_the_costs_nor_the_range_of_the_engine(costs: EditCosts, edits: int) -> None:
    made = ticks_of(costs, edits)
    assert made.tick > 0
    assert max(made[:4]) * edits <= MOST_TICKS
    for count, cost in zip(made[:4], fields(costs), strict=True):
        assert count >= 0
        assert count * made.tick <= Fraction(cost) * (1 + Fraction(1, 10**15))  # 0.1 stands for one tenth
        assert Fraction(cost) - count * made.tick < made.tick
        if made.exact:
            assert made.to_cost(count) == cost


@given(COSTS, st.lists(st.integers(0, 2**50)))
def test_a_column_of_ticks_costs_what_each_of_them_does(costs: EditCosts, counts: list[int]) -> None:
    made = ticks_of(costs)
    column = made.to_costs(np.array(counts, dtype=np.int64))
    assert column.dtype == np.float64
    assert column.tolist() == [made.to_cost(count) for count in counts]


def test_sums_are_rounded_once() -> None:
    made = ticks_of(EditCosts(0.1, 0.1, 0.1, 0.1))
    assert [made.to_cost(count) for count in (3, 7, 11)] == [0.3, 0.7, 1.1]
    assert made.to_costs(np.array([3, 7, 11, 3])).tolist() == [0.3, 0.7, 1.1, 0.3]


def test_even_the_largest_costs_add_up_to_a_number() -> None:
    made = ticks_of(EditCosts(LARGEST_COST, math.pi, 1, 1), 2**26)
    assert made.to_cost(MOST_TICKS) <= sys.float_info.max


@given(COSTS, EDITS, st.floats(0, 1e7))
def test_floor_is_the_last_tick_not_above(costs: EditCosts, edits: int, cost: float) -> None:
    made = ticks_of(costs, edits)
    count = made.floor(cost)
    assert made.to_cost(count) <= cost * (1 + 1e-11) or count == NO_LIMIT
    assert made.to_cost(count + 1) > cost or count == NO_LIMIT


def test_floor_of_what_floats_cannot_say_exactly() -> None:
    ticks = ticks_of(EditCosts(0.1, 0.1, 0.1, 0.1))
    assert ticks.floor(0.1 + 0.2) == 3
    assert ticks.floor(0.3) == 3
    assert ticks.floor(0.29999) == 2
    assert ticks.floor(0) == 0
    assert ticks.floor(1e300) == ticks.floor(math.inf) == NO_LIMIT


@given(COSTS, EDITS)
def test_the_blur_covers_all_rounding_and_stays_below_notice(costs: EditCosts, edits: int) -> None:
    made = ticks_of(costs, edits)
    smallest = min((cost for cost in fields(costs) if cost > 0), default=0)
    assert made.blur <= 2 * TOLERANCE * smallest
    if made.exact:
        assert made.blur == 0
    elif made.blur > 0:
        assert Fraction(made.blur) * (1 + Fraction(1, 10**15)) >= edits * made.tick


def test_rounding_that_could_hide_an_edit_blurs_nothing() -> None:
    assert ticks_of(EditCosts(math.pi, 1, 1, 1)).blur > 0
    assert ticks_of(EditCosts(math.pi * 1e12, 1, 1, 1)).blur == 0


@pytest.mark.parametrize(
    ("low", "high", "proven", "reported"),
    [
        (2.9999, 3.0, True, 3.0),
        (2.9999, 3.0, False, 2.9999),
        (2.9, 3.0, True, 2.9),
        (3.0001, 3.0, False, 3.0),
        (3.0001, 3.0, True, 3.0),
    ],
)
def test_a_proof_holds_up_to_the_blur(low: float, high: float, proven: bool, reported: float) -> None:
    rounded = Ticks(1, 1, 1, 1, Fraction(1, 10**6), exact=False, blur=1e-3)
    assert rounded.settle(low, high, proven) == reported
