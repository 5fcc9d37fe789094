"""Slow, obvious answers and random inputs that the tests compare the package against."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
from hypothesis import strategies as st

from prune4sed.exact.costs import EditCosts
from prune4sed.graph import Graph
from prune4sed.labels import Label

UNIT = EditCosts()


def brute_force(q: Graph, t: Graph, costs: EditCosts = UNIT) -> float:
    """The distance straight from its definition: every injective partial map, priced one by one.

    Written apart from `EditCosts.map_cost` on purpose, so that the two check each other.
    """
    query, target = as_networkx(q), as_networkx(t)
    return min(price(query, target, f, costs) for f in partial_maps(len(query), len(target)))


def as_networkx(g: Graph) -> nx.Graph[int]:
    """The graph with its labels in networkx, without the package's own conversion."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from((u, {"label": label}) for u, label in enumerate(g.labels))
    labels = g.edge_labels or [None] * len(g.edges)
    graph.add_edges_from((a, b, {"label": label}) for (a, b), label in zip(g.edges, labels, strict=True))
    return graph


def partial_maps(size: int, room: int, used: frozenset[int] = frozenset()) -> Iterator[list[int | None]]:
    """All injective partial maps from ``size`` nodes into ``room`` nodes."""
    if size == 0:
        yield []
        return
    for rest in partial_maps(size - 1, room, used):
        yield [*rest, None]
    for v in range(room):
        if v not in used:
            for rest in partial_maps(size - 1, room, used | {v}):
                yield [*rest, v]


def price(query: nx.Graph[int], target: nx.Graph[int], f: list[int | None], costs: EditCosts) -> float:
    """Cost of one map, in networkx terms."""
    total = 0.0
    for u, v in enumerate(f):
        if v is None:
            total += costs.node_deletion
        elif target.nodes[v]["label"] != query.nodes[u]["label"]:
            total += costs.node_relabel
    for a, b, data in query.edges(data=True):
        if f[a] is None or f[b] is None or not target.has_edge(f[a], f[b]):
            total += costs.edge_deletion
        elif target.edges[f[a], f[b]]["label"] != data["label"]:
            total += min(costs.edge_relabel, costs.edge_deletion)
    return total


def contained(q: Graph, t: Graph) -> bool:
    """Whether networkx finds the query in the target, labels included (a monomorphism)."""
    matcher = nx.algorithms.isomorphism.GraphMatcher(
        as_networkx(t),
        as_networkx(q),
        node_match=lambda a, b: a["label"] == b["label"],
        edge_match=lambda a, b: a["label"] == b["label"],
    )
    return bool(matcher.subgraph_is_monomorphic())


@st.composite
def graphs(
    draw: st.DrawFn,
    max_nodes: int = 5,
    min_nodes: int = 0,
    alphabet: tuple[Label, ...] = ("C", "N", "O"),
    edge_alphabet: tuple[Label, ...] | None = None,
) -> Graph:
    """Random graphs: empty, disconnected and with isolated nodes as chance has it."""
    labels = draw(st.lists(st.sampled_from(alphabet), min_size=min_nodes, max_size=max_nodes))
    pairs = [(a, b) for b in range(len(labels)) for a in range(b)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=len(pairs))) if pairs else []
    bonds = None
    if edge_alphabet is not None:
        bonds = draw(st.lists(st.sampled_from(edge_alphabet), min_size=len(edges), max_size=len(edges)))
    return Graph(labels=labels, edges=edges, edge_labels=bonds)


@st.composite
def pairs_of_graphs(draw: st.DrawFn, max_query: int = 4, max_target: int = 5) -> tuple[Graph, Graph]:
    """A query and a target, alike in label type and in having edge labels; either may be the larger."""
    alphabet = draw(st.sampled_from([("C",), ("C", "N", "O"), (0, 1), (7, -3, 0)]))
    bonds = draw(st.sampled_from([None, ("single", "double"), (1, 2, 3)]))
    q = draw(graphs(max_query, alphabet=alphabet, edge_alphabet=bonds))
    return q, draw(graphs(max_target, alphabet=alphabet, edge_alphabet=bonds))


def costs() -> st.SearchStrategy[EditCosts]:
    """Unit costs, whole costs with zeros, and awkward fractions."""
    whole = st.sampled_from([0, 1, 2, 3])
    odd = st.sampled_from([0.0, 0.1, 0.25, 1 / 3, 0.7, 1.0, 1.5, 3.14159])
    return st.one_of(
        st.just(UNIT),
        st.builds(EditCosts, whole, whole, whole, whole),
        st.builds(EditCosts, odd, odd, odd, odd),
    )
