"""Pretrained models that come with the package, and the names they go by."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from prune4sed.datasets.catalogue import canonical
from prune4sed.errors import OptionError
from prune4sed.models.registry import model_names

__all__ = ["bundled", "spelt"]

FOLDER = Path(str(files("prune4sed.models"))) / "weights"


def bundled() -> dict[str, Path]:
    """The checkpoints that ship, by name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.safetensors"), key=lambda path: path.stem)}


def spelt(name: str) -> str:
    """The one spelling of a model's name: the dataset's, then a hyphen and the model's if not Prune4SED's.

    Examples
    --------
    >>> spelt("Cora-ML NeuroSED"), spelt("citeseer_prune4sed"), spelt(" CiteSeer ")
    ('cora_ml-neurosed', 'citeseer', 'citeseer')
    """
    plain = re.sub(r"[-_\s]+", "_", name.strip().lower())
    dataset, _, last = plain.rpartition("_")
    if not dataset or last not in model_names():
        dataset, last = plain, "prune4sed"
    try:
        dataset = canonical(dataset)
    except OptionError:  # a model need not be named after one of the paper's datasets
        dataset = dataset.replace("_", "-")
    return dataset if last == "prune4sed" else f"{dataset}-{last}"
