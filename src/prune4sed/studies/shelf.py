"""Trained models, found by what their headers say and not by what somebody called the file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from prune4sed.errors import FormatError, OptionError
from prune4sed.models.bundled import bundled
from prune4sed.models.header import Header, read_header
from prune4sed.studies.paper import PAPER_PRUNING

__all__ = ["Checkpoint", "Shelf", "drawn_pairs"]

# The options that tell variants of a model apart, with what the paper has.
_TELLING: dict[str, dict[str, Any]] = {
    "prune4sed": {"use_qal": True, "heads": 5, "hard": True, "soft": True, **PAPER_PRUNING},
    "neurosed": {"head": "norm"},
    "h2mn": {"hyperedges": "hop"},
}


@dataclass(frozen=True)
class Checkpoint:
    """A model on disk.

    Attributes
    ----------
    name : str
        The bundled name, or the path within the folder of runs.
    path : Path
        The file.
    header : Header
        What it says about itself.
    ships : bool
        Whether it comes with the package.
    """

    name: str
    path: Path
    header: Header
    ships: bool

    @property
    def dataset(self) -> str:
        """The dataset it was trained on."""
        told = self.header.info.get("dataset")
        return str((told.get("name") if isinstance(told, dict) else told) or "")

    @property
    def seed(self) -> int:
        """Of its training."""
        recipe = self.header.info.get("recipe")
        seed = recipe.get("seed", 0) if isinstance(recipe, dict) else 0
        return seed if isinstance(seed, int) else 0

    @property
    def validation(self) -> float:
        """RMSE on the validation set; infinite if it is not told."""
        metrics = self.header.info.get("metrics")
        found = metrics.get("validation") if isinstance(metrics, dict) else None
        value = found.get("rmse") if isinstance(found, dict) else None
        return float(value) if isinstance(value, (int, float)) else math.inf

    @property
    def training(self) -> dict[str, Any]:
        """What its header tells of the training: seed, pairs and their fingerprint, steps, seconds.

        Also what it prunes by where that is not as in the paper.
        """
        data, ran = (self.header.info.get(name) for name in ("dataset", "training"))
        data, ran = (x if isinstance(x, dict) else {} for x in (data, ran))
        prints = data.get("fingerprints")
        told = {
            "seed": self.seed,
            "pairs": data.get("train_pairs"),
            "variants": data.get("variants"),
            "fingerprint": prints.get("train") if isinstance(prints, dict) else None,
            "steps": ran.get("done"),
            "seconds": ran.get("seconds"),
            "drawn": drawn_pairs(self.header.info),
            **self._tuned(),
        }
        return {name: value for name, value in told.items() if value is not None}

    def _tuned(self) -> dict[str, Any]:
        """What it prunes by in prediction, in place of the paper's."""
        ours = self.header.options
        return {x: ours[x] for x, paper in PAPER_PRUNING.items() if ours.get(x, paper) != paper}

    def is_variant(self, dataset: str, model: str, options: dict[str, Any]) -> bool:
        """Whether it is a model of this kind, trained on this dataset, with these options and no others.

        One that ships is the standard model of its kind also where it was trained with another k or h.
        """
        wanted = {**_TELLING.get(model, {}), **options}
        if self.ships:
            wanted = {x: value for x, value in wanted.items() if x not in PAPER_PRUNING or x in options}
        ours = self.header.trained_options
        return (
            self.header.model == model
            and self.dataset == dataset
            and all(ours.get(name, value) == value for name, value in wanted.items())
        )


def drawn_pairs(info: Any) -> int | None:
    """Pairs that were drawn to train a model, by what its header tells; None if it does not.

    Examples
    --------
    >>> first = {"steps": 10, "batch_size": 8, "start": None}
    >>> drawn_pairs({"training": {"done": 5}, "recipe": {"batch_size": 4}, "start": first})
    100
    """
    try:
        count = info["training"]["done"] * info["recipe"]["batch_size"]
        start = info.get("start")
        while start:
            count += start["steps"] * start["batch_size"]
            start = start["start"]
        return int(count)
    except (KeyError, TypeError, AttributeError):
        return None


class Shelf:
    """All checkpoints at hand.

    Parameters
    ----------
    runs : Path, optional
        A folder with more than what ships.

    Examples
    --------
    >>> Shelf().find("no such dataset", "prune4sed", heads=1) is None
    True
    """

    def __init__(self, runs: Path | None = None) -> None:
        if runs is not None and not runs.is_dir():
            raise OptionError(f"there is no folder of runs {runs}")
        self.runs = runs

    @cached_property
    def all(self) -> list[Checkpoint]:
        """Those that ship first."""
        ours = [Checkpoint(name, path, read_header(path), True) for name, path in bundled().items()]
        return ours + list(self._others())

    def _others(self) -> Iterator[Checkpoint]:
        if self.runs is None:
            return
        for path in sorted(self.runs.rglob("*.safetensors")):
            try:
                header = read_header(path)
            except FormatError:  # the state of a run, or a file that is being written
                continue
            yield Checkpoint(path.relative_to(self.runs).as_posix(), path, header, False)

    def find(self, dataset: str, model: str, *, own: bool = False, **options: Any) -> Checkpoint | None:
        """The checkpoint of a variant: one that ships, or else the one with the best validation error.

        Parameters
        ----------
        dataset : str
            What it was trained on.
        model : str
            Name in the registry.
        own : bool
            Whether what ships does not count, for it was trained for far longer than what it is set beside.
        **options
            What differs from the paper's, such as ``heads=1``.
        """
        return next(iter(self.seeds(dataset, model, own=own, **options)), None)

    def seeds(self, dataset: str, model: str, *, own: bool = False, **options: Any) -> list[Checkpoint]:
        """The best checkpoint of every training seed, the one that `find` gives first; as for `find`."""
        fit = [x for x in self.all if x.is_variant(dataset, model, options) and not (own and x.ships)]
        fit.sort(key=lambda x: (not x.ships, x.validation))
        first: dict[int, Checkpoint] = {}
        for one in fit:
            first.setdefault(one.seed, one)
        return list(first.values())
