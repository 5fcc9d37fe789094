"""Edges and bonds as path data of SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.report.marks import Edge

__all__ = ["bend", "bond_lines", "bow", "dots", "lines"]

Points = NDArray[np.float64]

# In pixels: room for a letter, and to its left and right for a second one; between the lines of a double
# bond; by how much its inner line is shorter.
LETTER, SECOND, GAP, INNER = 7.5, 4.0, 4.2, 3.5
# Where the lines of a bond outside rings lie, in gaps beside its middle.
SHIFTS = {"double": (0.5, -0.5), "triple": (1.0, 0.0, -1.0)}
BEND = 0.25  # of the length of a bow


def lines(xy: Points, edges: Iterable[Edge]) -> str:
    """A straight line for every edge.

    Examples
    --------
    >>> lines(np.array([[0.0, 0.0], [10.0, 2.5]]), [(0, 1)])
    'M0 0L10 2.5'
    """
    return "".join(_line(xy[a], xy[b]) for a, b in edges)


def dots(xy: Points, nodes: Iterable[int]) -> str:
    """A dot for every node: a line of no length, whose round ends make a disc as broad as the stroke.

    Examples
    --------
    >>> dots(np.array([[0.0, 0.0], [10.0, 2.5]]), [1])
    'M10 2.5h0'
    """
    return "".join(f"M{_pair(xy[u])}h0" for u in nodes)


def bow(a: Points, b: Points) -> str:
    """A bent line, which no edge can be taken for.

    Examples
    --------
    >>> bow(np.array([0.0, 0.0]), np.array([8.0, 0.0]))
    'M0 0Q4 2 8 0'
    """
    control = 2 * bend(a, b) - (a + b) / 2
    return f"M{_pair(a)}Q{_pair(control)} {_pair(b)}"


def bend(a: Points, b: Points) -> Points:
    """The middle of a bow."""
    along = b - a
    middle: Points = (a + b) / 2 + BEND / 2 * np.array([-along[1], along[0]])
    return middle


def bond_lines(
    graph: Graph, xy: Points, letters: Mapping[int, str], rings: Mapping[Edge, Sequence[int]]
) -> tuple[str, str]:
    """Lines of all bonds by their order, clear of letters: those that are solid, and the dashed inner ones.

    A graph without edge labels has single lines only.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> xy = np.array([[0.0, 0.0], [20.0, 0.0]])
    >>> bond_lines(Graph(["C", "O"], [(0, 1)], ["double"]), xy, {1: "O"}, {})
    ('M0 2.1L12.5 2.1M0 -2.1L12.5 -2.1', '')
    """
    solid: list[str] = []
    dashed: list[str] = []
    labels = graph.edge_labels or ("single",) * len(graph.edges)
    for (a, b), label in zip(graph.edges, labels, strict=True):
        way = (xy[b] - xy[a]) / max(float(np.hypot(*(xy[b] - xy[a]))), 1e-9)
        start, end = xy[a] + way * _room(letters.get(a), way), xy[b] - way * _room(letters.get(b), way)
        side = np.array([-way[1], way[0]]) * GAP
        ring = rings.get((min(a, b), max(a, b)))
        if label in ("double", "aromatic") and ring is not None:
            side *= np.sign(side @ (xy[list(ring)].mean(axis=0) - xy[a])) or 1.0
            inner = _line(start + side + way * INNER, end + side - way * INNER)
            (solid if label == "double" else dashed).append(inner)
        for shift in SHIFTS.get(str(label), (0.0,)) if ring is None else (0.0,):
            solid.append(_line(start + shift * side, end + shift * side))
    return "".join(solid), "".join(dashed)


def _room(letters: str | None, way: Points) -> float:
    """How far from the middle of an atom a bond in this direction begins."""
    return LETTER + SECOND * (len(letters) - 1) * abs(float(way[0])) if letters else 0.0


def _line(a: Points, b: Points) -> str:
    return f"M{_pair(a)}L{_pair(b)}"


def _pair(point: Points) -> str:
    """Both coordinates, to a tenth of a pixel; a minus before zero is dropped."""
    return " ".join(f"{round(float(value), 1) + 0.0:g}" for value in point)
