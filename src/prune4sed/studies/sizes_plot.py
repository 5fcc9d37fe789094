"""RMSE against the mean size of targets, a panel per dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prune4sed.report.figures import INK, add_title, figure_style, new_figure
from prune4sed.studies.colours import colour_of
from prune4sed.studies.legend import shared_legend
from prune4sed.studies.methods import METHODS
from prune4sed.studies.paper import datasets_in, title_of
from prune4sed.studies.record import Record
from prune4sed.studies.sizes_page import METHODS_HERE, SIZES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["sizes_figure"]


def sizes_figure(record: Record) -> Figure | None:
    """A line per method; None if there is nothing to draw."""
    names = [name for name in datasets_in(record) if any(_points(record, x, name) for x in METHODS_HERE)]
    if not names:
        return None
    with figure_style():
        figure = new_figure(1.9 + 2.9 * len(names), 3.2)
        panels = figure.subplots(1, len(names), sharey=True, squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            _panel(axes, record, name)
        panels[0].set_ylabel("RMSE")
        panels[0].set_ylim(bottom=0)
        shared_legend(panels)
        add_title(figure, "RMSE against the size of targets")
    return figure


def _panel(axes: Axes, record: Record, name: str) -> None:
    for method in METHODS_HERE:
        points = _points(record, method, name)
        if not points:
            continue
        at, low, value, high = zip(*points, strict=True)
        colour = colour_of(method)
        axes.plot(at, value, "o-", color=colour, markersize=4, label=METHODS[method].title, gid=method)
        axes.fill_between(at, low, high, color=colour, alpha=0.12, linewidth=0)
    axes.set_title(title_of(name), color=INK)
    axes.set_xlabel("mean number of target nodes")
    axes.set_xlim(left=0)
    axes.grid(axis="y")


def _points(record: Record, method: str, name: str) -> list[tuple[float, float, float, float]]:
    found = [record.figures(method=method, dataset=name, set=size) for size in SIZES]
    return [(x["target_nodes"], x["rmse_low"], x["rmse"], x["rmse_high"]) for x in found if x is not None]
