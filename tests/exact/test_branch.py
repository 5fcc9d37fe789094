"""BRANCH against brute force, and against its own definition solved edge by edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import linear_sum_assignment

from oracles import as_networkx, brute_force, costs, pairs_of_graphs
from prune4sed.errors import OptionError
from prune4sed.exact.branch import branch, branch_costs
from prune4sed.exact.costs import EditCosts
from prune4sed.graph import Graph


@given(pairs_of_graphs(), costs())
def test_bounds_enclose_the_distance(pair: tuple[Graph, Graph], prices: EditCosts) -> None:
    q, t = pair
    result = branch(q, t, prices)
    exact = brute_force(q, t, prices)
    assert result.lower <= exact + 1e-9
    assert exact <= result.upper + 1e-9
    assert prices.map_cost(q, t, result.mapping) == result.upper


@given(pairs_of_graphs(), costs())
def test_closed_form_equals_the_inner_assignment(pair: tuple[Graph, Graph], prices: EditCosts) -> None:
    q, t = pair
    table = branch_costs(q, t, prices)
    for u in range(q.num_nodes):
        for v in range(t.num_nodes):
            relabel = 0.0 if q.labels[u] == t.labels[v] else prices.node_relabel
            assert table[u, v] == pytest.approx(relabel + inner(incident(q, u), incident(t, v), prices) / 2)


def incident(g: Graph, u: int) -> list[object]:
    """Labels of the edges at a node."""
    return [data["label"] for _, _, data in as_networkx(g).edges(u, data=True)]


def inner(ours: list[object], theirs: list[object], prices: EditCosts) -> float:
    """Cheapest assignment of incident edges, by the assignment solver."""
    table = [
        [0.0 if a == b else prices.edge_mismatch for b in theirs] + [prices.edge_deletion] * len(ours)
        for a in ours
    ]
    if not ours:
        return 0.0
    costs = np.array(table)
    return float(costs[linear_sum_assignment(costs)].sum())


def test_time_limit_of_zero_gives_bounds_at_once() -> None:
    path = Graph(labels=["C", "N", "C"], edges=[(0, 1), (1, 2)])
    result = branch(path, Graph(labels=["C", "C"], edges=[(0, 1)]), time_limit=0)
    assert (result.lower, result.upper) == (2.0, 3.0)
    assert sum(edit.cost for edit in result.edits) == 3.0


@pytest.mark.parametrize("bad", [-1, float("nan"), "1", True])
def test_a_bad_time_limit_is_refused(bad: float) -> None:
    g = Graph(labels=["C"], edges=[])
    with pytest.raises(OptionError, match="time_limit"):
        branch(g, g, time_limit=bad)
