"""networkx graphs, both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prune4sed.errors import GraphError, GraphTypeError
from prune4sed.graph import Graph

if TYPE_CHECKING:
    import networkx

__all__ = ["UNLESS_NAMED", "from_networkx", "to_networkx"]


#: The attribute of labels that a graph may do without: all nodes are alike then.
UNLESS_NAMED = "label"


def from_networkx(
    graph: networkx.Graph[Any], label: str = UNLESS_NAMED, edge_label: str | None = None
) -> Graph:
    """See `Graph.from_networkx`."""
    if not all(hasattr(graph, name) for name in ("is_directed", "is_multigraph", "nodes", "edges")):
        raise GraphTypeError(f"expected a networkx.Graph, not a {type(graph).__name__}")
    if graph.is_directed():
        raise GraphError(
            "the networkx graph is directed; use graph.to_undirected() if its directions do not matter"
        )
    if graph.is_multigraph():
        raise GraphError(
            "the networkx graph is a multigraph; use networkx.Graph(graph) to keep one edge per pair"
        )
    numbers = {node: i for i, node in enumerate(graph.nodes)}
    ends, bonds = [], []
    for u, v, attributes in graph.edges(data=True):
        if edge_label is not None and edge_label not in attributes:
            raise GraphError(f"edge ({u!r}, {v!r}) of the networkx graph has no attribute {edge_label!r}")
        if u == v:
            raise GraphError(f"edge ({u!r}, {v!r}) of the networkx graph is a self-loop")
        ends.append((numbers[u], numbers[v]))
        bonds.append(attributes.get(edge_label))
    name = graph.graph.get("id")
    labels = _node_labels(graph, label)
    return Graph(labels, ends, None if edge_label is None else bonds, None if name is None else str(name))


def _node_labels(graph: networkx.Graph[Any], label: str) -> list[Any]:
    attributes = [(node, values) for node, values in graph.nodes(data=True)]
    without = [node for node, values in attributes if label not in values]
    if len(without) == len(attributes) and (label == UNLESS_NAMED or not without):
        return [0] * len(attributes)
    if len(without) == len(attributes):
        there = ", ".join(sorted({str(name) for _, values in attributes for name in values})) or "none at all"
        raise GraphError(f"no node of the networkx graph has an attribute {label!r}; there are: {there}")
    if without:
        raise GraphError(
            f"node {without[0]!r} of the networkx graph has no attribute {label!r}, but others have"
        )
    return [values[label] for _, values in attributes]


def to_networkx(graph: Graph, label: str = "label", edge_label: str = "label") -> networkx.Graph[int]:
    """See `Graph.to_networkx`."""
    import networkx

    made: networkx.Graph[int] = networkx.Graph()
    if graph.id is not None:
        made.graph["id"] = graph.id
    made.add_nodes_from((i, {label: name}) for i, name in enumerate(graph.labels))
    if graph.edge_labels is None:
        made.add_edges_from(graph.edges)
    else:
        named = zip(graph.edges, graph.edge_labels, strict=True)
        made.add_edges_from((u, v, {edge_label: name}) for (u, v), name in named)
    return made
