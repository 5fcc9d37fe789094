"""``prune4sed train DATASET --model NAME``: train a model on a dataset of labelled pairs."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune4sed.errors import MissingExtraError, OptionError, require

if TYPE_CHECKING:
    from prune4sed.datasets.dataset import Dataset
    from prune4sed.models.base import SedModel
    from prune4sed.training.recipe import Recipe
    from prune4sed.training.result import TrainResult

# What a preset trains unless told otherwise: two minutes of a CPU are short for the larger models.
_MODELS = {"smoke": "neurosed", "plus": "prune4sed-plus"}


def train(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="One of the seven, or the folder of one that was built.")
    ],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="prune4sed (the default), prune4sed-plus (with --preset plus), neurosed (with --preset "
            "smoke), simgnn or h2mn.",
        ),
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="paper, fast (for a GPU), plus (for prune4sed-plus) or smoke (two minutes on a CPU).",
        ),
    ] = "paper",
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder of the run; runs/DATASET-MODEL by default.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in that folder.")] = False,
    seed: Annotated[int | None, typer.Option(metavar="S", min=0, help="Of weights and order.")] = None,
    device: Annotated[str, typer.Option(metavar="D", help="auto, cpu, cuda or cuda:N.")] = "auto",
    batch_size: Annotated[int | None, typer.Option(metavar="N", help="Pairs per step.")] = None,
    steps: Annotated[int | None, typer.Option(metavar="N", min=1, help="So many steps and no more.")] = None,
    minutes: Annotated[
        float | None, typer.Option(metavar="M", help="As many steps as this time has room for.")
    ] = None,
    small: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Train on N of the pairs; on all by default.")
    ] = None,
    more: Annotated[
        list[str] | None,
        typer.Option(metavar="DATASET", help="Train on the training pairs of this dataset too."),
    ] = None,
    variants: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=0,
            help="Train on N variants of every pair too, whose distances follow from its own.",
        ),
    ] = 0,
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A hyperparameter of the model, such as heads=10."),
    ] = None,
    recipe: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="A part of the recipe, such as peak_rate=2e-3."),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Go on from trained weights: a bundled model, or the file of one. Lower peak_rate, too.",
        ),
    ] = None,
    unknown: Annotated[
        bool, typer.Option("--unknown", help="Let the model take labels that the dataset lacks.")
    ] = False,
) -> None:
    """Train a model; the best weights on the validation set are kept.

    The folder of the run gets model.safetensors (the best model), log.jsonl and curves.png. After Ctrl-C, or
    worse, the same command with --resume goes on where it was. On several GPUs: torchrun --nproc-per-node 4
    -m prune4sed train ...
    """
    require("torch", "nn", "to train models")
    from prune4sed.datasets.joining import with_more
    from prune4sed.datasets.variants import with_variants
    from prune4sed.models.registry import model_class
    from prune4sed.training.start import check_start, trained_model

    given = {"seed": seed, "batch_size": batch_size, "steps": steps, "minutes": minutes, "pairs": small}
    options = parse_values(option or [], "--option")
    kept = None if start is None else check_start(start, model, options, unknown)
    name = kept or model or _MODELS.get(preset, "prune4sed")
    model_class(name)  # before a dataset is built for a model that is not there
    given = {key: value for key, value in given.items() if value is not None}
    how = _recipe(preset, name, given, recipe or [])
    data = with_more(_open(dataset), [_open(other) for other in more or []])
    folder = out or Path("runs") / f"{data.name}-{name}"
    if "train" not in data.sets:
        raise OptionError(f"{data.name} has no set 'train'; it has {', '.join(data.sets)}")
    data = with_variants(data, variants)
    if start is None:
        told: dict[str, Any] = {}
        new = _new_model(name, data, how.seed, options, unknown)
    else:
        new, told = trained_model(start, options)
    if resume and not (folder / "state.safetensors").exists() and _is_first():
        typer.echo(f"there is nothing to go on with in {folder}; the run starts anew", err=True)
    found = _train(new, told, data, how, folder, resume, device)
    if _is_first():
        _tell(found, data, name)


def parse_values(texts: list[str], flag: str) -> dict[str, Any]:
    """Values by name out of texts such as ``heads=10``, ``soft=false`` and ``head=mlp``.

    Examples
    --------
    >>> parse_values(["heads=10", "soft=false", "head=mlp", "clip=5e-2"], "--option")
    {'heads': 10, 'soft': False, 'head': 'mlp', 'clip': 0.05}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise OptionError(f"{flag} takes KEY=VALUE, such as heads=10; got {text[:60]!r}")
        found[name.strip().replace("-", "_")] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _recipe(name: str, model: str, given: dict[str, Any], texts: list[str]) -> Recipe:
    from prune4sed.training.recipe import preset

    changes = parse_values(texts, "--recipe")
    twice = [key for key in changes if key in given]
    if twice:
        raise OptionError(f"{twice[0]} was given twice, by itself and in --recipe")
    asked = {*given, *changes}
    if {"minutes", "steps"} <= asked:
        raise OptionError("--steps and --minutes cannot both say when to stop; give one of them")
    return preset(name, model, **given, **changes)


def _open(name: str) -> Dataset:
    """A dataset by name, built on first use."""
    from prune4sed.cli.progress import pair_progress
    from prune4sed.datasets.loading import load

    with pair_progress() as show:
        return load(name, progress=show)


def _new_model(name: str, data: Dataset, seed: int, options: dict[str, Any], unknown: bool) -> SedModel:
    from prune4sed.models.registry import model_class
    from prune4sed.training.loop import new_model

    model_class(name).options_class.of(options)  # what is wrong there is said before anything else is done
    return new_model(name, data, seed, unknown, **options)


def _train(
    model: SedModel,
    told: dict[str, Any],
    data: Dataset,
    recipe: Recipe,
    folder: Path,
    resume: bool,
    device: str,
) -> TrainResult:
    from prune4sed.cli.train_progress import train_progress
    from prune4sed.training.loop import train

    given: dict[str, Any] = {"resume": resume, "device": device, "told": told}
    try:
        with train_progress() if _is_first() else nullcontext() as show:
            return train(model, data, recipe, folder, progress=show, **given)
    except KeyboardInterrupt:
        if _is_first() and (folder / "state.safetensors").exists():
            typer.echo(f"the run is kept in {folder}; the same command with --resume goes on", err=True)
        raise


def _tell(found: TrainResult, data: Dataset, model: str) -> None:
    """What came of it, in few lines."""
    from prune4sed.cli.progress import duration

    speed = f"{found.steps:,} steps in {duration(found.seconds)}"
    typer.echo(f"validation RMSE {found.rmse:.4f} after step {found.best_step:,}; {speed}")
    typer.echo(f"wrote {found.folder / 'model.safetensors'}")
    try:
        from prune4sed.report.training_plots import training_curves

        title = f"{model} on {data.name}"
        typer.echo(f"wrote {training_curves(found.folder / 'log.jsonl', found.folder / 'curves.png', title)}")
    except (MissingExtraError, OptionError) as error:
        typer.echo(f"no picture of the curves: {error}", err=True)


def _is_first() -> bool:
    """Whether this is the only process, or the first of those that torchrun started."""
    return os.environ.get("RANK", "0") == "0"
