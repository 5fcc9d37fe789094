"""RMSE against k and against h, on a logarithmic scale, a line per dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prune4sed.report.figures import add_title, figure_style, new_figure
from prune4sed.studies.legend import shared_legend
from prune4sed.studies.paper import datasets_in, title_of
from prune4sed.studies.record import Record
from prune4sed.studies.sensitivity_page import AT_PREDICTION, GRID, TRAINED, is_known, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["sensitivity_figure"]

_COLOURS = ("#2A6FBB", "#E67700", "#239064", "#B0413E", "#8B5FBF", "#8C6D31", "#5F9EA0", "#8A8A8A")
_TICKS = (0.3, 0.4, 0.5, 0.6, 0.8, 1, 2, 4, 8)  # plain numbers on a logarithmic axis


def sensitivity_figure(record: Record) -> Figure | None:
    """A row of panels for models changed at prediction, and one for models trained with the value.

    One of them alone where there is nothing of the other, and None where there is nothing at all.
    """
    names = datasets_in(record)
    rows = [how for how in (AT_PREDICTION, TRAINED) if is_known(record, how)]
    if not rows:
        return None
    with figure_style():
        figure = new_figure(8.4, 2.8 * len(rows))
        panels = figure.subplots(len(rows), len(GRID), sharey="row", sharex="col", squeeze=False)
        for row, how in zip(panels, rows, strict=True):
            row[0].set_ylabel(f"RMSE, {how}")
            for axes, option in zip(row, GRID, strict=True):
                _panel(axes, record, names, option, how)
            _plain_ticks(row[0])  # shared by the row
        for axes, option in zip(panels[-1], GRID, strict=True):
            axes.set_xticks(GRID[option])
            axes.set_xlabel(option)
        shared_legend(panels[0])
        add_title(figure, "RMSE against k and h")
    return figure


def _panel(axes: Axes, record: Record, names: list[str], option: str, how: str) -> None:
    for at, name in enumerate(names):
        values = series(record, name, option, how)
        there = [pair for pair in zip(GRID[option], values, strict=True) if pair[1] is not None]
        if there:
            x, y = zip(*there, strict=True)
            axes.plot(
                x, y, "o-", color=_COLOURS[at % len(_COLOURS)], label=title_of(name), markersize=4, gid=how
            )
    axes.set_yscale("log")
    axes.grid(axis="y")


def _plain_ticks(axes: Axes) -> None:
    """Numbers as one writes them, and none beyond the data."""
    shown = axes.get_ylim()
    axes.set_yticks(_TICKS, [str(tick) for tick in _TICKS])
    axes.set_ylim(shown)
    axes.minorticks_off()
