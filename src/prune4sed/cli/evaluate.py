"""``prune4sed evaluate DATASET --model NAME``: how good and how fast models and solvers are."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune4sed.cli.predictors import BatchSize, Beam, Bounds, Device, Engine, Threads, TimeLimit
from prune4sed.errors import OptionError

if TYPE_CHECKING:
    from prune4sed.datasets.dataset import Dataset
    from prune4sed.models.predictor import Predictor


def evaluate(
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="One of the seven, one of your own, or a folder.")
    ],
    model: Annotated[
        list[str],
        typer.Option(metavar="NAME|PATH", help="A bundled model, a checkpoint or a solver; may be repeated."),
    ],
    sets: Annotated[
        str | None, typer.Option(metavar="SET,SET", help="Which sets; test and strict_test by default.")
    ] = None,
    pairs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="So many random pairs of each set; all by default.")
    ] = None,
    bounds: Bounds = False,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Of the choice and the bootstrap.")] = 0,
    batch_size: BatchSize = None,
    device: Device = "auto",
    time_limit: TimeLimit = None,
    threads: Threads = None,
    beam: Beam = None,
    engine: Engine = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document instead of tables.")] = False,
) -> None:
    """Measure models and solvers on labelled pairs.

    RMSE is the paper's: nothing is counted within proven bounds. MAE, R2 and the rest are over certified
    pairs. Kendall's tau is the mean over queries that are ranked against many targets, labelled on the spot.
    """
    from prune4sed.cli.evaluation_show import show_json, show_tables
    from prune4sed.cli.predictors import load_predictors

    predictors = dict(
        zip(model, load_predictors(model, device, time_limit, threads, beam, engine), strict=True)
    )
    data = _load(dataset)
    rows = [
        row
        for name in _chosen(data, sets)
        for row in _measured(data, name, predictors, pairs, bounds, seed, batch_size)
    ]
    (show_json if json else show_tables)(data.name, rows)


def _load(name: str) -> Dataset:
    from prune4sed.cli.progress import pair_progress
    from prune4sed.datasets.loading import load

    with pair_progress() as progress:
        return load(name, progress=progress)


def _chosen(data: Dataset, sets: str | None) -> list[str]:
    """Names of the sets asked for, each once."""
    from prune4sed.training.evaluation import default_sets

    if sets is None:
        return default_sets(data)
    names = list(dict.fromkeys(name.strip() for name in sets.split(",")))
    for name in names:
        if name not in data:
            raise OptionError(f"{data.name} has no set {name!r}; there are {', '.join(data)}")
    return names


def _measured(
    data: Dataset,
    name: str,
    predictors: dict[str, Predictor],
    pairs: int | None,
    bounds: bool,
    seed: int,
    batch_size: int | None,
) -> Iterator[dict[str, Any]]:
    """What is found for each predictor on one set; all get the same pairs."""
    from prune4sed.cli.progress import pair_progress
    from prune4sed.training.evaluation import evaluate
    from prune4sed.training.ranking import ranking_set
    from prune4sed.training.subset import some_pairs

    # Sets differ in size, and the smaller ones are taken whole.
    most = len(data[name].pairs)
    one = some_pairs(data[name], None if pairs is None else min(pairs, most), seed)
    with pair_progress() as show:
        ranking = ranking_set(one, pairs, seed, progress=partial(show, f"{name}: pairs to rank"))
        for title, predictor in predictors.items():
            found = evaluate(
                predictor,
                one,
                ranking=ranking,
                bounds=bounds,
                batch_size=batch_size,
                seed=seed,
                progress=partial(show, f"{name}: {title}"),
            )
            yield {
                "set": name,
                "model": title,
                "kind": predictor.name,
                "used": _used(predictor),
                **found.to_dict(),
            }


def _used(predictor: Predictor) -> list[str]:
    """In which ways a model was used."""
    from prune4sed.models.engine_first import EngineFirst

    asked = predictor.model if isinstance(predictor, EngineFirst) else predictor
    return ["beam"] * asked.name.endswith("-beam") + ["engine first"] * (asked is not predictor)
