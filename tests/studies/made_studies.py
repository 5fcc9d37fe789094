"""A tiny dataset with all sets that studies use, and untrained models that claim to be trained on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from made import made_graphs, made_set

from prune4sed.datasets.dataset import Dataset
from prune4sed.datasets.dataset_read import read
from prune4sed.datasets.dataset_write import write
from prune4sed.models.base import SedModel
from prune4sed.models.checkpoint import save_checkpoint
from prune4sed.studies.setting import Setting
from prune4sed.training.loop import new_model

SMALL: dict[str, dict[str, Any]] = {
    "prune4sed": {"width": 8, "stages": 2, "predictor_layers": 2},
    "neurosed": {"width": 8, "layers": 2},
    "simgnn": {"width": 8},
    "h2mn": {"width": 8, "layers": 1},
}


@dataclass(frozen=True)
class Bench:
    """Where everything is."""

    folder: Path
    data: Dataset

    @property
    def runs(self) -> Path:
        return self.folder / "runs"

    def setting(self, **changes: Any) -> Setting:
        """On the CPU, with the tiny dataset and the folder of runs."""
        given = {"datasets": (str(self.folder / "made"),), "runs": self.runs, "device": "cpu", **changes}
        return Setting(self.folder / "out", self.folder / "out", **given)

    def model(
        self,
        kind: str,
        name: str = "",
        seed: int = 0,
        rmse: float = 1.0,
        steps: int = 0,
        trained_with: int | None = None,
        **options: Any,
    ) -> SedModel:
        """A model with random weights in the folder of runs, which says that it was trained.

        `trained_with` is how many nodes it kept then, if another number was chosen afterwards.
        """
        model = new_model(kind, self.data, seed, **{**SMALL.get(kind, {}), **options})
        told: dict[str, Any] = {"dataset": {"name": self.data.name}, "recipe": {"seed": seed}}
        if steps:
            told |= {"training": {"done": steps}, "recipe": {"seed": seed, "batch_size": 8}}
        told |= {"keep": {"trained_with": trained_with}} if trained_with is not None else {}
        info = {**told, "metrics": {"validation": {"rmse": rmse}}}
        path = self.runs / (name or kind) / "model.safetensors"
        path.parent.mkdir(parents=True, exist_ok=True)
        save_checkpoint(model, path, info)
        return model


def made_bench(folder: Path) -> Bench:
    """Write the dataset; there are no models yet."""
    torch.set_num_threads(1)
    pool = made_graphs(1, 6, (6, 9))
    sets = {"train": 12, "validation": 4, "test": 30, "strict_test": 8, "large_queries": 5}
    sets |= {f"{size}_{part}": 4 for size in ("small", "medium", "large") for part in ("train", "validation")}
    sets |= {f"{size}_test": 4 for size in ("small", "medium", "large")}
    made = {name: made_set(10 + at, pool, count) for at, (name, count) in enumerate(sets.items())}
    # A training set that knows all labels, whatever the others drew.
    made["train"] = made_set(3, pool, 40)
    write(Dataset("made", 7, made), folder / "made")
    (folder / "runs").mkdir()
    return Bench(folder, read(folder / "made"))
