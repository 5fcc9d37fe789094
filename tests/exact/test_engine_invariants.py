"""What must hold of any subgraph edit distance, whatever the costs, with and without edge labels."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import cases
from oracles import contained, costs, graphs, pairs_of_graphs
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.edits import apply_edits
from prune4sed.exact.engine import sed
from prune4sed.exact.result import SedResult
from prune4sed.graph import Graph
from random_graphs import medium_pairs

BONDS = st.sampled_from([None, ("single", "double")])


def distance(q: Graph, t: Graph, prices: EditCosts) -> float:
    result = sed(q, t, time_limit=None, costs=prices)
    assert result.certified
    return result.upper


def at_most(small: float, large: float) -> bool:
    """Up to the rounding of sums of floats."""
    return small <= large * (1 + 1e-9) + 1e-12


def several(count: int, max_nodes: int = 7) -> st.SearchStrategy[list[Graph]]:
    """Graphs that can be compared with each other."""
    return BONDS.flatmap(
        lambda bonds: st.lists(graphs(max_nodes, edge_alphabet=bonds), min_size=count, max_size=count)
    )


@settings(max_examples=cases(100))
@given(several(1, 9), costs())
def test_a_graph_contains_itself(one: list[Graph], prices: EditCosts) -> None:
    assert distance(one[0], one[0], prices) == 0


@settings(max_examples=cases(150))
@given(several(3), costs())
def test_triangle_inequality(three: list[Graph], prices: EditCosts) -> None:
    """SED(a, c) <= SED(a, b) + SED(b, c), for all costs.

    Compose the best maps a -> b and b -> c. A node or edge that the composed map loses, or sends to another
    label, was lost or relabelled on one of the two ways and paid for there: all relabels cost the same, so
    they form a metric, and an edge never costs more than its deletion. Maps are injective, so nothing in b is
    charged for two things in a. Hence no restriction on the costs is needed.
    """
    a, b, c = three
    assert at_most(distance(a, c, prices), distance(a, b, prices) + distance(b, c, prices))


@settings(max_examples=cases(100))
@given(pairs_of_graphs(6, 7), costs(), st.data())
def test_a_larger_target_is_never_farther(
    pair: tuple[Graph, Graph], prices: EditCosts, data: st.DataObject
) -> None:
    q, t = pair
    labels = [*t.labels, *data.draw(st.lists(st.sampled_from(t.labels or q.labels or ("C",)), max_size=3))]
    missing = sorted(
        {(a, b) for b in range(len(labels)) for a in range(b)} - {(min(e), max(e)) for e in t.edges}
    )
    new = data.draw(st.lists(st.sampled_from(missing), unique=True, max_size=8)) if missing else []
    bonds = None
    if t.edge_labels is not None:
        kinds = [*t.edge_labels, *(q.edge_labels or ())] or ["single" if q.labels[:1] == ("C",) else 1]
        bonds = [*t.edge_labels, *[data.draw(st.sampled_from(kinds)) for _ in new]]
    larger = Graph(labels, [*t.edges, *new], bonds)
    assert at_most(distance(q, larger, prices), distance(q, t, prices))


@settings(max_examples=cases(100))
@given(pairs_of_graphs(7, 7), costs(), st.data())
def test_a_smaller_query_is_never_farther(
    pair: tuple[Graph, Graph], prices: EditCosts, data: st.DataObject
) -> None:
    q, t = pair
    nodes = data.draw(st.lists(st.sampled_from(range(len(q))), unique=True)) if len(q) else []
    place = {u: i for i, u in enumerate(nodes)}
    kept = [k for k, (a, b) in enumerate(q.edges) if a in place and b in place and data.draw(st.booleans())]
    bonds = None if q.edge_labels is None else [q.edge_labels[k] for k in kept]
    part = Graph(
        [q.labels[u] for u in nodes], [(place[q.edges[k][0]], place[q.edges[k][1]]) for k in kept], bonds
    )
    assert at_most(distance(part, t, prices), distance(q, t, prices))


def shuffled(g: Graph, order: list[int]) -> Graph:
    """The same graph under another numbering, its edges turned round and given backwards."""
    place = {v: i for i, v in enumerate(order)}
    bonds = None if g.edge_labels is None else g.edge_labels[::-1]
    return Graph([g.labels[v] for v in order], [(place[b], place[a]) for a, b in g.edges[::-1]], bonds)


@settings(max_examples=cases(100))
@given(pairs_of_graphs(7, 8), costs(), st.data())
def test_numbering_does_not_matter(pair: tuple[Graph, Graph], prices: EditCosts, data: st.DataObject) -> None:
    q, t = (shuffled(g, data.draw(st.permutations(range(len(g))))) for g in pair)
    assert distance(q, t, prices) == pytest.approx(distance(*pair, prices), rel=1e-9)


@settings(max_examples=cases(80))
@given(pairs_of_graphs(6, 7), costs())
def test_twice_the_costs_give_twice_the_distance(pair: tuple[Graph, Graph], prices: EditCosts) -> None:
    double = EditCosts(
        2 * prices.node_deletion, 2 * prices.node_relabel, 2 * prices.edge_deletion, 2 * prices.edge_relabel
    )
    assert distance(*pair, double) == pytest.approx(2 * distance(*pair, prices), rel=1e-9)


def check_story(result: SedResult) -> None:
    """Mapping, bounds and edits tell one story, told again here from the mapping alone."""
    q, t, prices = result.query, result.target, result.costs
    images = [v for v in result.mapping if v is not None]
    assert len(set(images)) == len(images)
    assert all(0 <= v < len(t) for v in images)
    assert prices.map_cost(q, t, result.mapping) == pytest.approx(result.upper, rel=1e-12)
    assert sum(edit.cost for edit in result.edits) == pytest.approx(result.upper, rel=1e-9)
    assert contained(apply_edits(q, result.edits), t)


@settings(max_examples=cases(120))
@given(pairs_of_graphs(6, 7), costs())
def test_mapping_edits_and_bounds_agree(pair: tuple[Graph, Graph], prices: EditCosts) -> None:
    check_story(sed(*pair, time_limit=None, costs=prices))


@pytest.mark.parametrize("node_limit", [0, 1, 10, None])
def test_mapping_edits_and_bounds_agree_on_larger_pairs(node_limit: int | None) -> None:
    for q, t in medium_pairs(17, cases(8)):
        check_story(
            sed(
                q,
                t,
                time_limit=None,
                node_limit=5000 if node_limit is None else node_limit,
                costs=EditCosts(2, 3, 1, 0.5),
            )
        )
