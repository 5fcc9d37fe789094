"""Which graphs can be compared: labels of one kind, and edge labels on both sides or on neither."""

from __future__ import annotations

from prune4sed.errors import GraphError, GraphTypeError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label


def check_comparable(query: Graph, target: Graph) -> None:
    """Raise unless the distance between the two graphs means something.

    Raises
    ------
    GraphTypeError
        If one is not a Graph.
    GraphError
        If one has string labels and the other integers, or only one has edge labels.
    """
    if not isinstance(query, Graph) or not isinstance(target, Graph):
        wrong = target if isinstance(query, Graph) else query
        raise GraphTypeError(f"a Graph is needed, not {type(wrong).__name__}; see Graph.from_networkx")
    if query.labels and target.labels:
        _check_kinds(query.labels[0], target.labels[0], "node")
    if query.edges and target.edges:
        if (query.edge_labels is None) != (target.edge_labels is None):
            raise GraphError(_one_sided(query.edge_labels is not None))
        if query.edge_labels and target.edge_labels:
            _check_kinds(query.edge_labels[0], target.edge_labels[0], "edge")


def check_sets_comparable(queries: GraphSet, targets: GraphSet) -> None:
    """The same for whole sets, by their vocabularies."""
    if queries.node_vocabulary and targets.node_vocabulary:
        _check_kinds(queries.node_vocabulary[0], targets.node_vocabulary[0], "node")
    left, right = queries.edge_vocabulary, targets.edge_vocabulary
    if (left is None) != (right is None) and _has_edges(queries) and _has_edges(targets):
        raise GraphError(_one_sided(left is not None))
    if left and right:
        _check_kinds(left[0], right[0], "edge")


def _has_edges(graphs: GraphSet) -> bool:
    return bool(graphs.edge_offsets[-1] > graphs.edge_offsets[0])


def _check_kinds(left: Label, right: Label, what: str) -> None:
    if isinstance(left, str) != isinstance(right, str):
        raise GraphError(
            f"the query's {what} labels are {_kind(left)} ({left!r}) and the target's are {_kind(right)} "
            f"({right!r}); they can never be equal"
        )


def _kind(label: Label) -> str:
    return "strings" if isinstance(label, str) else "integers"


def _one_sided(query_has: bool) -> str:
    has, lacks = ("query", "target") if query_has else ("target", "query")
    return f"the {has} has edge labels and the {lacks} has none; give both or neither"
