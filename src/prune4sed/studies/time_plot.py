"""Time per pair of all methods, on a logarithmic scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prune4sed.report.figures import CERTIFIED, INK, OPEN, add_title, figure_style, new_figure
from prune4sed.studies.legend import shared_legend
from prune4sed.studies.paper import datasets_in, title_of
from prune4sed.studies.record import Record
from prune4sed.studies.time_page import DEVICES, TIMED, method_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["time_figure"]

_COLOURS = {"cpu": CERTIFIED, "cuda": OPEN}
_TICKS = {1: "1 µs", 10: "10 µs", 100: "0.1 ms", 1e3: "1 ms", 1e4: "10 ms", 1e5: "0.1 s", 1e6: "1 s"}


def time_figure(record: Record) -> Figure | None:
    """Full dots among many pairs, hollow ones alone; None if there is nothing to draw."""
    names = datasets_in(record)
    rows = [x for x in TIMED if any("figures" in entry for entry in record.entries(method=x))]
    if not rows:
        return None
    with figure_style():
        figure = new_figure(2.6 + 2.9 * len(names), 1.3 + 0.24 * len(rows))
        panels = figure.subplots(1, len(names), sharex=True, sharey=True, squeeze=False)[0]
        for axes, name in zip(panels, names, strict=True):
            _panel(axes, record, name, rows)
        panels[0].set_yticks(range(len(rows)), [method_title(x) for x in rows])
        panels[0].set_ylim(len(rows) - 0.4, -0.6)
        shared_legend(panels)
        add_title(figure, "Time per pair")
    return figure


def _panel(axes: Axes, record: Record, name: str, rows: list[str]) -> None:
    for device, word in zip(DEVICES, ("CPU", "GPU"), strict=True):
        found = {x: record.figures(method=x, dataset=name, device=device) for x in rows}
        there = [(at, found[x] or {}) for at, x in enumerate(rows) if found[x] is not None]
        colour, at = _COLOURS[device], [place for place, _ in there]
        for what, how, fill in (("batch_us", "of many", colour), ("single_us", "alone", "none")):
            if there:
                values, label = [figures[what] for _, figures in there], f"{word}, {how}"
                axes.plot(values, at, "o", mec=colour, mfc=fill, markersize=5, label=label, gid=what)
    axes.set_title(title_of(name), color=INK)
    axes.set_xscale("log")
    axes.set_xticks(list(_TICKS), list(_TICKS.values()), rotation=45)
    axes.set_xticks([], minor=True)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
