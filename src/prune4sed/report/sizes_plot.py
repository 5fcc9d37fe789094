"""How large the queries and targets of a dataset's pairs are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.figures import FAINT, INK, add_title, figure_style, in_words, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from prune4sed.datasets.dataset import PairSet

__all__ = ["sizes_figure"]

QUERIES, TARGETS = "#2A6FBB", "#239064"
LOG_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def sizes_figure(name: str, sets: Mapping[str, PairSet]) -> Figure:
    """Numbers of nodes of queries and of targets over the pairs, a row for every set."""
    queries = {key: one.queries.num_nodes[one.pairs.query] for key, one in sets.items()}
    targets = {key: one.targets.num_nodes[one.pairs.target] for key, one in sets.items()}
    with figure_style():
        figure = new_figure(9.0, 0.44 * len(sets) + 1.35)
        panels = figure.subplots(1, 2, sharey=True)
        _ridges(panels[0], queries, QUERIES)
        _ridges(panels[1], targets, TARGETS)
        panels[0].set_xlabel("query nodes")
        panels[1].set_xlabel("target nodes")
        panels[0].set_yticks(range(len(sets)), [in_words(key) for key in sets])
        panels[0].set_ylim(len(sets) - 0.6, -1.0)
        add_title(figure, f"{name}: sizes of the graphs, over the pairs")
    return figure


def _ridges(axes: Axes, sizes: Mapping[str, NDArray[np.int64]], colour: str) -> None:
    """One small histogram per row, all on one scale of sizes; a dot and a number at the mean."""
    every = np.concatenate(list(sizes.values()))
    wide = every.max() > 8 * max(1.0, float(np.median(every))) or every.max() > 150
    bins = _bins(int(every.min()), int(every.max()), wide)
    for row, values in enumerate(sizes.values()):
        shares = np.histogram(values, bins)[0] / len(values)
        height = 0.82 * shares / max(shares.max(), 1e-9)
        axes.stairs(row - height, bins, baseline=row, fill=True, color=colour, alpha=0.75, gid="sizes")
        mean = float(values.mean())
        axes.plot([mean], [row], "o", color=INK, markersize=4, clip_on=False, gid="mean")
        axes.annotate(
            f"{mean:.1f}", (1.0, row), (4, 3), ("axes fraction", "data"), "offset points", size=8, color=INK
        )
    axes.annotate("mean", (1.0, 1.0), (4, 0), "axes fraction", "offset points", size=8, color=FAINT)
    axes.hlines(range(len(sizes)), bins[0], bins[-1], color=FAINT, linewidth=0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_xlim(bins[0], bins[-1])
    axes.locator_params(axis="x", integer=True)
    if wide:
        axes.set_xscale("log")
        ticks = [n for n in LOG_TICKS if bins[0] <= n <= bins[-1]]
        axes.set_xticks(ticks, [str(n) for n in ticks])
        axes.set_xticks([], minor=True)


def _bins(low: int, high: int, wide: bool) -> NDArray[np.float64]:
    """Edges of bins that whole numbers fall clearly into."""
    if not wide:
        step = -(-(high - low + 1) // 60)
        return np.arange(low, high + step + 1, step, dtype=np.float64) - 0.5
    edges = np.geomspace(max(low, 1), high + 1, 41)
    bins: NDArray[np.float64] = np.unique(np.floor(edges)) - 0.5
    return bins
