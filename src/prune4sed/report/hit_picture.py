"""Pictures of a query and of its hits: every target is turned so that the match lies as the query does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import OptionError
from prune4sed.report.cut_out import around, cut_out
from prune4sed.report.graph_layout import layout, turn_to
from prune4sed.report.label_colours import label_colours
from prune4sed.report.marks import Marks, match_marks
from prune4sed.report.match_facts import largest_piece, missing_edges
from prune4sed.report.molecule_layout import are_molecules, molecule_layout
from prune4sed.report.svg_picture import Picture

if TYPE_CHECKING:
    from prune4sed.exact.result import SedResult
    from prune4sed.graph import Graph
    from prune4sed.report.marks import Edge
    from prune4sed.report.page_hits import Answer

__all__ = ["Artist", "keep_array"]

Points = NDArray[np.float64]

# Nodes of a target that are drawn at most, and pictures of a graph to choose from: both bound the time.
LARGEST_MOLECULE, LARGEST_GRAPH, STARTS = 150, 40, 2
# How far apart nodes should be where all have a number, and how much larger a picture may get for that.
APART, WIDEN = 0.9, 1.6


class Artist:
    """Draws one query and its hits in one style.

    Parameters
    ----------
    answer : Answer
        Molecules are drawn as such if every graph in it is one; the colours of other graphs are chosen for
        the labels in it.
    """

    def __init__(self, answer: Answer) -> None:
        graphs = [answer.query, *(answer.target(hit) for hit in answer.hits)]
        self.query = answer.query
        self.molecule = are_molecules(graphs)
        self.colours = {} if self.molecule else label_colours(graphs)
        self.room = LARGEST_MOLECULE if self.molecule else LARGEST_GRAPH
        self.query_nodes = around(self.query, (), self.room)
        self.query_points, self.query_rings = self._lay_out(cut_out(self.query, self.query_nodes))

    def draw_query(self) -> Picture:
        """The query, with the numbers that the edits speak of."""
        graph = cut_out(self.query, self.query_nodes)
        numbers = {i: str(u) for i, u in enumerate(self.query_nodes)}
        points = self.query_points if self.molecule else _widened(self.query_points)
        return self._picture(graph, points, notes=numbers, rings=self.query_rings)

    def draw_hit(self, target: Graph, match: SedResult | None, keep: NDArray[np.float32] | None) -> Picture:
        """A target with its match, or as much of it around the match as can be read."""
        images = [] if match is None else [(u, v) for u, v in enumerate(match.mapping) if v is not None]
        nodes = around(target, (v for _, v in images), self.room)
        place = {v: i for i, v in enumerate(nodes)}
        part = cut_out(target, nodes)
        points, rings = self._lay_out(part)
        if match is not None:
            points = self._turned(points, match, place)
        marks, missing, notes = Marks(), [], {}
        if match is not None:
            marks = _moved(match_marks(match)[1], place)
            missing = [(place[a], place[b]) for a, b in missing_edges(match)]
            notes = {place[v]: str(u) for u, v in images if u in _edited(match)}
        kept = None if keep is None else keep[:, nodes]
        return self._picture(part, points, marks=marks, missing=missing, notes=notes, rings=rings, keep=kept)

    def _turned(self, points: Points, match: SedResult, place: dict[int, int]) -> Points:
        """A layout of a target turned so that the largest piece of the match lies as in the query."""
        shown = {u: i for i, u in enumerate(self.query_nodes)}
        placed = [(u, match.mapping[u]) for u in largest_piece(match)]
        pairs = [(shown[u], place[v]) for u, v in placed if u in shown and v is not None]
        return turn_to(points, self.query_points[[u for u, _ in pairs]], [v for _, v in pairs])

    def _lay_out(self, graph: Graph) -> tuple[Points, dict[Edge, tuple[int, ...]]]:
        return molecule_layout(graph) if self.molecule else (layout(graph, starts=STARTS), {})

    def _picture(self, graph: Graph, points: Points, **rest: Any) -> Picture:
        return Picture(graph, points, self.molecule, colours=self.colours, **rest)


def keep_array(pruning: Any, nodes: int, name: str) -> NDArray[np.float32] | None:
    """Keep probabilities of a target, (heads, nodes), from an array or what `Prune4SED.prune` returns.

    Examples
    --------
    >>> keep_array([0.5, 1.0], 2, "ethane").shape
    (1, 2)
    """
    if pruning is None:
        return None
    keep = np.atleast_2d(np.asarray(getattr(pruning, "keep", pruning), dtype=np.float32))
    if keep.ndim != 2 or keep.shape[1] != nodes:
        raise OptionError(
            f"expected keep probabilities of shape (heads, {nodes}) for {name}, got {keep.shape}"
        )
    if not ((keep >= 0) & (keep <= 1)).all():
        raise OptionError(f"the keep probabilities for {name} are not all between 0 and 1")
    return keep


def _widened(points: Points) -> Points:
    """A layout with room between the nodes, as far as it lacks that."""
    from scipy.spatial.distance import pdist

    nearest = float(pdist(points).min(initial=APART))
    return points * min(APART / max(nearest, 1e-9), WIDEN)


def _edited(match: SedResult) -> set[int]:
    """Query nodes that an edit names."""
    return {n for edit in match.edits for n in (edit.edge or (edit.node,)) if n is not None}


def _moved(marks: Marks, place: dict[int, int]) -> Marks:
    """Marks of a target as marks of the part of it that is drawn; a match is always in it as a whole."""
    edges = {(place[a], place[b]): kept for (a, b), kept in marks.edges.items()}
    return Marks({place[u]: kept for u, kept in marks.nodes.items()}, edges)
