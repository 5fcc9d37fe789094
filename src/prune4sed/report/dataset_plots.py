"""Look at a dataset: distances, sizes, certified shares, and some pairs with their matches."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from prune4sed.errors import FormatError, OptionError, require
from prune4sed.report.certified_plot import certified_figure
from prune4sed.report.figures import save_figure
from prune4sed.report.match_page import choose_pairs, match_page
from prune4sed.report.sed_histogram import sed_histogram
from prune4sed.report.sizes_plot import sizes_figure

if TYPE_CHECKING:
    from os import PathLike

    from prune4sed.datasets.dataset import Dataset

__all__ = ["dataset_plots"]

DRAWN = 6  # pairs
SHOWN_FIRST = ("test", "validation", "train")  # the first of these sets that there is gives the drawn pairs


def dataset_plots(dataset: Dataset, folder: str | PathLike[str]) -> list[Path]:
    """Write pictures of a dataset as PNG files.

    Parameters
    ----------
    dataset : Dataset
        What `prune4sed.datasets.load` returned.
    folder : path
        Made if it is not there; pictures of the same names are replaced.

    Returns
    -------
    list of Path
        ``sed_histogram.png``, ``sizes.png``, ``certified.png``, and ``matches.png`` unless all targets are
        too large to draw.

    Raises
    ------
    MissingExtraError
        If matplotlib is not installed.
    """
    require("matplotlib", "plot", "to draw figures")
    sets = {name: one for name, one in dataset.sets.items() if len(one.pairs)}
    if not sets:
        raise OptionError(f"{dataset.name} has no pairs to draw")
    folder = Path(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot make the folder {folder}: {error.strerror}") from None
    drawn = next((name for name in SHOWN_FIRST if name in sets), next(iter(sets)))
    title = f"{dataset.name}: pairs of the set {drawn}, query on the left, target on the right"
    figures = {
        "sed_histogram.png": sed_histogram(dataset.name, sets),
        "sizes.png": sizes_figure(dataset.name, sets),
        "certified.png": certified_figure(dataset.name, sets),
    }
    if rows := choose_pairs(sets[drawn], DRAWN):
        figures["matches.png"] = match_page(title, sets[drawn], rows)
    return [save_figure(figure, folder / name) for name, figure in figures.items()]
