"""A graph with its match as a small SVG picture, coloured by the style sheet of the page around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.marks import Marks
from prune4sed.report.markup import Html, tag
from prune4sed.report.note_places import note_places
from prune4sed.report.svg_bonds import LETTER, bend, bond_lines, bow, dots, lines
from prune4sed.report.svg_nodes import RADIUS, atom_letters, keep_circles, node_circles, text_at
from prune4sed.report.svg_notes import note_boxes, note_grounds, note_texts

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.labels import Label
    from prune4sed.report.marks import Edge

__all__ = ["Picture", "svg_picture"]

Points = NDArray[np.float64]

# In pixels of a picture in its own size: between neighbours, around nodes, and around notes.
MOLECULE_STEP, GRAPH_STEP, MARGIN, NOTE_MARGIN = 26.0, 34.0, 18.0, 4.0
# As the style sheet has it: how far the mark of a node reaches, and the letters of notes.
MARKED, MOLECULE_LETTERS, GRAPH_LETTERS = 13.0, 9.5, 12.0


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
    boxes = note_boxes(picture.notes, MOLECULE_LETTERS if picture.molecule else GRAPH_LETTERS)
    xy, places, size = _on_board(picture, boxes, least)
    drawn = _molecule(picture, xy) if picture.molecule else _graph(picture, xy, note_grounds(boxes, places))
    return tag(
        "svg",
        Html("".join([_halos(picture, xy), *drawn, note_texts(picture.notes, places)])),
        class_="molecule" if picture.molecule else "graph",
        viewBox=f"0 0 {size[0]} {size[1]}",
        role="img",
        aria_label=words,
    )


def _on_board(
    picture: Picture, boxes: Mapping[int, Points], least: tuple[int, int]
) -> tuple[Points, dict[int, Points], tuple[int, int]]:
    """Nodes and notes in pixels, y downwards, centred on a board that is large enough for both."""
    step = MOLECULE_STEP if picture.molecule else GRAPH_STEP
    xy = picture.points * [step, -step]
    places = note_places(*_in_the_way(picture, xy), boxes)
    rims = [place + way * (boxes[u] + NOTE_MARGIN) for u, place in places.items() for way in (-1, 1)]
    every = np.vstack([xy - MARGIN, xy + MARGIN, *rims]) if len(xy) else np.zeros((1, 2))
    low, high = every.min(axis=0), every.max(axis=0)
    width, height = np.maximum(np.ceil(high - low), least).astype(int).tolist()
    shift = np.array([width, height]) / 2 - (low + high) / 2
    return xy + shift, {u: place + shift for u, place in places.items()}, (width, height)


def _in_the_way(picture: Picture, xy: Points) -> tuple[Points, list[Edge], Points]:
    """What notes have to keep clear of: points, lines between them, and how far each point reaches."""
    radii = np.full(len(xy), LETTER if picture.molecule else float(RADIUS))
    if not picture.molecule:  # the marks of atoms are pale: a note may lie on one
        radii[list(picture.marks.nodes)] = MARKED
    bends = [bend(xy[a], xy[b]) for a, b in picture.missing]
    halves = [(end, len(xy) + i) for i, ends in enumerate(picture.missing) for end in ends]
    points = np.vstack([xy, *bends])
    return points, [*picture.graph.edges, *halves], np.append(radii, np.full(len(bends), -np.inf))


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
    ]


def _graph(picture: Picture, xy: Points, grounds: Html) -> list[str]:
    """Edges and discs."""
    edges = lines(xy, picture.graph.edges)
    return [
        tag("path", class_="bonds", d=edges) if edges else "",
        grounds,
        node_circles(picture.graph, xy, picture.colours, picture.keep),
    ]
