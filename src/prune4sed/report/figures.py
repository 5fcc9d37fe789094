"""What all figures share: one quiet style whatever the user's settings are, and files written whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from prune4sed.atomic import replacing
from prune4sed.errors import OptionError, require

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure

__all__ = ["add_title", "figure_style", "in_words", "new_figure", "save_figure"]

INK, FAINT = "#333333", "#8A8A8A"
CERTIFIED, OPEN = "#2A6FBB", "#E67700"
DPI = 160

STYLE = {
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.titlepad": 5,
    "axes.labelsize": 9,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.7,
    "hatch.linewidth": 0.9,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "text.color": INK,
    "xtick.color": FAINT,
    "ytick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "svg.hashsalt": "prune4sed",  # else the names inside an SVG differ from run to run
    "svg.fonttype": "none",
}


@contextmanager
def figure_style() -> Iterator[None]:
    """The style of our figures, for the length of a block; figures are made and saved in it."""
    style = require("matplotlib.style", "plot", "to draw figures")
    with style.context(["default", STYLE]):
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches, which belongs to no window and needs no closing."""
    figure: Figure = require("matplotlib.figure", "plot", "to draw figures").Figure(figsize=(width, height))
    return figure


def save_figure(figure: Figure, path: str | PathLike[str]) -> Path:
    """Write a figure, whole or not at all; the same figure gives the same bytes.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        Any figure.
    path : path
        Ends in ``.png``, ``.svg`` or ``.pdf``.

    Returns
    -------
    Path
        Where it was written.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    # The date is left out: a file should change only when the picture does.
    dateless = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
    if kind not in dateless:
        raise OptionError(f"cannot draw {path.name}: the name of a figure ends in .png, .svg or .pdf")
    with figure_style(), replacing(path) as temporary:
        figure.savefig(temporary, format=kind, dpi=DPI, metadata=dateless[kind])
    return path


def add_title(figure: Figure, title: str) -> None:
    """Put a title at the top left, and fit all plots below it."""
    height = figure.get_size_inches()[1]
    figure.text(0.012, 1 - 0.1 / height, title, size=11, weight="bold", va="top", gid="title")
    figure.tight_layout(rect=(0, 0, 1, 1 - 0.35 / height), pad=0.6)


def in_words(name: str) -> str:
    """The name of a set as it reads in a figure."""
    return name.replace("_", " ")
