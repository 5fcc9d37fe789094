"""A small dataset to train on, and quick recipes."""

from __future__ import annotations

from typing import Any

from made import made_graphs, made_set

from prune4sed.datasets.dataset import Dataset
from prune4sed.models.base import SedModel
from prune4sed.training.loop import new_model
from prune4sed.training.recipe import Recipe

SMALL: dict[str, Any] = {"width": 8, "layers": 2}


def training_dataset(pairs: int = 23) -> Dataset:
    pool = made_graphs(1, 6, (5, 9))
    return Dataset("made", 7, {"train": made_set(3, pool, pairs), "validation": made_set(4, pool, 8)})


def small_model(dataset: Dataset, name: str = "neurosed", seed: int = 0) -> SedModel:
    options = SMALL if name == "neurosed" else {"width": 8, "stages": 2, "heads": 2, "predictor_layers": 2}
    return new_model(name, dataset, seed, **options)


def quick(**changes: Any) -> Recipe:
    return Recipe(**{"batch_size": 5, "rise": 3, "fall": 4, "patience": 0, "steps": 14, **changes})
