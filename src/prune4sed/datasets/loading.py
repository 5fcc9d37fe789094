"""Load a dataset by name, building it on first use, or from its folder."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path

from prune4sed.datasets.building import build, folder_of
from prune4sed.datasets.catalogue import canonical
from prune4sed.datasets.dataset import Dataset
from prune4sed.datasets.dataset_files import is_dataset
from prune4sed.datasets.dataset_read import read
from prune4sed.datasets.label_run import Progress
from prune4sed.errors import OptionError

__all__ = ["find", "load"]


def load(
    name: str | PathLike[str],
    *,
    mirror: str | PathLike[str] | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Dataset:
    """Open a dataset: what ``prune4sed data build`` or `build` wrote, or one of the seven built on first use.

    Parameters
    ----------
    name : str or path
        One of `names()`, ``"molecules"``, the name of a dataset of your own, or the folder of any dataset.
    mirror, threads, progress
        As for `build`, should it have to be built. A build that was cut off goes on where it was.

    Returns
    -------
    Dataset
        ``queries, targets, pairs = dataset.train``, and so on for every set.

    Raises
    ------
    OptionError
        If there is no such dataset.
    """
    folder = find(name)
    if folder is not None:
        return read(folder)
    return build(fspath(name), mirror=mirror, threads=threads, resume=True, progress=progress)


def find(name: str | PathLike[str]) -> Path | None:
    """The folder of a dataset that was built; None for one of the seven that was not yet.

    Raises
    ------
    OptionError
        If the name is neither that of a dataset nor the folder of one.
    """
    text = fspath(name)
    unknown: str | None = None
    try:
        key = canonical(text)
    except OptionError as error:
        key, unknown = text, str(error)
    # A plain name only: one with a slash would leave the folder of datasets.
    if Path(key).name == key and is_dataset(folder_of(key)):
        return folder_of(key)
    if unknown is None:
        return None  # a folder of that name somewhere else is not it: ./aids finds one
    if is_dataset(text):
        return Path(text)
    raise OptionError(f"{unknown}, and any folder that a dataset was built in")
