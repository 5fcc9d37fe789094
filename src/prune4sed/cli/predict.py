"""``prune4sed predict QUERIES TARGETS --model NAME``: predicted distances of pairs of one's own graphs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prune4sed.cli.pairs_input import MOST_PAIRS
from prune4sed.cli.predictors import BatchSize, Beam, Bounds, Device, Engine, Threads, TimeLimit
from prune4sed.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prune4sed.graphset import GraphSet


def predict(
    queries: Annotated[
        str, typer.Argument(metavar="QUERIES", help="A file of graphs, a SMILES string, or -.")
    ],
    targets: Annotated[
        str, typer.Argument(metavar="TARGETS", help="A file of graphs, a SMILES string, or -.")
    ],
    model: Annotated[
        str, typer.Option(metavar="NAME|PATH", help="A bundled model, a checkpoint, or a solver.")
    ],
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Positions of query and target, two numbers a line, or Parquet with columns query and "
            "target; every query with every target by default.",
        ),
    ] = None,
    bounds: Bounds = False,
    batch_size: BatchSize = None,
    device: Device = "auto",
    time_limit: TimeLimit = None,
    threads: Threads = None,
    beam: Beam = None,
    engine: Engine = None,
    edge_labels: Annotated[
        bool,
        typer.Option(
            "--edge-labels", help="Have a solver compare bond types; a model knows whether it does."
        ),
    ] = False,
    input_format: Annotated[
        str | None, typer.Option(metavar="F", help="Format of the graph files, if not by suffix.")
    ] = None,
    format: Annotated[
        str | None, typer.Option(metavar="table|tsv|jsonl", help="Of the answer; with --out, by its suffix.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write there instead of to the screen.")
    ] = None,
) -> None:
    """Predict distances with a neural model or a solver.

    Without --bounds a prediction is an estimate and proves nothing.
    """
    from prune4sed.cli.outputs import check_out
    from prune4sed.cli.pairs_input import read_pairs
    from prune4sed.cli.predictions import Predictions, choose_format, show
    from prune4sed.cli.predictors import load_predictors, takes_edge_labels

    style = choose_format(format, out)
    if out is not None:
        check_out(out, queries, targets)
    predictor = load_predictors([model], device, time_limit, threads, beam, engine)[0]
    some, many = _read(queries, targets, input_format, edge_labels or takes_edge_labels(predictor))
    index = _all_pairs(some, many) if pairs is None else read_pairs(pairs)
    if bounds:
        predicted, lower, upper = predictor.predict(some, many, index, batch_size, bounds=True)
        found = Predictions(some, many, index, predicted, lower, upper)
    else:
        found = Predictions(some, many, index, predictor.predict(some, many, index, batch_size))
    show(found, style, out)


def _read(queries: str, targets: str, format: str | None, edge_labels: bool) -> tuple[GraphSet, GraphSet]:
    from prune4sed.cli.inputs import read_input
    from prune4sed.graphset import GraphSet

    if queries == targets == "-":
        raise OptionError("QUERIES and TARGETS cannot both be -; give one of them as a file or SMILES")
    some, many = (
        GraphSet(read_input(text, role, format, edge_labels))
        for text, role in ((queries, "QUERIES"), (targets, "TARGETS"))
    )
    return some, many


def _all_pairs(some: GraphSet, many: GraphSet) -> NDArray[np.int64]:
    import numpy as np

    total = len(some) * len(many)
    if total > MOST_PAIRS:
        sizes = f"{len(some):,} queries and {len(many):,} targets"
        raise OptionError(f"{sizes} make {total:,} pairs; name those you want with --pairs")
    return np.column_stack(np.divmod(np.arange(total), len(many)))
