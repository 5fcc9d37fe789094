"""networkx graphs, both ways."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest
from hypothesis import given

from prune4sed import Graph
from prune4sed.errors import GraphError, GraphTypeError
from strategies import NUMBERS, WORDS, graphs, same


@given(graphs(WORDS, NUMBERS, WORDS))
def test_round_trip(g: Graph) -> None:
    there = g.to_networkx()
    assert dict(there.nodes(data="label")) == dict(enumerate(g.labels))
    assert there.number_of_edges() == g.num_edges
    back = Graph.from_networkx(there, edge_label="label")
    assert back == g
    assert back.id == g.id


@given(graphs(NUMBERS))
def test_round_trip_without_edge_labels(g: Graph) -> None:
    assert Graph.from_networkx(g.to_networkx()) == g


def test_own_attribute_names() -> None:
    g = Graph(["a", "b"], [(0, 1)], ["x"])
    there = g.to_networkx(label="element", edge_label="bond")
    assert there.nodes[0] == {"element": "a"}
    assert same(Graph.from_networkx(there, "element", "bond"), g)


def test_node_order_is_that_of_networkx() -> None:
    G: nx.Graph[str] = nx.Graph()
    G.add_node("z", label=1)
    G.add_node("a", label=2)
    G.add_edge("a", "z")
    assert Graph.from_networkx(G) == Graph([1, 2], [(0, 1)])


def test_without_any_label_all_are_zero() -> None:
    assert Graph.from_networkx(nx.petersen_graph()).labels == (0,) * 10
    assert Graph.from_networkx(nx.Graph()) == Graph([])


def test_a_label_that_was_named_must_be_there() -> None:
    with pytest.raises(GraphError, match=r"no node .* has an attribute 'clubb'; there are: club"):
        Graph.from_networkx(nx.karate_club_graph(), "clubb")
    with pytest.raises(GraphError, match="there are: none at all"):
        Graph.from_networkx(nx.petersen_graph(), "kind")
    assert Graph.from_networkx(nx.Graph(), "kind") == Graph([])


def _labelled(**attributes: Any) -> nx.Graph[Any]:
    G: nx.Graph[Any] = nx.path_graph(["u", "v", "w"])
    nx.set_node_attributes(G, attributes)
    return G


@pytest.mark.parametrize(
    ("graph", "options", "words"),
    [
        (nx.DiGraph([(0, 1)]), {}, "directed"),
        (nx.MultiGraph([(0, 1)]), {}, "multigraph"),
        (nx.Graph([(0, 0)]), {}, "edge (0, 0) of the networkx graph is a self-loop"),
        (
            _labelled(u={"label": 1}),
            {},
            "node 'v' of the networkx graph has no attribute 'label', but others have",
        ),
        (
            nx.path_graph(2),
            {"edge_label": "bond"},
            "edge (0, 1) of the networkx graph has no attribute 'bond'",
        ),
        (_labelled(**{n: {"label": 0.5} for n in "uvw"}), {}, "the label of node 0 is 0.5"),
    ],
)
def test_refusals(graph: Any, options: dict[str, str], words: str) -> None:
    with pytest.raises(GraphError) as caught:
        Graph.from_networkx(graph, **options)
    assert words in str(caught.value)


def test_something_else() -> None:
    with pytest.raises(GraphTypeError, match=r"expected a networkx.Graph, not a list"):
        Graph.from_networkx([1])  # type: ignore[arg-type]
