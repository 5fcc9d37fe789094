"""GraphML, by way of networkx; a file may hold several graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any
from warnings import warn

from prune4sed.convert.networkx_ import UNLESS_NAMED, from_networkx, to_networkx
from prune4sed.errors import FormatError, GraphError, InputWarning
from prune4sed.formats.source import Source
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

__all__ = ["read", "write"]


def read(source: Source, label: str = "label", edge_label: str = "label") -> Iterator[Graph | FormatError]:
    """Graphs of a GraphML file; edges are labelled if any of them has the attribute."""
    for i, (name, graph) in enumerate(_graphs(source)):
        labelled = any(edge_label in attributes for _, _, attributes in graph.edges(data=True))
        if name is not None:
            graph.graph["id"] = name
        _tell_unlabelled(graph, label, source.name)
        try:
            yield from_networkx(graph, label, edge_label if labelled else None)
        except GraphError as error:
            yield FormatError(f"{source.name}: graph {i}: {error}")


def _tell_unlabelled(graph: Any, label: str, where: str) -> None:
    """Nodes with attributes, but none that is read: whoever wrote the file may have thought otherwise."""
    names = {str(name) for _, values in graph.nodes(data=True) for name in values}
    if label == UNLESS_NAMED and names and label not in names:
        there = ", ".join(sorted(names))
        warn(
            f"{where}: nodes have no attribute {label!r}, so all are alike; there are: {there}",
            InputWarning,
            2,
        )


def _graphs(source: Source) -> list[tuple[str | None, Any]]:
    from xml.etree.ElementTree import ParseError, fromstring

    import networkx
    from networkx.readwrite.graphml import GraphMLReader

    data = source.read()
    if b"<!ENTITY" in data:
        raise FormatError(
            f"{source.name}: XML entities are not read, for they can blow up; remove <!ENTITY ...>"
        )
    try:
        tree = fromstring(data)
        graphs = list(GraphMLReader(node_type=str)(string=data))
    except ParseError as error:
        raise FormatError(f"{source.name}:{error.position[0]}: not XML ({error}); expected GraphML") from None
    except (networkx.NetworkXError, KeyError, ValueError, TypeError, AttributeError) as error:
        raise FormatError(f"{source.name}: not GraphML that networkx can read ({error})") from None
    elements = [element for element in tree.iter() if element.tag.rpartition("}")[2] == "graph"]
    if len(elements) != len(graphs):
        raise FormatError(
            f"{source.name}: nested graphs, or no GraphML namespace; expected <graphml> with <graph> in it"
        )
    for i, element in enumerate(elements):
        _check_ends(element, f"{source.name}: graph {i}")
    return [(element.get("id"), graph) for element, graph in zip(elements, graphs, strict=True)]


def _check_ends(graph: Any, where: str) -> None:
    """Edges must join declared nodes, for networkx would silently make up the others."""
    children = [(child.tag.rpartition("}")[2], child) for child in graph]
    nodes = {child.get("id") for tag, child in children if tag == "node"}
    for tag, child in children:
        if tag == "edge":
            for end in (child.get("source"), child.get("target")):
                if end is None or end not in nodes:
                    raise FormatError(f"{where}: an edge ends at node {end!r}, which is not declared")


def write(graphs: GraphSet, out: IO[str]) -> None:
    """All graphs in one GraphML document."""
    from networkx.readwrite.graphml import GraphMLWriter

    for text in (*graphs.node_vocabulary, *(graphs.edge_vocabulary or ()), *graphs.ids):
        if isinstance(text, str) and not text.isprintable():
            raise FormatError(f"{text!r} cannot be written in GraphML; use jsonl")
    writer = GraphMLWriter(encoding="utf-8", prettyprint=True)
    for graph in graphs:
        writer.add_graph_element(to_networkx(graph))
        # networkx would append the attributes of every earlier graph once more.
        writer.attributes.clear()
    out.write(str(writer))
