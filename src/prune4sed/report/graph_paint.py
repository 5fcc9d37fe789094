"""Paint a laid-out graph, its marks and a legend with matplotlib."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import require
from prune4sed.report.figures import INK
from prune4sed.report.graph_notes import write_labels, write_notes
from prune4sed.report.label_colours import EDITED, MATCHED, OTHER, legend_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from prune4sed.graph import Graph
    from prune4sed.labels import Label
    from prune4sed.report.marks import Edge, Marks

__all__ = ["paint_graph", "paint_legend"]

Points = NDArray[np.float64]

EDGE = "#9C9C9C"
DASHES, DOTS = (0, (2.0, 1.2)), (0, (1.0, 1.5))
# All in points: across the largest and smallest node, a smallest matched node, and the way to its ring.
LARGEST, SMALLEST, SMALLEST_MATCHED, RING = 17.0, 3.2, 6.0, 4.2
MARGIN = 21.0  # room for rings and notes at the rim
STRETCH = 44.0  # points between neighbours at most: a graph of three nodes should not fill the page


def paint_graph(
    axes: Axes,
    graph: Graph,
    points: Points,
    colours: Mapping[Label, str],
    marks: Marks,
    missing: Sequence[Edge] = (),
    notes: Mapping[int, str] | None = None,
) -> None:
    """Paint a graph into axes that have their size already.

    Every kind of mark is a collection of its own with a name (``get_gid``), which an SVG file keeps:
    ``nodes``, ``matched-nodes``, ``edited-nodes``, ``edges``, ``matched-edges``, ``edited-edges`` and
    ``missing-edges``.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to paint.
    graph, points
        The graph and its `layout`.
    colours : mapping of label to colour
        Labels that are not in it are grey.
    marks : Marks
        What matched and what was edited.
    missing : sequence of node pairs
        Edges that the other graph has and this one lacks; drawn as dotted bows.
    notes : mapping of node to text, optional
        Small notes beside nodes.
    """
    across = _frame(axes, points)
    sizes = np.full(len(graph), across)
    if len(marks.nodes) < len(graph):  # in a large target the match should stand out
        sizes[list(marks.nodes)] = max(across, SMALLEST_MATCHED)
    _paint_edges(axes, graph, points, marks, missing, across)
    _paint_nodes(axes, graph, points, colours, marks, sizes)
    write_labels(axes, graph, points, colours, sizes)
    write_notes(axes, graph, points, sizes, notes or {})


def paint_legend(
    figure: Figure, colours: Mapping[Label, str], marks: Iterable[Marks], missing: bool = False
) -> None:
    """A legend at the foot of a figure: the labels in it, and the kinds of marks in it."""
    line = require("matplotlib.lines", "plot", "to draw graphs").Line2D
    dot = {"linestyle": "none", "marker": "o", "markersize": 8, "markeredgewidth": 0.6}
    handles = [
        line([], [], color=colour, markeredgecolor=INK, label=name, **dot)
        for name, colour in legend_names(colours).items()
    ]
    kinds = {kept for mark in marks for kept in (*mark.nodes.values(), *mark.edges.values())}
    ring = {**dot, "markeredgewidth": 1.8, "markerfacecolor": "none"}
    if True in kinds:
        handles.append(line([], [], markeredgecolor=MATCHED, label="matched", **ring))
    if False in kinds:
        handles.append(line([], [], color=EDITED, linewidth=2, linestyle=DASHES, label="edited"))
    if missing:
        handles.append(line([], [], color=EDITED, linewidth=1.3, linestyle=DOTS, label="missing edge"))
    across = int(figure.get_size_inches()[0] / 0.8)
    rows = -(-len(handles) // across)
    figure.legend(
        handles=handles,
        loc="lower center",
        bbox_to_anchor=(0.5, 0.0),
        ncols=-(-len(handles) // rows) if rows else 1,
        handletextpad=0.35,
        columnspacing=1.3,
    )


def _frame(axes: Axes, points: Points) -> float:
    """Fit the picture into the axes and return how large a node may be, in points."""
    axes.set_axis_off()
    axes.set_aspect("equal", adjustable="box", anchor="C")
    box = axes.get_window_extent()
    room = np.array([box.width, box.height]) * 72 / axes.figure.dpi - 2 * MARGIN
    span = np.maximum(np.ptp(points, axis=0), 0.1) if len(points) else np.ones(2)
    scale = min(float((room / span).min()), STRETCH)
    middle = (points.max(axis=0) + points.min(axis=0)) / 2 if len(points) else np.zeros(2)
    half = (room / 2 + MARGIN) / scale
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    return float(np.clip(0.6 * scale * _nearest(points), SMALLEST, LARGEST))


def _nearest(points: Points) -> float:
    """A distance that few nodes have a neighbour within."""
    if len(points) < 2:
        return 1.0
    from scipy.spatial import cKDTree

    return float(np.quantile(cKDTree(points).query(points, k=2)[0][:, 1], 0.1))


def _paint_edges(
    axes: Axes, graph: Graph, points: Points, marks: Marks, missing: Sequence[Edge], across: float
) -> None:
    thick = float(np.clip(across / 6.5, 1.3, 2.4))
    edges = [(min(a, b), max(a, b)) for a, b in graph.edges]
    plain = [points[list(e)] for e in edges if e not in marks.edges]
    kept = [points[list(e)] for e in edges if marks.edges.get(e) is True]
    edited = [points[list(e)] for e in edges if marks.edges.get(e) is False]
    bows = [_bow(*points[list(e)]) for e in missing]
    crowd = float(np.clip(250 / (len(edges) + 1), 0.35, 1.0))  # a thousand edges would be a black cloud
    kinds: list[tuple[str, list[Points], dict[str, Any]]] = [
        ("edges", plain, {"colors": EDGE, "linewidths": max(0.4, thick / 3), "alpha": crowd}),
        ("missing-edges", bows, {"colors": EDITED, "linestyles": DOTS, "linewidths": 0.6 * thick}),
        ("matched-edges", kept, {"colors": MATCHED, "linewidths": thick}),
        ("edited-edges", edited, {"colors": EDITED, "linestyles": DASHES, "linewidths": thick}),
    ]
    collection = require("matplotlib.collections", "plot", "to draw graphs").LineCollection
    for order, (name, lines, style) in enumerate(kinds):
        axes.add_collection(collection(lines, gid=name, zorder=1 + 0.1 * order, **style), autolim=False)


def _bow(a: Points, b: Points) -> Points:
    """A bent line between two points, which no straight edge can be taken for."""
    along = b - a
    control = (a + b) / 2 + 0.22 * np.array([-along[1], along[0]])
    t = np.linspace(0, 1, 25)[:, None]
    curve: Points = (1 - t) ** 2 * a + 2 * t * (1 - t) * control + t**2 * b
    return curve


def _paint_nodes(
    axes: Axes, graph: Graph, points: Points, colours: Mapping[Label, str], marks: Marks, sizes: Points
) -> None:
    fills = [colours.get(label, OTHER) for label in graph.labels]
    # Marked nodes come last, so that no other node hides one.
    order = sorted(range(len(graph)), key=lambda u: u in marks.nodes)
    axes.scatter(
        points[order, 0],
        points[order, 1],
        s=sizes[order] ** 2,
        c=[fills[u] for u in order],
        edgecolors=INK,
        linewidths=0.5 if sizes.min(initial=9) > 5 else 0.3,
        zorder=2,
        gid="nodes",
    )
    rings = {True: ("matched-nodes", MATCHED, "-"), False: ("edited-nodes", EDITED, DASHES)}
    for kept, (name, colour, style) in rings.items():
        ringed = [u for u, mark in marks.nodes.items() if mark is kept]
        axes.scatter(
            points[ringed, 0],
            points[ringed, 1],
            s=(sizes[ringed] + RING) ** 2,
            facecolors="none",
            edgecolors=colour,
            linewidths=np.clip(sizes[ringed] / 8, 1.3, 1.9).tolist(),
            linestyles=[style],
            zorder=3,
            gid=name,
        )
