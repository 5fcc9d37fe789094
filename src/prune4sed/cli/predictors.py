"""What stands on the command line for a model: a bundled name, a checkpoint, or a solver."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune4sed.errors import OptionError

if TYPE_CHECKING:
    from prune4sed.models.predictor import Predictor

Device = Annotated[str, typer.Option(metavar="D", help="Where a neural model runs: auto, cpu, cuda, ...")]
BatchSize = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="Pairs at a time; as many as suit the device by default."),
]
TimeLimit = Annotated[
    float | None, typer.Option(metavar="S", help="Seconds per pair, for solvers; each has its default.")
]
Threads = Annotated[
    int | None, typer.Option(metavar="T", min=1, help="Threads of a solver, or of the engine with --engine.")
]
Beam = Annotated[
    int | None,
    typer.Option(
        metavar="W",
        min=1,
        help="For prune4sed-plus: follow W partial mappings, whose costs prove upper bounds.",
    ),
]
Engine = Annotated[
    float | None,
    typer.Option(
        metavar="S",
        min=0,
        help="For models: settle first what the exact engine can in S seconds per pair (0.001, say).",
    ),
]
Bounds = Annotated[
    bool, typer.Option("--bounds", help="Keep predictions within cheap proven bounds, and show those.")
]


def load_predictors(
    names: Sequence[str],
    device: str = "auto",
    time_limit: float | None = None,
    threads: int | None = None,
    beam: int | None = None,
    engine: float | None = None,
) -> list[Predictor]:
    """Models, with the engine before them and a beam where asked for, and solvers with their limits.

    Raises
    ------
    OptionError
        If there is no such model, or if something is given that nothing among them can take.
    """
    from prune4sed.models.loading import load_model, solver_name
    from prune4sed.models.solvers import SOLVERS

    given: dict[str, Any] = {"time_limit": time_limit, "threads": threads}
    given = {option: value for option, value in given.items() if value is not None}
    solvers = [solver_name(name) for name in names]
    taken = set(given) - ({"threads"} if engine is not None else set())
    if taken and not any(solvers):
        raise OptionError(f"--time-limit and --threads are for solvers, and {', '.join(names)} is none")
    found: list[Predictor] = [
        load_model(name, device) if solver is None else SOLVERS[solver](**given)
        for name, solver in zip(names, solvers, strict=True)
    ]
    found = found if beam is None else _with_beam(names, found, beam)
    return found if engine is None else _with_engine(names, found, engine, threads)


def _with_beam(names: Sequence[str], predictors: list[Predictor], beam: int) -> list[Predictor]:
    if not any(one.name == "prune4sed-plus" for one in predictors):
        raise OptionError(f"--beam is for prune4sed-plus, and {', '.join(names)} is none")
    from prune4sed.models.beam_predictor import BeamPredictor
    from prune4sed.models.prune4sed_plus import Prune4SEDPlus

    return [BeamPredictor(one, beam) if isinstance(one, Prune4SEDPlus) else one for one in predictors]


def _with_engine(
    names: Sequence[str], predictors: list[Predictor], seconds: float, threads: int | None
) -> list[Predictor]:
    from prune4sed.models.engine_first import EngineFirst
    from prune4sed.models.solvers import Solver

    if all(isinstance(one, Solver) for one in predictors):
        raise OptionError(f"--engine is for models, and {', '.join(names)} is none")
    return [one if isinstance(one, Solver) else EngineFirst(one, seconds, threads) for one in predictors]


def takes_edge_labels(predictor: Predictor) -> bool:
    """Whether it is a model of graphs with labelled edges."""
    vocabulary = getattr(predictor, "vocabulary", None)
    return vocabulary is not None and vocabulary.edges is not None
