"""The accuracy study in one picture: a row per method, a panel per dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from prune4sed.report.figures import CERTIFIED, FAINT, INK, add_title, figure_style, new_figure
from prune4sed.studies.methods import METHODS
from prune4sed.studies.paper import datasets_in, paper_value, title_of
from prune4sed.studies.record import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["accuracy_figure"]

# The right edge; the worst figure of the paper is 5.6.
_MOST = 8.0


def accuracy_figure(record: Record) -> Figure | None:
    """Our RMSE with its interval as a dot, the paper's as a bar; None if there is nothing to draw."""
    names = [name for name in datasets_in(record) if _known(record, name)]
    rows = [x for x in METHODS if any(record.figures(method=x, dataset=name, set="test") for name in names)]
    if not names:
        return None
    with figure_style():
        figure = new_figure(max(4.6, 2.4 + 1.3 * len(names)), 0.9 + 0.24 * len(rows))
        panels = figure.subplots(1, len(names), sharex=True, sharey=True, squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            _panel(axes, record, name, rows)
        panels[0].set_yticks(range(len(rows)), [METHODS[x].title for x in rows])
        panels[0].set_ylim(len(rows) - 0.4, -0.6)
        add_title(figure, "RMSE, 95 % intervals; hollow: the paper's")
    return figure


def _panel(axes: Axes, record: Record, name: str, rows: list[str]) -> None:
    for at, method in enumerate(rows):
        paper = paper_value("rmse", METHODS[method].paper, name)
        if paper is not None:
            axes.plot([paper], [at], "o", mfc="none", mec=FAINT, markersize=5, gid="paper")
        found = record.figures(method=method, dataset=name, set="test")
        if found is not None:
            _dot(axes, at, found)
    axes.set_title(title_of(name), color=INK)
    # Even up to 1, where the models are, and pressed together above, where the solvers of old are.
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_xlim(0, _MOST)
    axes.set_xticks([0, 0.5, 1, 2, 5], ["0", "", "1", "2", "5"])
    axes.set_xticks([], minor=True)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)


def _dot(axes: Axes, at: int, found: dict[str, Any]) -> None:
    """A dot with its interval, or an arrow at the edge for what lies beyond it."""
    if found["rmse"] > _MOST:
        axes.plot([0.97 * _MOST], [at], ">", color=CERTIFIED, markersize=4, clip_on=False, gid="beyond")
        return
    axes.hlines(at, found["rmse_low"], min(found["rmse_high"], _MOST), color=CERTIFIED, linewidth=1.4)
    axes.plot([found["rmse"]], [at], "o", color=CERTIFIED, markersize=3.5, clip_on=False, gid="rmse")


def _known(record: Record, name: str) -> bool:
    return any("figures" in entry for entry in record.entries(dataset=name, set="test"))
