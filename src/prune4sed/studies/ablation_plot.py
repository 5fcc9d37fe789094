"""How much the error grows without a part: bars per dataset, a panel per variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prune4sed.report.figures import CERTIFIED, FAINT, INK, add_title, figure_style, new_figure
from prune4sed.studies.ablation_page import FULL, VARIANTS, change
from prune4sed.studies.paper import datasets_in, paper_value, title_of
from prune4sed.studies.record import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ablation_figure"]


def ablation_figure(record: Record) -> Figure | None:
    """Ours as bars, the paper's as hollow dots; None if there is nothing to draw."""
    names = datasets_in(record)
    shown = [x for x in VARIANTS if x != FULL and any(change(record, x, name) is not None for name in names)]
    if not shown:
        return None
    from matplotlib.ticker import MaxNLocator

    with figure_style():
        figure = new_figure(1.2 + 2.0 * len(shown), 1.2 + 0.26 * len(names))
        panels = figure.subplots(1, len(shown), sharex=True, sharey=True, squeeze=False)[0]
        for axes, variant in zip(panels, shown, strict=True):
            _panel(axes, record, variant, names)
        panels[0].set_yticks(range(len(names)), [title_of(name) for name in names])
        panels[0].set_ylim(len(names) - 0.4, -0.6)
        # Numbers at the very ends would meet those of the next panel.
        panels[0].xaxis.set_major_locator(MaxNLocator(5, prune="both"))
        add_title(figure, "Change of RMSE in percent of the full model's; hollow: the paper's")
    return figure


def _panel(axes: Axes, record: Record, variant: str, names: list[str]) -> None:
    for at, name in enumerate(names):
        ours = change(record, variant, name)
        if ours is not None:
            axes.barh([at], [100 * ours], height=0.55, color=CERTIFIED, gid="change")
        theirs, full = (paper_value("rmse", VARIANTS[x].paper, name) for x in (variant, FULL))
        if theirs is not None and full is not None:
            axes.plot([100 * (theirs / full - 1)], [at], "o", mfc="none", mec=FAINT, gid="paper")
    axes.axvline(0, color=FAINT, linewidth=0.8)
    axes.set_title(VARIANTS[variant].title.removeprefix("Prune4SED, "), color=INK)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.margins(x=0.1)
