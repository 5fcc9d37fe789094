"""``prune4sed models verify``: read model files in full and check them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from prune4sed.errors import FormatError, OptionError

#: Exit code when a file is not what it should be; what cannot be done at all exits with 2.
WRONG = 1


def verify(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME|PATH", help="A bundled model or a checkpoint; all bundled by default."),
    ] = None,
) -> None:
    """Read the weights of a model and check that they are finite, fit and have the digest they should.

    Exits with 1 if anything is wrong.
    """
    from prune4sed.models.bundled import bundled
    from prune4sed.models.loading import find_model, solver_name

    if name is not None and solver_name(name) is not None:
        raise OptionError(f"{name} is a solver and has no file to verify")
    files = bundled() if name is None else {name: find_model(name)}
    problems = [problem for label, path in files.items() if (problem := _check(label, path))]
    if not files:
        typer.echo("no trained model comes with this installation")
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(WRONG)


def _check(label: str, path: Path) -> str | None:
    """The problem, if there is one; else a line on the screen."""
    from prune4sed.errors import require

    require("torch", "nn", "to read models")
    from prune4sed.models.checkpoint import load_checkpoint
    from prune4sed.models.header import read_header

    try:
        model = load_checkpoint(path, "cpu")
    except FormatError as problem:
        return str(problem)
    count = sum(x.numel() for x in model.state_dict().values())
    typer.echo(f"{label}: fine, {count:,} weights, sha256 {read_header(path).digest[:16]}")
    return None
