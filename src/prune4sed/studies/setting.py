"""How a study is run: where to, on what, with which models."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from prune4sed.datasets.catalogue import names
from prune4sed.datasets.dataset import Dataset
from prune4sed.datasets.loading import find, load
from prune4sed.errors import OptionError, Prune4SEDError, did_you_mean, require
from prune4sed.studies.methods import GROUPS
from prune4sed.studies.shelf import Shelf

__all__ = ["Opened", "Setting"]


class Opened(NamedTuple):
    """A dataset, or the reason why it cannot be had.

    Attributes
    ----------
    name : str
        What it is called.
    data : Dataset or None
        None if it is not there.
    why : str
        The reason.
    """

    name: str
    data: Dataset | None
    why: str = ""


@dataclass(frozen=True)
class Setting:
    """What all studies are told.

    Attributes
    ----------
    out : Path
        Folder of the JSON file and the pictures.
    pages : Path
        Folder of the page.
    quick : bool
        Whether small samples will do.
    runs : Path, optional
        A folder with checkpoints beyond those that ship, however deep.
    datasets : tuple of str
        Names or folders of datasets; those of the study if empty.
    methods : tuple of str
        Which methods to compute; all if empty.
    device : str
        Where neural models run.
    seed : int
        Of samples and bootstrap.
    merge : Path, optional
        The JSON file of the same study from elsewhere, whose figures are taken over first.
    command : str
        What was typed, for the record.
    """

    out: Path
    pages: Path
    quick: bool = False
    runs: Path | None = None
    datasets: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    device: str = "auto"
    seed: int = 0
    merge: Path | None = None
    command: str = ""
    _open: dict[str, Dataset] = field(default_factory=dict, repr=False, compare=False)

    def opened(self, usual: tuple[str, ...] = ()) -> Iterator[Opened]:
        """The datasets asked for, or the usual ones of a study, or all seven, one after the other.

        Raises
        ------
        OptionError
            If one that was asked for is neither a name nor a folder.
        """
        for name in self.datasets:
            find(name)
        for name in self.datasets or usual or names():
            try:
                data = self.dataset(name)
            except Prune4SEDError as problem:
                yield Opened(name, None, str(problem))
            else:
                yield Opened(data.name, data)

    def chosen_methods(self, known: tuple[str, ...]) -> tuple[str, ...]:
        """The methods asked for, one by one or as ``models`` or ``solvers``, in the order of the study.

        Raises
        ------
        OptionError
            If one is not known.
        """
        wanted: list[str] = []
        for name in self.methods:
            if name not in known and name not in GROUPS:
                there = [*known, *GROUPS]
                near = did_you_mean(name, there)
                raise OptionError(f"there is no method {name!r} here{near}; there are {', '.join(there)}")
            wanted += GROUPS.get(name, (name,))
        return tuple(name for name in known if not self.methods or name in wanted)

    def dataset(self, name: str) -> Dataset:
        """A dataset; the one asked for last stays open, for cells of one dataset follow each other."""
        if name not in self._open:
            self._open.clear()
            self._open[name] = load(name)
        return self._open[name]

    @cached_property
    def shelf(self) -> Shelf:
        """All checkpoints there are."""
        return Shelf(self.runs)

    def check(self) -> None:
        """Refuse at once what would fail after hours.

        Raises
        ------
        OptionError
            If there is no such folder of runs, or no such device.
        """
        self.shelf  # noqa: B018
        if self.device != "auto":
            require("torch", "nn", "for models")
            from prune4sed.models.base import pick_device

            pick_device(self.device)

    def config(self) -> dict[str, Any]:
        """What goes on record."""
        return {"quick": self.quick, "seed": self.seed, "device": self.device}
