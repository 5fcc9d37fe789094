"""Load what predicts distances: a bundled model, a checkpoint, or a solver, by name or path."""

from __future__ import annotations

import os
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, overload

from prune4sed.errors import OptionError, did_you_mean, require
from prune4sed.models.bundled import bundled, spelt
from prune4sed.models.solvers import SOLVERS, Solver

if TYPE_CHECKING:
    from prune4sed.models.base import SedModel

__all__ = ["find_model", "load_model", "solver_name"]

_SOLVER_ALIASES = {"mipf2": "mip-f2", "f2": "mip-f2", "mip": "mip-f2", "engine": "exact"}


@overload
def load_model(name: PathLike[str], device: str = "auto") -> SedModel: ...
@overload
def load_model(name: str, device: str = "auto") -> SedModel | Solver: ...
def load_model(name: str | PathLike[str], device: str = "auto") -> SedModel | Solver:
    """A model, ready to predict.

    Parameters
    ----------
    name : str or path
        A bundled model such as ``"citeseer"`` or ``"citeseer-neurosed"`` in any case, the path of a
        checkpoint, or a solver: ``"branch"``, ``"mip-f2"``, ``"exact"``.
    device : str
        Where to put a neural model; ``"auto"`` is a GPU if there is one.

    Returns
    -------
    SedModel or Solver
        Both have ``predict(queries, targets, pairs=None, batch_size=None, bounds=False)``.

    Raises
    ------
    OptionError
        If there is no such model; the text names the nearest, and lists those there are.
    FormatError
        If the file is no checkpoint, or a damaged one.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> load_model("exact").predict(Graph(["C"]), [Graph(["C"]), Graph(["N"])])
    array([0., 1.], dtype=float32)
    """
    solver = solver_name(name)
    if solver is not None:
        return SOLVERS[solver]()
    path = find_model(name)
    require("torch", "nn", "for models")
    require("safetensors", "nn", "for models")
    from prune4sed.models.checkpoint import load_checkpoint

    return load_checkpoint(path, device)


def solver_name(name: str | PathLike[str]) -> str | None:
    """The solver that is meant; None if none is."""
    if not isinstance(name, str):
        return None
    plain = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    plain = _SOLVER_ALIASES.get(plain, plain)
    return plain if plain in SOLVERS else None


def find_model(name: str | PathLike[str]) -> Path:
    """The checkpoint that a name or path stands for; a bundled name goes before a file of that name.

    Raises
    ------
    OptionError
        If there is none, as for a solver.
    """
    if not isinstance(name, (str, PathLike)):
        raise OptionError(f"a model is a name or a path, not {type(name).__name__}")
    if solver_name(name) is not None:
        raise OptionError(f"{name} is a solver and has no file of weights")
    known, text = bundled(), fspath(name)
    if isinstance(name, str) and spelt(name) in known:
        return known[spelt(name)]
    if os.path.isfile(text):
        return Path(text)
    near = did_you_mean(spelt(text), [*known, *SOLVERS])
    ours, solvers = ", ".join(known) or "none in this installation", ", ".join(SOLVERS)
    there = f"bundled: {ours}; solvers: {solvers}; or give the file of a checkpoint"
    raise OptionError(f"there is no model {text!r}{near}; {there}")
