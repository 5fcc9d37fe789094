"""``prune4sed label QUERIES TARGETS --out pairs.parquet``: exact labels for pairs of one's own graphs."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from prune4sed.cli.pairs_input import MOST_PAIRS
from prune4sed.errors import OptionError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prune4sed.datasets.labelling import Labels
    from prune4sed.datasets.sampled import SampledSet
    from prune4sed.graphset import GraphSet

NODE_LIMIT = 20_000


def label(
    queries: Annotated[
        str, typer.Argument(metavar="QUERIES", help="A file of graphs, a SMILES string, or -.")
    ],
    targets: Annotated[
        str, typer.Argument(metavar="TARGETS", help="A file of graphs, a SMILES string, or -.")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The Parquet file to write.")],
    pairs: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Label N different random pairs; all of them by default."),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, max=2**63 - 1, help="Which random pairs.")] = 0,
    node_limit: Annotated[int, typer.Option(metavar="N", help="Search nodes per pair.")] = NODE_LIMIT,
    time_limit: Annotated[
        float | None,
        typer.Option(metavar="S", help="Seconds per pair; the result then depends on the machine."),
    ] = None,
    threads: Annotated[int | None, typer.Option(metavar="T", help="All cores by default.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run that was stopped or killed.")
    ] = False,
    edge_labels: Annotated[
        bool, typer.Option("--edge-labels", help="Compare edge labels (bond types) as well.")
    ] = False,
    format: Annotated[
        str | None, typer.Option(metavar="F", help="Format of the files, if not by suffix.")
    ] = None,
) -> None:
    """Bounds and the best mapping of every pair of a query and a target, as a Parquet file.

    Records that cannot be read are listed and left out; positions in the result count only what was read.

    Finished pairs are kept beside the file as they come: after Ctrl-C, or worse, the same command with
    --resume goes on where it was.
    """
    from prune4sed.cli.outputs import check_out, check_suffix
    from prune4sed.datasets.pairs_file import write_pairs

    started = perf_counter()
    check_suffix(out, [".parquet"], "labels are written as Parquet")
    check_out(out, queries, targets)
    sampled = _read(queries, targets, pairs, seed, format, edge_labels)
    journal = out.with_name(f"{out.name}.journal")
    labels = _label(sampled, node_limit, time_limit, threads, journal, resume)
    write_pairs(sampled, labels, out)
    journal.unlink(missing_ok=True)
    typer.echo(f"{out}: {_summary(labels, perf_counter() - started)}")


def _read(
    queries: str, targets: str, pairs: int | None, seed: int, format: str | None, edge_labels: bool
) -> SampledSet:
    """The pairs to label, ordered by query and then by target."""
    from prune4sed.cli.inputs import read_input
    from prune4sed.datasets.sampled import SampledSet
    from prune4sed.graphset import GraphSet

    if queries == targets == "-":
        raise OptionError("QUERIES and TARGETS cannot both be -; give one of them as a file or SMILES")
    some, many = (
        GraphSet(read_input(text, role, format, edge_labels, skip=True))
        for text, role in ((queries, "QUERIES"), (targets, "TARGETS"))
    )
    return SampledSet("pairs", some, many, _choose(some, many, pairs, seed))


def _choose(some: GraphSet, many: GraphSet, pairs: int | None, seed: int) -> NDArray[np.int64]:
    """All pairs, or so many random ones, none twice."""
    import numpy as np

    from prune4sed.datasets.draws import Stream, distinct_pairs

    total = len(some) * len(many)
    if pairs is not None and pairs > total:
        raise OptionError(f"{pairs} different pairs were asked for, but there are only {total}")
    if pairs is None and total > MOST_PAIRS:
        sizes = f"{len(some):,} queries and {len(many):,} targets"
        raise OptionError(f"{sizes} make {total:,} pairs; say how many to label with --pairs")
    if pairs is None or pairs == total:
        return np.column_stack(np.divmod(np.arange(total), len(many)))
    chosen = distinct_pairs(len(some), len(many), Stream(seed, 0), pairs)
    return chosen[np.lexsort(chosen.T[::-1])]


def _label(
    sampled: SampledSet,
    node_limit: int,
    time_limit: float | None,
    threads: int | None,
    journal: Path,
    resume: bool,
) -> Labels:
    from prune4sed.cli.progress import pair_progress
    from prune4sed.datasets.labelling import label_set

    try:
        with pair_progress() as show:
            return label_set(
                sampled,
                node_limit,
                journal,
                resume,
                threads,
                progress=lambda done, total: show("labelling", done, total),
                time_limit=time_limit,
            )
    except KeyboardInterrupt:
        if journal.exists():
            typer.echo(f"what is done is kept in {journal}; the same command with --resume goes on", err=True)
        raise


def _summary(labels: Labels, seconds: float) -> str:
    proven = int(labels.certified.sum())
    share = f"{proven / len(labels):.1%}"
    pairs = f"{len(labels):,} pair{'s' * (len(labels) != 1)}"
    return f"{pairs}, {proven:,} certified ({share}), {seconds:.1f} s"
