"""Words in a drawing of a graph: labels in the nodes, notes beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import require
from prune4sed.report.label_colours import EDITED, OTHER, text_colour

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from prune4sed.graph import Graph
    from prune4sed.labels import Label

__all__ = ["free_angle", "write_labels", "write_notes"]

Points = NDArray[np.float64]

ROOM = 8.5  # points across a node that can hold a label
LONGEST = 2  # letters in it


def write_labels(
    axes: Axes, graph: Graph, points: Points, colours: Mapping[Label, str], sizes: Points
) -> None:
    """Write short labels into the nodes that have room for them."""
    for u, label in enumerate(graph.labels):
        name = str(label)
        if sizes[u] >= ROOM and len(name) <= LONGEST:
            size = sizes[u] * (0.58 if len(name) == 1 else 0.46)
            ink = text_colour(colours.get(label, OTHER))
            axes.text(
                points[u, 0],
                points[u, 1],
                name,
                size=size,
                color=ink,
                ha="center",
                va="center_baseline",
                zorder=4,
            )


def write_notes(axes: Axes, graph: Graph, points: Points, sizes: Points, notes: Mapping[int, str]) -> None:
    """Write notes beside nodes, each where the fewest edges leave its node."""
    effects = require("matplotlib.patheffects", "plot", "to draw graphs")
    neighbours: dict[int, list[int]] = {u: [] for u in notes}
    for a, b in graph.edges:
        for u, v in ((a, b), (b, a)):
            if u in neighbours:
                neighbours[u].append(v)
    for u, note in notes.items():
        angle = free_angle(points[neighbours[u]] - points[u])
        reach = 0.5 * sizes[u] + 7.5
        axes.annotate(
            note,
            tuple(points[u]),
            xytext=(reach * np.cos(angle), reach * np.sin(angle)),
            textcoords="offset points",
            size=7,
            color=EDITED,
            ha="center",
            va="center",
            zorder=5,
            gid="note",
            path_effects=[effects.withStroke(linewidth=1.6, foreground="white")],
        )


def free_angle(ways: Points) -> float:
    """The middle of the widest gap between the directions in which edges leave."""
    if not len(ways):
        return float(np.pi / 2)
    angles = np.sort(np.arctan2(ways[:, 1], ways[:, 0]))
    gaps = np.diff(angles, append=angles[0] + 2 * np.pi)
    widest = int(np.argmax(gaps))
    return float(angles[widest] + gaps[widest] / 2)
