"""The files of a run: the best model, the log, and what it needs to go on."""

from __future__ import annotations

from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import Any

import torch

from prune4sed.datasets.dataset import Dataset
from prune4sed.datasets.sampled import SampledSet, fingerprint
from prune4sed.errors import FormatError, OptionError
from prune4sed.models.base import SedModel
from prune4sed.models.registry import model_class
from prune4sed.training.metrics import Metrics
from prune4sed.training.recipe import Recipe
from prune4sed.training.state import Standing, State, load_state

__all__ = ["RunFolder", "identity_of", "resumed_recipe", "training_info"]

# What may change from one part of a run to the next, if the learning rate does not hang on it.
_FREE = ("steps", "patience")


class RunFolder:
    """Paths of a run, and what may be done with them.

    Parameters
    ----------
    path : path
        Made if it is not there.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(f"cannot make the folder {self.path}: {error.strerror}") from None

    @property
    def model(self) -> Path:
        """The best weights so far."""
        return self.path / "model.safetensors"

    @property
    def state(self) -> Path:
        """Everything needed to go on."""
        return self.path / "state.safetensors"

    @property
    def log(self) -> Path:
        """One line of JSON per few steps and per validation."""
        return self.path / "log.jsonl"

    def earlier(self, resume: bool, identity: dict[str, Any]) -> State | None:
        """The state of an earlier part of this run; None if there is none.

        Raises
        ------
        OptionError
            If there is one and it is not to be resumed, or it is of another model or other data.
        """
        if not self.state.exists():
            return None
        if not resume:
            raise OptionError(
                f"{self.path} holds a run already; go on with --resume or choose another folder"
            )
        state = load_state(self.state)
        # A state of an earlier version lacks options that came later.
        options = {**model_class(identity["model"]).options_class.before, **state.identity["model option"]}
        before = {**state.identity, "model option": options}
        for name, value in identity.items():
            if before.get(name) != value:
                raise OptionError(
                    f"the run in {self.path} has another {name}{_first_difference(before.get(name), value)}; "
                    "give what it was started with"
                )
        return state


def _first_difference(before: Any, now: Any) -> str:
    """The first of several options that differs, in words; nothing about what is no set of options."""
    if not isinstance(before, dict) or not isinstance(now, dict):
        return ""
    names = [name for name in now if before.get(name) != now[name]]
    return f" ({names[0]} was {before.get(names[0])!r})" if names else ""


def resumed_recipe(state: State, asked: Recipe) -> Recipe:
    """The recipe to go on with: the earlier one, with more steps or another patience if that is harmless.

    Raises
    ------
    OptionError
        If something else differs from what the run was started with.
    """
    # A state of an earlier version lacks what was added since, which is as it was by default.
    before = Recipe().to_dict() | state.recipes["asked"]
    now = asked.to_dict()
    differ = [name for name in now if now[name] != before[name]]
    if not differ:
        return Recipe.of(state.recipes["resolved"])
    wrong = [name for name in differ if name not in _FREE or asked.schedule != "cyclic"]
    if wrong:
        was, now_is = before[wrong[0]], now[wrong[0]]
        raise OptionError(f"the run was started with {wrong[0]} {was!r}, not {now_is!r}; give the same again")
    return asked


def identity_of(model: SedModel, dataset: Dataset, told: dict[str, Any]) -> dict[str, Any]:
    """What must be the same for a run to go on; plain JSON values."""
    words = model.vocabulary
    return {
        "model": model.name,
        "model option": model.options.to_dict(),
        "vocabulary": [list(words.nodes), None if words.edges is None else list(words.edges), words.unknown],
        "dataset": {name: _fingerprint(dataset, name) for name in ("train", "validation")},
        "start": (told.get("start") or {}).get("digest"),
    }


def training_info(
    dataset: Dataset, identity: dict[str, Any], recipe: Recipe, standing: Standing, metrics: Metrics
) -> dict[str, Any]:
    """What a checkpoint says about where it comes from."""
    from prune4sed import __version__

    variants = dataset.info.get("variants", 0)
    return {
        "dataset": {
            "name": dataset.name,
            "seed": dataset.seed,
            "train_pairs": len(dataset["train"].pairs) // (1 + variants),
            "variants": variants,
            "more": dataset.info.get("more", []),
            "fingerprints": identity["dataset"],
        },
        "metrics": {"validation": metrics.to_json()},
        "recipe": recipe.to_dict(),
        "training": asdict(standing),
        "versions": {"prune4sed": __version__, "torch": str(torch.__version__)},
    }


def _fingerprint(dataset: Dataset, name: str) -> str:
    if name not in dataset.sets:
        known = ", ".join(dataset.sets) or "no sets"
        raise OptionError(f"{dataset.name} has no set {name!r} and cannot be trained on; it has {known}")
    known = dataset.info.get("sets", {}).get(name, {}).get("fingerprint")
    one = dataset[name]
    return str(known or fingerprint(SampledSet(name, one.queries, one.targets, one.pairs.index)))
