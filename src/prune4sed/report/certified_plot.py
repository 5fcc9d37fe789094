"""How many of a dataset's pairs are certified, by set and by size of the query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.figures import CERTIFIED, INK, add_title, figure_style, in_words, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from prune4sed.datasets.dataset import PairSet

__all__ = ["certified_figure", "certified_table", "size_bands"]

GUIDE = "#C4C4C4"


def certified_figure(name: str, sets: Mapping[str, PairSet]) -> Figure:
    """Certified share of every set, and by the size of the query."""
    bands = size_bands(sets)
    table = certified_table(sets, bands)
    with figure_style():
        figure = new_figure(3.6 + 0.62 * len(bands), 0.3 * len(sets) + 1.5)
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[2.4, 0.62 * len(bands)])
        _shares(left, sets)
        _heat(right, table, bands)
        left.set_yticks(range(len(sets)), [in_words(key) for key in sets])
        left.set_ylim(len(sets) - 0.5, -0.5)
        add_title(figure, f"{name}: certified pairs")
    return figure


def size_bands(sets: Mapping[str, PairSet]) -> list[tuple[int, int]]:
    """Bands of query sizes, such as 5 to 9, that all queries fall into."""
    sizes = np.concatenate([one.queries.num_nodes[one.pairs.query] for one in sets.values()])
    low, high = int(sizes.min()), int(sizes.max())
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**6) if (high - low) / step <= 9)
    starts = range(low - low % step, high + 1, step)
    return [(max(start, low), min(start + step - 1, high)) for start in starts]


def certified_table(sets: Mapping[str, PairSet], bands: list[tuple[int, int]]) -> NDArray[np.float64]:
    """Certified share in percent by set and band of query sizes; NaN where there are no pairs."""
    table = np.full((len(sets), len(bands)), np.nan)
    for row, one in enumerate(sets.values()):
        sizes = one.queries.num_nodes[one.pairs.query]
        for column, (low, high) in enumerate(bands):
            inside = (sizes >= low) & (sizes <= high)
            if inside.any():
                table[row, column] = 100 * one.pairs.certified[inside].mean()
    return table


def _shares(axes: Axes, sets: Mapping[str, PairSet]) -> None:
    shares = np.array([100 * one.pairs.certified.mean() for one in sets.values()])
    low = min(98.0, np.floor(shares.min() - 0.1 * (100 - shares.min())))
    where = np.arange(len(shares))
    axes.hlines(where, low, 100, color=GUIDE, linewidth=0.8)  # no bars: the axis does not start at 0
    axes.plot(shares, where, "o", color=CERTIFIED, markersize=5, clip_on=False, gid="shares")
    for row, share in enumerate(shares):
        axes.annotate(
            percent(share), (1.0, row), (7, 0), ("axes fraction", "data"), "offset points", va="center"
        )
    axes.set_xlim(max(0.0, low), 100)
    axes.grid(axis="x")
    axes.set_xlabel("certified pairs (%)")
    axes.tick_params(axis="y", length=0)


def _heat(axes: Axes, table: NDArray[np.float64], bands: list[tuple[int, int]]) -> None:
    """Shares as a coloured table; dark is good."""
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("shares", ["#FBE3C8", "#DCE9F5", CERTIFIED])
    low = min(95.0, float(np.nanmin(table)))
    axes.imshow(table, aspect="auto", cmap=colours, vmin=low, vmax=100.0, gid="heat")
    for (row, column), share in np.ndenumerate(table):
        if not np.isnan(share):
            ink = "white" if share > low + 0.75 * (100 - low) else INK
            axes.text(column, row, short_percent(share), ha="center", va="center", size=8, color=ink)
    names = [f"{low}" if low == high else f"{low}–{high}" for low, high in bands]
    axes.set_xticks(range(len(bands)), names)
    axes.set_xlabel("by number of query nodes (%)")
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    for row in range(1, len(table)):
        axes.axhline(row - 0.5, color="white", linewidth=1.2)
    for column in range(1, len(bands)):
        axes.axvline(column - 0.5, color="white", linewidth=1.2)


def percent(share: float) -> str:
    """A share that does not round up to all.

    Examples
    --------
    >>> percent(100.0), percent(99.998), percent(97.25)
    ('100 %', '> 99.99 %', '97.25 %')
    """
    if share == 100:
        return "100 %"
    return f"{share:.2f} %" if share < 99.995 else "> 99.99 %"


def short_percent(share: float) -> str:
    """A share in four letters; only 100 reads 100.

    Examples
    --------
    >>> short_percent(100.0), short_percent(99.96), short_percent(66.66), short_percent(0.0)
    ('100', '99.9', '66.7', '0')
    """
    return f"{share:.0f}" if share in (0, 100) else f"{min(share, 99.9):.1f}"
