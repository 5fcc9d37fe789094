"""The course of a training run: loss, validation error and learning rate over the steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune4sed.errors import OptionError
from prune4sed.report.figures import FAINT, INK, add_title, figure_style, new_figure, save_figure
from prune4sed.training.log import read_log

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["training_curves", "training_figure"]

LOSS, ERROR, RATE = "#2A6FBB", "#E67700", "#239064"


def training_curves(log: str | PathLike[str], path: str | PathLike[str], title: str = "training") -> Path:
    """Draw the log of a run.

    Parameters
    ----------
    log : path
        The ``log.jsonl`` of a run.
    path : path
        Ends in ``.png``, ``.svg`` or ``.pdf``.
    title : str
        Stands above it.

    Returns
    -------
    Path
        Where the picture was written.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    return save_figure(training_figure(read_log(log), title), path)


def training_figure(entries: Sequence[Mapping[str, Any]], title: str = "training") -> Figure:
    """The same as a figure, from the lines of a log."""
    steps = [line for line in entries if "loss" in line]
    rounds = [line for line in entries if "rmse" in line]
    if not steps:
        raise OptionError("the log of the run has no losses to draw")
    with figure_style():
        figure = new_figure(7.2, 5.6)
        panels = figure.subplots(3, 1, sharex=True, height_ratios=(3, 3, 1.4))
        _loss(panels[0], steps)
        _error(panels[1], rounds)
        _rate(panels[2], steps)
        panels[2].set_xlabel("steps")
        panels[2].set_xlim(0, steps[-1]["step"])
        add_title(figure, title)
    return figure


def _loss(axes: Axes, steps: Sequence[Mapping[str, Any]]) -> None:
    """As noisy as it is, and a moving mean where there are points enough for one."""
    at, values = [line["step"] for line in steps], [line["loss"] for line in steps]
    axes.set_ylabel("loss")
    _log_scale(axes, values)
    # Random weights may be wrong by thousands: the first losses must not press all others flat.
    later = max(values[1 + len(values) // 20 :], default=values[0])
    axes.set_ylim(top=min(max(values), 3 * later) * 1.1)
    axes.grid(axis="y")
    width = len(values) // 25
    if width < 2:
        axes.plot(at, values, color=LOSS, linewidth=1.2, gid="loss")
        return
    axes.plot(at, values, color=LOSS, linewidth=0.6, alpha=0.35, gid="loss")
    means = [sum(values[i - width : i]) / width for i in range(width, len(values) + 1)]
    axes.plot(at[width - 1 :], means, color=LOSS, linewidth=1.4, gid="mean loss")


def _error(axes: Axes, rounds: Sequence[Mapping[str, Any]]) -> None:
    """One point per validation; the best one in words."""
    axes.set_ylabel("validation RMSE")
    axes.grid(axis="y")
    if not rounds:
        axes.text(0.5, 0.5, "not validated yet", transform=axes.transAxes, ha="center", color=FAINT)
        return
    at, values = [line["step"] for line in rounds], [line["rmse"] for line in rounds]
    _log_scale(axes, values)
    axes.plot(at, values, "o-", color=ERROR, linewidth=1.2, markersize=3.5, clip_on=False, gid="rmse")
    best = min(rounds, key=lambda line: float(line["rmse"]))
    axes.plot(
        [best["step"]], [best["rmse"]], "o", color=INK, markersize=5.5, zorder=3, clip_on=False, gid="best"
    )
    late = best["step"] > 0.6 * at[-1]
    axes.annotate(
        f"best {best['rmse']:.3f}, step {best['step']:,}",
        (best["step"], best["rmse"]),
        (-6 if late else 6, 9),
        textcoords="offset points",
        ha="right" if late else "left",
        size=9,
        gid="best",
    )


def _rate(axes: Axes, steps: Sequence[Mapping[str, Any]]) -> None:
    axes.plot([line["step"] for line in steps], [line["rate"] for line in steps], color=RATE, gid="rate")
    axes.set_ylabel("learning rate")
    axes.set_ylim(bottom=0)
    axes.grid(axis="y")


def _log_scale(axes: Axes, values: Sequence[float]) -> None:
    """For values that span more than one order of magnitude; 0 has no place on it."""
    if min(values) > 0 and max(values) > 10 * min(values):
        axes.set_yscale("log")
