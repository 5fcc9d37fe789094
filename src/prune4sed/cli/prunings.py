"""Keep probabilities for the hits of a report, where a model can tell them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from prune4sed.errors import GraphError

if TYPE_CHECKING:
    from prune4sed.graph import Graph

__all__ = ["MOST_PRUNED", "prunings_of"]

#: So many hits of a report get them; nobody looks at more.
MOST_PRUNED = 100


def prunings_of(model: Any, query: Graph, targets: Sequence[Graph], hits: int) -> list[Any] | None:
    """What a model keeps of the first targets, as many entries as there are hits.

    Parameters
    ----------
    model : str, SedModel or None
        A bundled name, or a model; one that does not prune is as good as none.
    query : Graph
        The query.
    targets : sequence of Graph
        The first targets, nearest first.
    hits : int
        How many hits there are in all; the others have no entry but None.

    Returns
    -------
    list or None
        None if there is no such model, or it does not know the labels.
    """
    if isinstance(model, str):
        from prune4sed.models.loading import load_model

        model = load_model(model)
    if not hasattr(model, "prune"):
        return None
    if model.vocabulary.edges is None:
        query, targets = _bare(query), [_bare(target) for target in targets]
    try:
        found: list[Any] = [model.prune(query, target) for target in targets]
    except GraphError:
        return None
    return found + [None] * (hits - len(found))


def _bare(graph: Graph) -> Graph:
    """The graph without edge labels, which the model does not look at."""
    return graph if graph.edge_labels is None else type(graph)(graph.labels, graph.edges, id=graph.id)
