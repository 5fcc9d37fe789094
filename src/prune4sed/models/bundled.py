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

    Prune4SED-plus is called plus there.

    Examples
    --------
    >>> spelt("Cora-ML NeuroSED"), spelt("citeseer_prune4sed"), spelt(" CiteSeer ")
    ('cora_ml-neurosed', 'citeseer', 'citeseer')
    >>> spelt("citeseer prune4sed-plus"), spelt("CiteSeer-Plus")
    ('citeseer-plus', 'citeseer-plus')
    """
    dataset, model = _parts(re.sub(r"[-_\s]+", "_", name.strip().lower()))
    try:
        dataset = canonical(dataset)
    except OptionError:  # a model need not be named after one of the paper's datasets
        dataset = dataset.replace("_", "-")
    return f"{dataset}-{model}" if model else dataset


def _parts(plain: str) -> tuple[str, str]:
    """Dataset and model; nothing for Prune4SED."""
    short = {name.replace("-", "_"): name for name in model_names()}
    short |= {"prune4sed": "", "prune4sed_plus": "plus", "plus": "plus"}
    for ending in sorted(short, key=len, reverse=True):
        if plain.endswith(f"_{ending}"):
            return plain.removesuffix(f"_{ending}"), short[ending]
    return plain, ""
