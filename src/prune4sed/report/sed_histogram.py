"""Histograms of the distances of a dataset's pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prune4sed.report.figures import CERTIFIED, OPEN, add_title, figure_style, in_words, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from prune4sed.datasets.dataset import PairSet

__all__ = ["sed_counts", "sed_histogram"]

ACROSS = 4  # panels in a row at most
BOX = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
TAIL = 0.99  # the last bar of a histogram holds what lies beyond


class Counts(NamedTuple):
    """Pairs per distance: those proven, and those known only to be at most that far."""

    certified: NDArray[np.int64]
    open: NDArray[np.int64]


def sed_counts(one: PairSet, last: int) -> Counts:
    """Number of pairs at distances 0, 1, ..., `last`; the last number counts all beyond as well."""
    distance = np.minimum(np.floor(one.pairs.upper), last).astype(np.int64)
    proven = one.pairs.certified
    return Counts(
        np.bincount(distance[proven], minlength=last + 1), np.bincount(distance[~proven], minlength=last + 1)
    )


def sed_histogram(name: str, sets: Mapping[str, PairSet]) -> Figure:
    """Shares of the pairs at each distance, a panel for every set."""
    last = max(1, *(int(np.ceil(np.quantile(one.pairs.upper, TAIL))) for one in sets.values()))
    beyond = any(one.pairs.upper.max() > last for one in sets.values())
    rows = -(-len(sets) // ACROSS)
    across = -(-len(sets) // rows)
    with figure_style():
        figure = new_figure(max(5.0, 2.7 * across), 1.75 * rows + 0.85)
        panels = figure.subplots(rows, across, sharex=True, sharey=True, squeeze=False).ravel()
        for axes, (title, one) in zip(panels, sets.items(), strict=False):
            _bars(axes, sed_counts(one, last), in_words(title), float(one.pairs.upper.mean()))
        for axes in panels[len(sets) :]:
            axes.set_visible(False)
        for axes in panels[max(0, len(sets) - across) : len(sets)]:  # the lowest of every column
            axes.set_xlabel("SED")
            axes.tick_params(labelbottom=True)
        _ticks(panels[0], last, beyond)
        add_title(figure, f"{name}: subgraph edit distances")
        _legend(figure, any((~one.pairs.certified).any() for one in sets.values()))
    return figure


def _bars(axes: Axes, counts: Counts, title: str, mean: float) -> None:
    total = counts.certified.sum() + counts.open.sum()
    where, low = np.arange(len(counts.certified)), 100 * counts.certified / total
    axes.bar(where, low, width=0.86, color=CERTIFIED, gid="certified")
    axes.bar(where, 100 * counts.open / total, 0.86, low, color=OPEN, gid="open")
    axes.grid(axis="y")
    axes.set_title(title, weight="bold")
    note = f"{total:,} pairs\nmean {mean:.1f}"
    axes.text(0.97, 0.95, note, transform=axes.transAxes, ha="right", va="top", size=8, bbox=BOX)
    axes.yaxis.set_major_formatter("{x:g} %")


def _ticks(axes: Axes, last: int, beyond: bool) -> None:
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**6) if last / step <= 8)
    places = list(range(0, last + 1, step))
    if beyond:
        places = [place for place in places if place <= last - 0.6 * step] + [last]
    axes.set_xticks(places, [f"{place}+" if beyond and place == last else str(place) for place in places])
    axes.set_xlim(-0.7, last + 0.7)


def _legend(figure: Figure, some_open: bool) -> None:
    from matplotlib.patches import Patch

    handles = [Patch(color=CERTIFIED, label="certified")]
    if some_open:
        handles.append(Patch(color=OPEN, label="not certified (upper bound)"))
    figure.legend(handles=handles, loc="upper right", ncols=2, borderaxespad=0.6)
