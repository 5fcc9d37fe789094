"""A pruned target as a small SVG picture: nodes as large as their keep probabilities, the match ringed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.graph_notes import LONGEST
from prune4sed.report.label_colours import OTHER, text_colour
from prune4sed.report.markup import Html, tag
from prune4sed.report.svg_bonds import lines
from prune4sed.report.svg_nodes import text_at

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.labels import Label

__all__ = ["PrunedPicture", "pruned_svg"]

Points = NDArray[np.float64]

# In pixels: between neighbours, around all, the smallest board (a small graph is not to be blown up); radius
# of a plain node, of the least and the most kept one, of one that was pruned; the gap to a ring; the radius
# that has room for a label.
STEP, MARGIN, BOARD = 34.0, 17.0, (190.0, 150.0)
PLAIN, LEAST, MOST, GHOST = 10.0, 2.0, 11.5, 3.0
RING, ROOM = 2.6, 8.0
NARROW = 0.25  # keep probabilities that differ by less are not made to look as if they differed by much


@dataclass(frozen=True)
class PrunedPicture:
    """What there is to draw.

    Parameters
    ----------
    graph, points
        The graph, and its places with neighbours about 1 apart and y upwards.
    colours
        Of the labels.
    keep
        Keep probabilities of the nodes; without them all nodes are of one size.
    span
        The probabilities of the smallest and the largest node, to share with other pictures.
    kept
        Which nodes hard pruning leaves; the others are small and hollow. All by default.
    ringed
        Nodes of the match.
    """

    graph: Graph
    points: Points
    colours: Mapping[Label, str]
    keep: NDArray[np.float32] | None = None
    span: tuple[float, float] = (0.0, 1.0)
    kept: NDArray[np.bool_] | None = None
    ringed: Collection[int] = field(default_factory=tuple)


def pruned_svg(picture: PrunedPicture, words: str) -> Html:
    """The picture as an SVG element; `picture_sheet` has the style sheet.

    Parameters
    ----------
    picture : PrunedPicture
        What to draw.
    words : str
        What a screen reader says instead.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> two = PrunedPicture(Graph(["N", "O"]), np.zeros((2, 2)), {}, kept=np.array([True, False]))
    >>> pruned_svg(two, "two atoms").count("ghost")
    1
    """
    xy, size = _on_board(picture.points)
    kept = np.ones(len(xy), bool) if picture.kept is None else picture.kept
    radii = _radii(picture)
    layers = [*_edges(picture, xy, kept), *_nodes(picture, xy, kept, radii)]
    view = f"0 0 {size[0]} {size[1]}"
    return tag("svg", Html("".join(layers)), class_="pruned", viewBox=view, role="img", aria_label=words)


def _radii(picture: PrunedPicture) -> Points:
    """A node that is most likely to stay is large, one that is least likely to is a dot."""
    if picture.keep is None:
        return np.full(len(picture.points), PLAIN)
    low, high = picture.span
    share = 1 - (high - picture.keep.astype(np.float64)) / max(high - low, NARROW)
    return LEAST + (MOST - LEAST) * np.clip(share, 0, 1)


def _on_board(points: Points) -> tuple[Points, tuple[int, int]]:
    """Places in pixels, y downwards, and the size of the board."""
    xy = points * [STEP, -STEP]
    low, high = (xy.min(axis=0), xy.max(axis=0)) if len(xy) else (np.zeros(2), np.zeros(2))
    width, height = np.ceil(np.maximum(high - low + 2 * MARGIN, BOARD)).astype(int).tolist()
    return xy - (low + high) / 2 + np.array([width, height]) / 2, (width, height)


def _edges(picture: PrunedPicture, xy: Points, kept: NDArray[np.bool_]) -> list[Html]:
    """Edges between nodes that stay, and fainter those at a node that goes."""
    stays = [bool(kept[a] and kept[b]) for a, b in picture.graph.edges]
    layers = []
    for name, wanted in (("edge gone", False), ("edge", True)):
        chosen = [e for e, stay in zip(picture.graph.edges, stays, strict=True) if stay is wanted]
        if chosen:
            layers.append(tag("path", class_=name, d=lines(xy, chosen)))
    return layers


def _nodes(picture: PrunedPicture, xy: Points, kept: NDArray[np.bool_], radii: Points) -> list[Html]:
    layers = []
    for u, label in enumerate(picture.graph.labels):
        radius = radii[u] if kept[u] else GHOST
        fill = picture.colours.get(label, OTHER)
        kind, paint = ("node", fill) if kept[u] else ("ghost", None)
        if u in picture.ringed:
            layers.append(_circle(xy[u], "ring", radius + RING))
        layers.append(_circle(xy[u], kind, radius, paint))
        if kept[u] and picture.keep is None and radius >= ROOM and len(str(label)) <= LONGEST:
            layers.append(text_at(label, xy[u], class_=text_colour(fill)))
    return layers


def _circle(point: Points, kind: str, radius: float, fill: str | None = None) -> Html:
    x, y, r = (f"{round(float(value), 1):g}" for value in (*point, radius))
    return tag("circle", class_=kind, cx=x, cy=y, r=r, fill=fill)
