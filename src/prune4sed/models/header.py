"""What a checkpoint says about itself, read without its weights and without torch."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from prune4sed.errors import FormatError, require
from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["FORMAT", "KEPT", "VERSION", "Header", "one_line", "read_header"]

FORMAT = "prune4sed-model"
VERSION = 1
# How many target nodes are kept, an option that no weight depends on, by model.
KEPT = {"prune4sed": "k", "prune4sed-plus": "keep"}

_Path = str | PathLike[str]


@dataclass(frozen=True)
class Header:
    """What a checkpoint says about itself.

    Attributes
    ----------
    model : str
        Name in the registry.
    options : dict
        Hyperparameters.
    vocabulary : Vocabulary
        Labels.
    info : dict
        Anything else that JSON can hold: the dataset and its hash, metrics, versions.
    digest : str
        SHA-256 of the weights and of all the above.
    """

    model: str
    options: dict[str, Any]
    vocabulary: Vocabulary
    info: dict[str, Any] = field(default_factory=dict)
    digest: str = ""

    @property
    def trained_options(self) -> dict[str, Any]:
        """Hyperparameters in training: after it, another k or keep may have been chosen for prediction."""
        option = KEPT.get(self.model)
        chosen = self.info.get("keep")
        number = chosen.get("trained_with") if isinstance(chosen, dict) else None
        return self.options if option is None or number is None else {**self.options, option: number}


def read_header(path: _Path) -> Header:
    """The header of a checkpoint; `checkpoint.read_header` can check the weights as well.

    Raises
    ------
    FormatError
        If the file is missing, of another kind or version, or damaged where the header is.
    """
    return _header(path, _metadata(path))


def _metadata(path: _Path) -> dict[str, str]:
    if not Path(path).is_file():
        raise FormatError(f"there is no model file {path}")
    safetensors = require("safetensors", "nn", "to read models")
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            return dict(file.metadata() or {})
    except (OSError, safetensors.SafetensorError) as problem:
        raise FormatError(f"{path} is not a model file, or it is damaged: {one_line(problem)}") from None


def _header(path: _Path, metadata: dict[str, str]) -> Header:
    if FORMAT not in metadata:
        raise FormatError(f"{path} holds weights but is not a model of prune4sed")
    try:
        told = json.loads(metadata[FORMAT])
        version = told["version"]
        if version == VERSION:
            words = told["vocabulary"]
            edges = None if words["edges"] is None else tuple(words["edges"])
            vocabulary = Vocabulary(tuple(words["nodes"]), edges, bool(words["unknown"]))
            return Header(
                str(told["model"]), dict(told["options"]), vocabulary, dict(told["info"]), told["digest"]
            )
    except (KeyError, TypeError, ValueError, RecursionError) as problem:
        raise FormatError(f"{path} is damaged: its header cannot be read ({one_line(problem)})") from None
    raise FormatError(
        f"{path} is of version {version!r} and this program reads version {VERSION}; "
        "install the version of prune4sed that wrote it, or train anew"
    )


def one_line(problem: Exception) -> str:
    """The first line of what an exception says."""
    return (str(problem).splitlines() or [type(problem).__name__])[0]
