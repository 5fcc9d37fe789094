"""EditCosts: what it accepts, and the reference price of a mapping."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import as_networkx, costs, pairs_of_graphs, price
from prune4sed.errors import CostError, OptionError
from prune4sed.exact.costs import EditCosts
from prune4sed.graph import Graph

FIELDS = ["node_deletion", "node_relabel", "edge_deletion", "edge_relabel"]


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    "bad", [-1, -0.5, math.nan, math.inf, 1e301, 10**400, True, "1", None, 1j, [1], Decimal(1)]
)
def test_a_bad_cost_is_refused_by_name_and_value(field: str, bad: object) -> None:
    with pytest.raises(CostError, match=field) as caught:
        EditCosts(**{field: bad})  # type: ignore[arg-type]
    assert repr(bad)[:20] in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("good", [0, 2, 0.5, np.float32(1.5), np.int64(3)])
def test_any_real_number_is_taken_as_a_float(good: float) -> None:
    cost = EditCosts(node_relabel=good).node_relabel
    assert type(cost) is float
    assert cost == good


def test_unit_costs() -> None:
    assert EditCosts().is_unit
    assert EditCosts(1, 1, 1, 1) == EditCosts()
    assert not EditCosts(edge_relabel=2).is_unit


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ((1, 1, 1, 1), 1),
        ((2, 4, 6, 0), 2),
        ((0.5, 1, 1.5, 2), 0.5),
        ((0, 0, 0, 0), None),
        ((1, math.pi, 1, 1), None),
    ],
)
def test_step_divides_every_cost(values: tuple[float, float, float, float], step: float | None) -> None:
    assert EditCosts(*values).step == step


@given(pairs_of_graphs(), costs(), st.data())
def test_map_cost_equals_the_definition(
    pair: tuple[Graph, Graph], prices: EditCosts, data: st.DataObject
) -> None:
    q, t = pair
    free: list[int | None] = [*range(len(t.labels)), *[None] * len(q.labels)]
    mapping = data.draw(st.permutations(free))[: len(q.labels)]
    expected = price(as_networkx(q), as_networkx(t), mapping, prices)
    assert prices.map_cost(q, t, mapping) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("mapping", "words"),
    [
        ([0], "1 entries"),
        ([0, 0], "nodes 0 and 1 both map to target node 0"),
        ([0, 3], "node 1 maps to 3"),
        ([-1, 0], "node 0 maps to -1"),
        ([0, 1.5], "node 1"),
        ([True, 0], "node 0"),
    ],
)
def test_a_mapping_that_is_none_is_refused(mapping: list[int | None], words: str) -> None:
    g = Graph(labels=["C", "C"], edges=[(0, 1)])
    with pytest.raises(OptionError, match=words):
        EditCosts().map_cost(g, g, mapping)
