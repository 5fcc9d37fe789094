"""A page of drawn pairs of a dataset, with the optimal match marked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.figures import figure_style, new_figure
from prune4sed.report.graph_drawing import match_layout, paint_match
from prune4sed.report.graph_layout import LARGEST
from prune4sed.report.graph_paint import paint_legend
from prune4sed.report.label_colours import label_colours
from prune4sed.report.marks import match_marks
from prune4sed.report.match_facts import known_match, match_title, missing_edges

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from prune4sed.datasets.dataset import PairSet
    from prune4sed.exact.result import SedResult

__all__ = ["choose_pairs", "match_page", "pair_match"]

READABLE = 90  # nodes of a target that still reads well in a panel
ACROSS, WIDTH, HEIGHT = 2, 6.6, 3.1  # pairs in a row; inches of a pair
TOP, FOOT = 0.4, 0.4
QUERY = 0.38  # share of the width


def pair_match(one: PairSet, row: int) -> SedResult:
    """A row of a table of pairs as a result, with its graphs."""
    q, t = (int(i) for i in one.pairs.index[row])
    bounds = float(one.pairs.lower[row]), float(one.pairs.upper[row])
    return known_match(one.queries[q], one.targets[t], one.pairs.mapping[row], *bounds)


def choose_pairs(one: PairSet, count: int) -> list[int]:
    """Rows worth a look: distances from the smallest to large ones, graphs of ordinary and readable size.

    Certified pairs whose target is no smaller than the query come first; pairs too large to draw are left
    out. The same set gives the same rows.
    """
    queries, targets = one.queries.num_nodes[one.pairs.query], one.targets.num_nodes[one.pairs.target]
    typical = min(float(np.median(targets)), READABLE / 2)
    unlike = _apart(queries, float(np.median(queries))) + _apart(targets, typical)
    unlike += 10.0 * ~one.pairs.certified + 10.0 * (targets > READABLE) + 10.0 * (targets < queries)
    best = np.argsort(unlike, kind="stable")
    best = best[np.maximum(queries, targets)[best] <= LARGEST]
    chosen: list[int] = []
    for goal in _goals(one.pairs.upper[best], count):
        away = np.abs(one.pairs.upper[best] - goal)
        away += 1e3 * np.floor(unlike[best] / 10)
        away[np.isin(best, chosen)] = np.inf
        chosen.append(int(best[np.argmin(away)]))
    return sorted(chosen, key=lambda row: (one.pairs.upper[row], row))


def _apart(sizes: NDArray[np.int64], typical: float) -> NDArray[np.float64]:
    """How unlike the typical size each size is: 0 for the same, and alike for half and double."""
    apart: NDArray[np.float64] = np.abs(np.log((sizes + 1) / (typical + 1)))
    return apart


def _goals(distances: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Distances to show: spread over those that are common."""
    if not len(distances):
        return distances
    shares = np.linspace(0.02, 0.85, min(count, len(distances)))
    goals: NDArray[np.float64] = np.quantile(distances, shares, method="nearest")
    return goals


def match_page(name: str, one: PairSet, rows: Sequence[int]) -> Figure:
    """Draw some pairs, each with its match.

    Parameters
    ----------
    name : str
        Goes into the title.
    one : PairSet
        Where the pairs come from.
    rows : sequence of int
        Which of its pairs to draw, at least one; see `choose_pairs`.
    """
    results = [pair_match(one, row) for row in rows]
    colours = label_colours(graph for result in results for graph in (result.query, result.target))
    missing = any(missing_edges(result) for result in results)
    down, across = -(-len(results) // ACROSS), min(ACROSS, len(results))
    high = TOP + HEIGHT * down + FOOT
    with figure_style():
        figure = new_figure(WIDTH * across, high)
        figure.text(0.008, 1 - 0.1 / high, name, size=11, weight="bold", va="top", gid="title")
        for place, result in enumerate(results):
            row, column = divmod(place, ACROSS)
            _pair(figure, result, WIDTH * column, FOOT + HEIGHT * (down - 1 - row), colours)
        paint_legend(figure, colours, (mark for result in results for mark in match_marks(result)), missing)
    return figure


def _pair(figure: Figure, result: SedResult, left: float, low: float, colours: dict[str | int, str]) -> None:
    """Paint one pair into its cell; lengths are in inches."""
    width, height = figure.get_size_inches()
    line = 0.25
    middle = WIDTH * QUERY
    boxes = [(left, low, middle, HEIGHT - line), (left + middle, low, WIDTH - middle, HEIGHT - line)]
    axes = [figure.add_axes((x / width, y / height, w / width, h / height)) for x, y, w, h in boxes]
    paint_match(axes[0], axes[1], result, match_layout(result), colours)
    top = (low + HEIGHT - 0.05) / height
    figure.text((left + 0.1) / width, top, match_title(result, letters=75), va="top", gid="pair")
