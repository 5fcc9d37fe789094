"""Readable edit scripts: what has to change in the query so that the target contains it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from prune4sed.errors import OptionError
from prune4sed.exact.maps import check_mapping, edge_table

if TYPE_CHECKING:
    from prune4sed.exact.costs import EditCosts
    from prune4sed.graph import Graph
    from prune4sed.labels import Label

Kind = Literal["delete node", "relabel node", "delete edge", "relabel edge"]


@dataclass(frozen=True)
class Edit:
    """One edit on the query.

    Parameters
    ----------
    kind
        ``"delete node"``, ``"relabel node"``, ``"delete edge"`` or ``"relabel edge"``.
    node
        The query node, for edits on nodes.
    edge
        The query edge ``(smaller, larger)``, for edits on edges.
    old, new
        Label before and after; ``new`` is None for deletions, ``old`` is None for unlabelled edges.
    cost
        What the edit costs.

    Examples
    --------
    >>> print(Edit("relabel node", node=3, edge=None, old="N", new="C", cost=1.0))
    relabel node 3 from N to C
    """

    kind: Kind
    node: int | None
    edge: tuple[int, int] | None
    old: Label | None
    new: Label | None
    cost: float

    def __str__(self) -> str:
        return self.words()

    def words(self, molecule: bool = False) -> str:
        """The edit in words; with ``molecule`` it speaks of atoms and bonds.

        Examples
        --------
        >>> Edit("delete edge", node=None, edge=(3, 4), old="double", new=None, cost=1.0).words(molecule=True)
        'delete bond 3-4 (double)'
        """
        verb, thing = self.kind.split()
        if molecule:
            thing = {"node": "atom", "edge": "bond"}[thing]
        place = f"{self.edge[0]}-{self.edge[1]}" if self.edge is not None else str(self.node)
        if verb == "relabel":
            return f"relabel {thing} {place} from {_name(self.old)} to {_name(self.new)}"
        return f"delete {thing} {place}" + (f" ({self.old})" if self.old is not None else "")


def edit_script(q: Graph, t: Graph, mapping: Sequence[int | None], costs: EditCosts) -> tuple[Edit, ...]:
    """The edits a mapping implies; their costs add up to ``costs.map_cost(q, t, mapping)``.

    Edges come before nodes, so that the script can be carried out in order: a node is deleted only once its
    edges are gone.

    Examples
    --------
    >>> from prune4sed.exact.costs import EditCosts
    >>> from prune4sed.graph import Graph
    >>> q = Graph(labels=["C", "N"], edges=[(0, 1)])
    >>> t = Graph(labels=["C", "O"], edges=[])
    >>> [str(edit) for edit in edit_script(q, t, [0, None], EditCosts())]
    ['delete edge 0-1', 'delete node 1 (N)']
    """
    check_mapping(q, t, mapping)
    return (*_edge_edits(q, t, mapping, costs), *_node_edits(q, t, mapping, costs))


def apply_edits(q: Graph, edits: Iterable[Edit]) -> Graph:
    """The query after the edits; nodes that stay are renumbered without gaps, in their order.

    Raises
    ------
    OptionError
        If an edit names a node or edge the query does not have, or deletes a node that still has edges.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> q = Graph(labels=["C", "N"], edges=[(0, 1)])
    >>> apply_edits(q, [Edit("relabel node", node=1, edge=None, old="N", new="O", cost=1.0)]).labels
    ('C', 'O')
    """
    from prune4sed.graph import Graph

    nodes: dict[int, Label] = dict(enumerate(q.labels))
    edges = edge_table(q)
    for edit in edits:
        _apply(edit, nodes, edges)
    place = {u: i for i, u in enumerate(nodes)}
    bare = next((edge for edge in edges if edge[0] not in place or edge[1] not in place), None)
    if bare is not None:
        raise OptionError(f"the edits delete a node but keep its edge {bare[0]}-{bare[1]}")
    return Graph(
        labels=list(nodes.values()),
        edges=[(place[a], place[b]) for a, b in edges],
        edge_labels=_edge_labels(edges, labelled=q.edge_labels is not None),
        id=q.id,
    )


def _edge_labels(edges: dict[tuple[int, int], Label | None], labelled: bool) -> list[Label] | None:
    """Labels of the edges that are left, or None if they carry none."""
    known = [label for label in edges.values() if label is not None]
    if known and len(known) < len(edges):
        raise OptionError("the edits leave some edges labelled and some not")
    return known if known or (labelled and not edges) else None


def _apply(edit: Edit, nodes: dict[int, Label], edges: dict[tuple[int, int], Label | None]) -> None:
    """Carry out one edit on the node and edge tables."""
    if edit.kind in ("delete node", "relabel node"):
        if edit.node is None or edit.node not in nodes:
            raise OptionError(f"cannot {edit}: the query has no such node")
        if edit.kind == "delete node":
            del nodes[edit.node]
        elif edit.new is not None:
            nodes[edit.node] = edit.new
        return
    if edit.edge is None or edit.edge not in edges:
        raise OptionError(f"cannot {edit}: the query has no such edge")
    if edit.kind == "delete edge":
        del edges[edit.edge]
    else:
        edges[edit.edge] = edit.new


def _edge_edits(q: Graph, t: Graph, mapping: Sequence[int | None], costs: EditCosts) -> Iterable[Edit]:
    """Edits on edges, in the query's edge order."""
    images = edge_table(t)
    for edge, label in edge_table(q).items():
        x, y = mapping[edge[0]], mapping[edge[1]]
        image = None if x is None or y is None else (min(x, y), max(x, y))
        found = image is not None and image in images
        if found and image is not None and images[image] == label:
            continue
        if found and image is not None and costs.edge_relabel <= costs.edge_deletion:
            yield Edit("relabel edge", None, edge, label, images[image], costs.edge_relabel)
        else:
            yield Edit("delete edge", None, edge, label, None, costs.edge_deletion)


def _node_edits(q: Graph, t: Graph, mapping: Sequence[int | None], costs: EditCosts) -> Iterable[Edit]:
    """Edits on nodes, in node order."""
    for u, v in enumerate(mapping):
        if v is None:
            yield Edit("delete node", u, None, q.labels[u], None, costs.node_deletion)
        elif q.labels[u] != t.labels[v]:
            yield Edit("relabel node", u, None, q.labels[u], t.labels[v], costs.node_relabel)


def _name(label: Label | None) -> str:
    """A label in words; edges without one are called unlabelled."""
    return "unlabelled" if label is None else str(label)
