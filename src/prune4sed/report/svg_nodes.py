"""Atoms, nodes and their keep probabilities as SVG."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.graph_notes import LONGEST
from prune4sed.report.label_colours import OTHER, text_colour
from prune4sed.report.markup import Html, tag

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.labels import Label

__all__ = ["atom_letters", "keep_circles", "node_circles", "text_at"]

Points = NDArray[np.float64]
Keep = NDArray[np.float32]

RADIUS = 9  # of a node, in pixels; the page's script has its own range for keep probabilities


def atom_letters(graph: Graph, edited: Collection[int]) -> dict[int, str]:
    """Atoms that are written out: all but carbon, and carbon where no bond or an edit would hide it.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> atom_letters(Graph(["C", "O", "C", "C"], [(0, 1), (1, 2)]), edited={2})
    {1: 'O', 2: 'C', 3: 'C'}
    """
    bonds = Counter(u for edge in graph.edges for u in edge)
    return {
        u: str(label) for u, label in enumerate(graph.labels) if label != "C" or u in edited or not bonds[u]
    }


def keep_circles(xy: Points, keep: Keep | None) -> Html:
    """Discs that the page's script makes as large as the keep probabilities; without a size at first."""
    if keep is None:
        return Html()
    return Html("".join(_circle(point, "keep", 0, keep[:, u]) for u, point in enumerate(xy)))


def node_circles(graph: Graph, xy: Points, colours: Mapping[Label, str], keep: Keep | None) -> Html:
    """A disc for every node in the colour of its label, with the label in it if that is short.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> node_circles(Graph([7]), np.array([[9.0, 9.0]]), {7: "#2A51A5"}, None).split("><")[0]
    '<circle class="node" cx="9" cy="9" r="9" fill="#2A51A5"'
    """
    pieces = []
    for u, (label, point) in enumerate(zip(graph.labels, xy, strict=True)):
        fill = colours.get(label, OTHER)
        heads = None if keep is None else keep[:, u]
        pieces.append(_circle(point, "node" if heads is None else "node keep", RADIUS, heads, fill))
        if len(str(label)) <= LONGEST:
            pieces.append(text_at(label, point, class_=text_colour(fill)))
    return Html("".join(pieces))


def text_at(text: object, point: Points, **attributes: object) -> Html:
    """A text with its middle at a point."""
    return tag("text", text, x=_number(point[0]), y=_number(point[1]), **attributes)


def _circle(point: Points, kind: str, radius: int, heads: Keep | None, fill: str | None = None) -> Html:
    """A disc; keep probabilities go along as whole percents, one a head."""
    percents = None if heads is None else " ".join(f"{100 * float(p):.0f}" for p in heads)
    x, y = _number(point[0]), _number(point[1])
    return tag("circle", class_=kind, cx=x, cy=y, r=radius, fill=fill, data_keep=percents)


def _number(value: float) -> str:
    return f"{round(float(value), 1) + 0.0:g}"
