"""A graph with its match as a small SVG picture, coloured by the style sheet of the page around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.marks import Marks
from prune4sed.report.markup import Html, tag
from prune4sed.report.svg_bonds import bond_lines, bow, dots, lines
from prune4sed.report.svg_nodes import atom_letters, keep_circles, node_circles, note_texts, text_at

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.labels import Label
    from prune4sed.report.marks import Edge

__all__ = ["Picture", "svg_picture"]

Points = NDArray[np.float64]

# In pixels of a picture in its own size: between neighbours, around it, and from a node to its note.
MOLECULE_STEP, GRAPH_STEP, MARGIN = 26.0, 34.0, 18.0
MOLECULE_NOTE, GRAPH_NOTE = 14.0, 18.0


@dataclass(frozen=True)
class Picture:
    """What there is to draw.

    Parameters
    ----------
    graph, points
        The graph, and its places with neighbours about 1 apart and y upwards.
    molecule
        Draw letters and bonds instead of discs and edges.
    marks, missing
        What matched and what was edited; edges that the query has and this graph lacks.
    notes
        Small texts beside nodes.
    rings
        Of a molecule: the ring of every bond in one.
    keep
        Keep probabilities, (heads, nodes).
    colours
        Of the labels, for graphs that are no molecules.
    """

    graph: Graph
    points: Points
    molecule: bool
    marks: Marks = field(default_factory=Marks)
    missing: Sequence[Edge] = ()
    notes: Mapping[int, str] = field(default_factory=dict)
    rings: Mapping[Edge, Sequence[int]] = field(default_factory=dict)
    keep: NDArray[np.float32] | None = None
    colours: Mapping[Label, str] = field(default_factory=dict)


def svg_picture(picture: Picture, words: str, least: tuple[int, int] = (220, 150)) -> Html:
    """The picture as an SVG element.

    Parameters
    ----------
    picture : Picture
        What to draw.
    words : str
        What a screen reader says instead.
    least : width and height
        Of the drawing board: smaller graphs are not blown up to fill it, larger ones make it larger.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> one = Picture(Graph(["N"]), np.zeros((1, 2)), molecule=True)
    >>> svg_picture(one, "an atom", least=(60, 40)).partition(">")[2]
    '<text x="30" y="20">N</text></svg>'
    """
    xy, size = _on_board(picture, least)
    layers = [_halos(picture, xy), *(_molecule(picture, xy) if picture.molecule else _graph(picture, xy))]
    return tag(
        "svg",
        Html("".join(layers)),
        class_="molecule" if picture.molecule else "graph",
        viewBox=f"0 0 {size[0]} {size[1]}",
        role="img",
        aria_label=words,
    )


def _on_board(picture: Picture, least: tuple[int, int]) -> tuple[Points, tuple[int, int]]:
    """Places in pixels, y downwards, centred on a board that is large enough."""
    step = MOLECULE_STEP if picture.molecule else GRAPH_STEP
    xy = picture.points * [step, -step]
    low, high = (xy.min(axis=0), xy.max(axis=0)) if len(xy) else (np.zeros(2), np.zeros(2))
    width, height = np.maximum(np.ceil(high - low + 2 * MARGIN), least).astype(int).tolist()
    centred: Points = xy - (low + high) / 2 + np.array([width, height]) / 2
    return centred, (width, height)


def _halos(picture: Picture, xy: Points) -> str:
    """What matched and what was edited, as broad strokes behind everything else."""
    edges, nodes = picture.marks.edges, picture.marks.nodes
    strokes = []
    for kept, name in ((True, "matched"), (False, "edited")):
        strokes.append(("edges", name, lines(xy, [edge for edge, mark in edges.items() if mark is kept])))
        strokes.append(("nodes", name, dots(xy, [node for node, mark in nodes.items() if mark is kept])))
    strokes.sort(key=lambda stroke: stroke[0])  # nodes over edges: no end of an edge hides one
    bows = "".join(bow(xy[a], xy[b]) for a, b in picture.missing)
    strokes.append(("missing", "", bows))
    return "".join(tag("path", class_=f"{kind} {name}".strip(), d=d) for kind, name, d in strokes if d)


def _molecule(picture: Picture, xy: Points) -> list[str]:
    """Bonds and letters."""
    edited = {u for u, kept in picture.marks.nodes.items() if not kept}
    letters = atom_letters(picture.graph, edited)
    plain, dashed = bond_lines(picture.graph, xy, letters, picture.rings)
    return [
        keep_circles(xy, picture.keep),
        tag("path", class_="bonds", d=plain) if plain else "",
        tag("path", class_="bonds aromatic", d=dashed) if dashed else "",
        *(text_at(letter, xy[u]) for u, letter in letters.items()),
        note_texts(picture.graph, xy, picture.notes, MOLECULE_NOTE),
    ]


def _graph(picture: Picture, xy: Points) -> list[str]:
    """Edges and discs."""
    edges = lines(xy, picture.graph.edges)
    return [
        tag("path", class_="bonds", d=edges) if edges else "",
        node_circles(picture.graph, xy, picture.colours, picture.keep),
        note_texts(picture.graph, xy, picture.notes, GRAPH_NOTE),
    ]
