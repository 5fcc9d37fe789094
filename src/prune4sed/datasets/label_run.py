"""Labels for all sets of a dataset: those that ship with the package where they fit, else computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from prune4sed.datasets.dataset import PairSet
from prune4sed.datasets.home import home
from prune4sed.datasets.labelling import Labels, label_set
from prune4sed.datasets.limits import node_limit as standard_limit
from prune4sed.datasets.sampling import SampledSet, fingerprint
from prune4sed.datasets.shipped import shipped_header, shipped_labels
from prune4sed.datasets.table import PairTable
from prune4sed.errors import FormatError

__all__ = ["LabelRun", "Labelled", "Progress"]

SetProgress = Callable[[int, int], object]
#: Called as ``progress(set, done, total)`` while pairs are labelled.
Progress = Callable[[str, int, int], object]


class Labelled(NamedTuple):
    """Sets with their labels, the search nodes per pair these were made with, and which were computed."""

    sets: dict[str, PairSet]
    limits: dict[str, int]
    computed: list[str]


@dataclass(frozen=True)
class LabelRun:
    """The labelling of one dataset, whose journals outlive the process until the dataset is on disk.

    Attributes
    ----------
    dataset : str
        Its name; one outside the table `limits` is a dataset of one's own.
    sets : mapping of str to SampledSet
        What to label.
    node_limit : int, optional
        Search nodes per pair, instead of what the table says.
    threads, resume
        As for `labelling.label_set`.
    """

    dataset: str
    sets: Mapping[str, SampledSet]
    node_limit: int | None = None
    threads: int | None = None
    resume: bool = False

    def limits(self) -> dict[str, int]:
        """Search nodes per pair, by set."""
        chosen = self.node_limit
        return {name: standard_limit(self.dataset, name) if chosen is None else chosen for name in self.sets}

    def run(self, use_shipped: bool, progress: Progress | None = None) -> Labelled:
        """Label all sets.

        Parameters
        ----------
        use_shipped : bool
            Whether labels that ship with the package will do, where they fit.
        progress : callable, optional
            Told of every set that takes work.

        Returns
        -------
        Labelled
        """
        ready, limits = self._shipped() if use_shipped else ({}, {})
        labels = {
            name: ready[name] if name in ready else self.compute(name, _named(name, progress))
            for name in self.sets
        }
        return Labelled(
            {name: _joined(self.sets[name], labels[name]) for name in labels},
            {**self.limits(), **limits},
            [name for name in labels if name not in ready],
        )

    def _shipped(self) -> tuple[dict[str, Labels], dict[str, int]]:
        """Labels that fit, and their limits; those made with another limit than the one asked for do not."""
        header = shipped_header(self.dataset)
        if header is None:
            return {}, {}
        limits = {name: int(known["node_limit"]) for name, known in header["sets"].items()}
        wanted = {
            name: one
            for name, one in self.sets.items()
            if name in limits and self.node_limit in (None, limits[name])
        }
        ready = shipped_labels(self.dataset, wanted)
        return ready, {name: limits[name] for name in ready}

    def compute(self, name: str, progress: SetProgress | None = None) -> Labels:
        """Label one set, with its journal."""
        journal = self._journal(name)
        try:
            journal.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(f"cannot make the folder {journal.parent}: {error.strerror}") from None
        return label_set(
            self.sets[name],
            self.limits()[name],
            journal=journal,
            resume=self.resume,
            threads=self.threads,
            progress=progress,
        )

    def _journal(self, name: str) -> Path:
        """By content: a journal can never be taken for that of other pairs or limits."""
        return home() / "journals" / f"{fingerprint(self.sets[name])[:24]}-{self.limits()[name]}.journal"

    def forget(self, names: Iterable[str]) -> None:
        """Remove the journals of these sets, once nothing is lost with them."""
        for name in names:
            with suppress(OSError):
                self._journal(name).unlink(missing_ok=True)


def _named(name: str, progress: Progress | None) -> SetProgress | None:
    return None if progress is None else lambda done, total: progress(name, done, total)


def _joined(one: SampledSet, labels: Labels) -> PairSet:
    lower, upper = labels.lower.astype(np.float64), labels.upper.astype(np.float64)
    return PairSet(one.queries, one.targets, PairTable(one.index, lower, upper, labels.mapping))
