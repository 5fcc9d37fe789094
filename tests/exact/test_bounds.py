"""The cheap bounds, and the rounding every solver's answer goes through."""

from __future__ import annotations

import pytest
from hypothesis import given

from oracles import brute_force, costs, pairs_of_graphs
from prune4sed.exact.bounds import greedy_mapping, multiset_lower, settle
from prune4sed.exact.costs import EditCosts
from prune4sed.graph import Graph


@given(pairs_of_graphs(3, 4), costs())
def test_cheap_bounds_enclose_the_distance(pair: tuple[Graph, Graph], prices: EditCosts) -> None:
    q, t = pair
    exact = brute_force(q, t, prices)
    assert multiset_lower(q, t, prices) <= exact + 1e-9
    assert prices.map_cost(q, t, greedy_mapping(q, t, prices)) >= exact - 1e-9


@pytest.mark.parametrize(
    ("lower", "upper", "prices", "expected"),
    [
        (1.3, 4.0, EditCosts(), (2.0, 4.0)),
        (2.0000000001, 4.0, EditCosts(), (2.0, 4.0)),
        (3.9999999999, 4.0, EditCosts(), (4.0, 4.0)),
        (-0.2, 4.0, EditCosts(), (0.0, 4.0)),
        (1.2, 4.0, EditCosts(node_relabel=0.5), (1.5, 4.0)),
        (1.2, 4.0, EditCosts(node_relabel=1 / 3), (1.2, 4.0)),
        (1e-8, 2e-8, EditCosts(1e-8, 1e-8, 1e-8, 1e-8), (1e-8, 2e-8)),
    ],
)
def test_settle(lower: float, upper: float, prices: EditCosts, expected: tuple[float, float]) -> None:
    assert settle(lower, upper, prices) == pytest.approx(expected, rel=1e-12)


def test_contradicting_bounds_are_a_bug_and_said_to_be_one() -> None:
    with pytest.raises(AssertionError, match="please report"):
        settle(3.0, 2.0, EditCosts())
