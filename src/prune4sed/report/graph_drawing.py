"""Labelled graphs and matches as pictures: colour = label, red ring = matched, orange dashes = edited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.figures import figure_style, new_figure
from prune4sed.report.graph_layout import layout, turn_to
from prune4sed.report.graph_paint import MARGIN, STRETCH, paint_graph, paint_legend
from prune4sed.report.label_colours import label_colours
from prune4sed.report.marks import Marks, match_marks
from prune4sed.report.match_facts import match_title, missing_edges

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from prune4sed.exact.result import SedResult
    from prune4sed.graph import Graph
    from prune4sed.labels import Label

__all__ = ["draw_graph", "draw_match", "match_layout", "paint_match"]

# In inches: room for the title, the captions, the legend at the foot, and at the left side.
TITLE, HEAD, LEGEND, SIDE = 0.3, 0.25, 0.4, 0.1
Points = NDArray[np.float64]


def draw_graph(
    graph: Graph, marks: Marks | None = None, colours: Mapping[Label, str] | None = None
) -> Figure:
    """Draw one labelled graph.

    Parameters
    ----------
    graph : Graph
        Any graph; readable up to a few hundred nodes.
    marks : Marks, optional
        Which nodes and edges to mark as matched or edited.
    colours : mapping of label to colour, optional
        Colours to share with other pictures; see `label_colours`.

    Returns
    -------
    matplotlib.figure.Figure
        To show, or to write with `save_figure`.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> [text.get_text() for text in draw_graph(Graph(["C", "O"], [(0, 1)], id="CO")).axes[0].texts]
    ['C', 'O']
    """
    shades = colours or label_colours([graph])
    marks, points = marks or Marks(), layout(graph)
    width, height = _panel(points)
    with figure_style():
        figure = new_figure(width, height + HEAD + LEGEND)
        axes = _axes(figure, 0, width, height)
        paint_graph(axes, graph, points, shades, marks)
        _caption(figure, axes, graph, "graph")
        paint_legend(figure, _shown(shades, [graph]), [marks])
    return figure


def draw_match(result: SedResult, colours: Mapping[Label, str] | None = None) -> Figure:
    """Draw a query and a target side by side, with the match marked in both.

    The query is turned the way its image lies in the target. Query edges that the target lacks are dotted
    between the images of their ends.

    Parameters
    ----------
    result : SedResult
        What `sed` returned, or `known_match` of a stored answer.
    colours : mapping of label to colour, optional
        Colours to share with other pictures; see `label_colours`.

    Returns
    -------
    matplotlib.figure.Figure
        To show, or to write with `save_figure`.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> from prune4sed.report.match_facts import known_match
    >>> q, t = Graph(["C", "O"], [(0, 1)]), Graph(["C", "C", "N"], [(0, 1), (1, 2)])
    >>> draw_match(known_match(q, t, [1, 2], lower=1, upper=1)).get_suptitle()
    'SED = 1 (certified): relabel node 1 from O to N'
    """
    graphs = [result.query, result.target]
    shades = colours or label_colours(graphs)
    places = match_layout(result)
    (left, low), (right, high) = map(_panel, places)
    height = max(low, high)
    with figure_style():
        figure = new_figure(left + right, TITLE + HEAD + height + LEGEND)
        query, target = _axes(figure, 0, left, height), _axes(figure, left, right, height)
        paint_match(query, target, result, places, shades)
        _caption(figure, query, result.query, "query")
        _caption(figure, target, result.target, "target")
        top = 1 - 0.1 / figure.get_size_inches()[1]
        title = match_title(result, letters=int(12.5 * (left + right)))
        figure.suptitle(title, x=SIDE / (left + right), y=top, ha="left", va="top", size=10, weight="bold")
        paint_legend(figure, _shown(shades, graphs), match_marks(result), bool(missing_edges(result)))
    return figure


def match_layout(result: SedResult) -> tuple[Points, Points]:
    """Layouts of query and target, the query turned the way its image lies."""
    own, place = layout(result.query), layout(result.target)
    pairs = [(u, v) for u, v in enumerate(result.mapping) if v is not None]
    return turn_to(own, place[[v for _, v in pairs]], [u for u, _ in pairs]), place


def paint_match(
    query: Axes, target: Axes, result: SedResult, places: tuple[Points, Points], colours: Mapping[Label, str]
) -> None:
    """Paint both graphs of a match, laid out by `match_layout`, into axes that have their size already."""
    ours, theirs = match_marks(result)
    edited = sorted({n for edit in result.edits for n in (edit.edge or (edit.node,)) if n is not None})
    paint_graph(query, result.query, places[0], colours, ours, (), {u: str(u) for u in edited})
    images = {v: str(u) for u, v in enumerate(result.mapping) if v is not None and u in edited}
    paint_graph(target, result.target, places[1], colours, theirs, missing_edges(result), images)


def _panel(points: Points) -> tuple[float, float]:
    """Width and height in inches that a graph needs: more for more nodes, and no higher than it is."""
    span = np.ptp(points, axis=0) if len(points) else np.zeros(2)
    long = max(float(span.max()), 0.1)
    room = np.clip(1.8 + 0.34 * np.sqrt(len(points)) * (long / max(span.min(), long / 4)) ** 0.5, 2, 9)
    unit = min(STRETCH / 72, room / long)
    width, height = span * unit + 2 * MARGIN / 72 + 0.05
    return max(float(width), 2.9), max(float(height), 1.6)


def _axes(figure: Figure, left: float, width: float, height: float) -> Axes:
    """Axes above the legend, placed by hand: what is painted depends on their size in points."""
    whole = figure.get_size_inches()
    box = left / whole[0], LEGEND / whole[1], width / whole[0], height / whole[1]
    return figure.add_axes(box)


def _caption(figure: Figure, axes: Axes, graph: Graph, role: str) -> None:
    """Name and size of a graph above its picture."""
    name = role if graph.id is None else f"{role}: {graph.id}"
    name = name if len(name) <= 24 else name[:23] + "…"
    box, width = axes.get_position(), figure.get_size_inches()[0]
    figure.text(
        box.x0 + SIDE / width, box.y1, f"{name}  ({len(graph)} nodes, {len(graph.edges)} edges)", va="bottom"
    )


def _shown(colours: Mapping[Label, str], graphs: Iterable[Graph]) -> dict[Label, str]:
    """The colours that occur in the picture."""
    present = {label for graph in graphs for label in graph.labels}
    return {label: colour for label, colour in colours.items() if label in present}
