"""RMSE against k and against h, a line per dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prune4sed.report.figures import add_title, figure_style, new_figure
from prune4sed.studies.legend import shared_legend
from prune4sed.studies.paper import datasets_in, title_of
from prune4sed.studies.record import Record
from prune4sed.studies.sensitivity_page import AT_PREDICTION, GRID, TRAINED, series

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["sensitivity_figure"]

_COLOURS = ("#2A6FBB", "#E67700", "#239064", "#B0413E", "#8B5FBF", "#8C6D31", "#5F9EA0", "#8A8A8A")


def sensitivity_figure(record: Record) -> Figure | None:
    """Full lines for models trained with the value, dashed ones for a change at prediction."""
    names = datasets_in(record)
    if not any("figures" in entry for entry in record.entries()):
        return None
    with figure_style():
        figure = new_figure(8.4, 3.4)
        panels = figure.subplots(1, len(GRID), sharey=True)
        for axes, option in zip(panels, GRID, strict=True):
            _panel(axes, record, names, option)
        panels[0].set_ylabel("RMSE")
        panels[0].set_ylim(bottom=0)
        shared_legend(panels)
        add_title(figure, "RMSE against k and h; dashed: changed at prediction only")
    return figure


def _panel(axes: Axes, record: Record, names: list[str], option: str) -> None:
    for at, name in enumerate(names):
        for how, line in ((TRAINED, "o-"), (AT_PREDICTION, ".--")):
            values = series(record, name, option, how)
            there = [pair for pair in zip(GRID[option], values, strict=True) if pair[1] is not None]
            if not there:
                continue
            colour = _COLOURS[at % len(_COLOURS)]
            label = title_of(name)
            known = label in axes.get_legend_handles_labels()[1]
            x, y = zip(*there, strict=True)
            axes.plot(x, y, line, color=colour, label="" if known else label, markersize=4, gid=how)
    axes.set_xticks(GRID[option])
    axes.set_xlabel(option)
    axes.grid(axis="y")
