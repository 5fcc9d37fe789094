"""Pairs of whole distances as bubbles: the more pairs at a place, the larger its bubble."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from prune4sed.report.figures import FAINT, INK, add_title, figure_style, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Bubbles", "bubble_figure"]

# Row, column: counts of pairs as (x, y, count), one plot each; None where there is nothing to show.
Bubbles = Mapping[tuple[str, str], tuple[ArrayLike, ArrayLike, ArrayLike, str] | None]
COLOUR = "#2A6FBB"
LARGEST = 220.0  # area of the largest bubble of a plot, in square points
SMALLEST = 4.0


def bubble_figure(
    plots: Bubbles, rows: Sequence[str], columns: Sequence[str], title: str, axes: tuple[str, str]
) -> Figure:
    """A grid of bubble plots with the diagonal in each.

    Parameters
    ----------
    plots : mapping of (row, column) to (x, y, count, words)
        Places, how many pairs are at each, and a line of words into the plot; a place in the grid that has
        None or nothing says "missing".
    rows, columns : sequence of str
        Names, in order.
    title : str
        Of the figure.
    axes : tuple of str
        What x and y are.

    Examples
    --------
    >>> one = {("aids", "r = 0.1"): ([1, 2], [1, 3], [5, 1], "MAE 0.17")}
    >>> figure = bubble_figure(one, ["aids"], ["r = 0.1", "r = 0.3"], "Pruned", ("true", "pruned"))
    >>> [text.get_text() for panel in figure.axes for text in panel.texts]
    ['MAE 0.17', 'missing']
    """
    with figure_style():
        figure = new_figure(2.7 * len(columns) + 0.6, 2.5 * len(rows) + 0.5)
        grid = figure.subplots(len(rows), len(columns), squeeze=False)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                _plot(grid[i][j], plots.get((row, column)))
                grid[i][j].set_title(f"{row}, {column}")
            grid[i][0].set_ylabel(axes[1])
        for last in grid[-1]:
            last.set_xlabel(axes[0])
        add_title(figure, title)
    return figure


def _plot(axes: Axes, bubbles: tuple[ArrayLike, ArrayLike, ArrayLike, str] | None) -> None:
    if bubbles is None:
        axes.set_axis_off()
        axes.text(0.5, 0.5, "missing", ha="center", va="center", transform=axes.transAxes, color=FAINT)
        return
    x, y, count = (np.asarray(values, dtype=np.float64) for values in bubbles[:3])
    high = 1.07 * float(max(x.max(initial=1), y.max(initial=1))) + 0.5
    axes.plot([0, high], [0, high], color=FAINT, linewidth=0.7, zorder=1, gid="diagonal")
    area = np.maximum(LARGEST * count / count.max(initial=1), SMALLEST)
    axes.scatter(x, y, s=area, color=COLOUR, alpha=0.55, edgecolors=COLOUR, zorder=2, gid="bubbles")
    # Below the diagonal there is room: what is compared with the truth is mostly larger.
    axes.text(0.97, 0.05, bubbles[3], ha="right", va="bottom", transform=axes.transAxes, size=8, color=INK)
    axes.set_xlim(-0.7, high)
    axes.set_ylim(-0.7, high)
    axes.set_aspect("equal")
    axes.grid()
    axes.locator_params(integer=True, nbins=6)
