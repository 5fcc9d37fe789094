"""All that a run needs to go on, in one safetensors file."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from prune4sed.atomic import replacing
from prune4sed.errors import FormatError
from prune4sed.models.checkpoint import digest_of

__all__ = ["Standing", "State", "load_state", "save_state"]

_FORMAT, _VERSION = "prune4sed-training", 2


@dataclass
class Standing:
    """How a run stands.

    Attributes
    ----------
    done : int
        Steps taken.
    validated, best_step : int
        After which step the model was last validated, and when it was best; 0 for never.
    best : float, or None
        The least validation RMSE.
    waiting : int
        Rounds since then.
    noted : int
        After which step losses were last logged.
    seconds : float
        Spent so far, earlier runs included.
    threads : int
        How many the CPU uses: sums depend on it in their last bits.
    """

    done: int = 0
    validated: int = 0
    best_step: int = 0
    best: float | None = None
    waiting: int = 0
    noted: int = 0
    seconds: float = 0.0
    threads: int = field(default_factory=torch.get_num_threads)


@dataclass(frozen=True, eq=False)
class State:
    """What is written: how the run stands, what it is a run of, and tensors by name."""

    standing: Standing
    identity: dict[str, Any]
    recipes: dict[str, dict[str, Any]]
    tensors: dict[str, Tensor] = field(default_factory=dict)


def save_state(state: State, path: str | PathLike[str]) -> None:
    """Write it, whole or not at all."""
    told = {
        "version": _VERSION,
        "standing": asdict(state.standing),
        "identity": state.identity,
        "recipes": state.recipes,
    }
    # Clones: two names may share memory, which the format refuses.
    tensors = {name: x.detach().cpu().clone().contiguous() for name, x in state.tensors.items()}
    text = json.dumps({**told, "digest": digest_of(told, tensors)})
    with replacing(path) as temporary:
        save_file(tensors, temporary, metadata={_FORMAT: text})


def load_state(path: str | PathLike[str]) -> State:
    """Read it.

    Raises
    ------
    FormatError
        If the file is of another kind or version, or damaged.
    """
    try:
        with safe_open(Path(path), framework="pt") as file:
            told = json.loads((file.metadata() or {}).get(_FORMAT, "{}"))
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        if told.get("version") != _VERSION:
            raise FormatError(f"{path} is no state of a run that this version can go on with; train anew")
        if told.pop("digest", None) != digest_of(told, tensors):
            raise FormatError(f"{path} is damaged: its contents do not match its checksum; train anew")
        return State(Standing(**told["standing"]), told["identity"], told["recipes"], tensors)
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as problem:
        if isinstance(problem, FormatError):
            raise
        line = (str(problem).splitlines() or [type(problem).__name__])[0]
        raise FormatError(f"{path} is damaged, and the run cannot go on from it: {line}") from None
