"""``prune4sed models verify``: read model files in full and check them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune4sed.errors import FormatError, OptionError

if TYPE_CHECKING:
    from prune4sed.models.base import SedModel

#: Exit code when a file is not what it should be; what cannot be done at all exits with 2.
WRONG = 1
# What an RMSE may be off by: the last bits of sums, which differ from one processor to the next.
_CLOSE = 1e-3


def verify(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME|PATH", help="A bundled model or a checkpoint; all bundled by default."),
    ] = None,
) -> None:
    """Read the weights of a model and check that they are finite, fit and have the digest they should.

    Where the dataset that it was trained on has been built, the model predicts a sample of the test set and
    must be as accurate as its file says. Exits with 1 if anything is wrong.
    """
    from prune4sed.models.bundled import bundled
    from prune4sed.models.loading import find_model

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
    header = read_header(path)
    right, accuracy = _accuracy(model, header.info)
    if not right:
        return f"{label}: {accuracy}"
    count = sum(x.numel() for x in model.state_dict().values())
    typer.echo(f"{label}: fine, {count:,} weights, sha256 {header.digest[:16]}, {accuracy}")
    return None


def _accuracy(model: SedModel, info: dict[str, Any]) -> tuple[bool, str]:
    """Whether the RMSE on a sample is as recorded, or was not checked; and what to say of it."""
    from prune4sed.cli.models_list import dataset_of
    from prune4sed.datasets import load
    from prune4sed.datasets.loading import find
    from prune4sed.training.recorded import sample_rmse, sample_told

    told, name = sample_told(info), dataset_of(info)
    if told is None:
        return True, "accuracy not checked: none is recorded"
    try:
        folder = find(name)
    except OptionError:
        return True, f"accuracy not checked: its dataset {name} is not here"
    if folder is None:
        return True, f"accuracy not checked: {name} is not built"
    found = sample_rmse(model, load(folder))
    if abs(found - told) > _CLOSE:
        return False, f"RMSE {found:.4f} on the sample of the test set, but {told:.4f} was recorded"
    return True, f"RMSE {found:.3f} on the sample as recorded"
