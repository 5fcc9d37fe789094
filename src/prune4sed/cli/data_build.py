"""``prune4sed data build NAME``: sample pairs, label them, write a dataset."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from prune4sed.cli.pairs_input import MOST_PAIRS
from prune4sed.errors import OptionError

if TYPE_CHECKING:
    from prune4sed.datasets.dataset import Dataset
    from prune4sed.graphset import GraphSet


def build(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A dataset, or what to call your own.")
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(
            metavar="N|N,N,N",
            help="Pairs to train on, or to train, validate and test on; by default 100,000 to train on.",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="The same seed gives the same bytes.")] = 0,
    mirror: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Read raw data from this folder; else PRUNE4SED_MIRROR."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write here instead of into the cache.")
    ] = None,
    from_: Annotated[
        Path | None, typer.Option("--from", metavar="FILE", help="Take the targets from a file of your own.")
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="With --from: take the queries from a file. For aids, molecules: the groups."
        ),
    ] = None,
    extras: Annotated[
        bool, typer.Option(" /--no-extras", help="Only train, validation and test.", show_default=False)
    ] = True,
    relabel: Annotated[
        bool, typer.Option("--relabel", help="Compute all labels, even where shipped ones fit.")
    ] = False,
    node_limit: Annotated[
        int | None, typer.Option(metavar="N", help="Search nodes per pair, instead of the standard.")
    ] = None,
    threads: Annotated[int | None, typer.Option(metavar="T", help="All cores by default.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a build that was cut off.")] = False,
) -> None:
    """Build a dataset: sample pairs, label them, and write them down.

    With --pairs N, a tenth of N is sampled to validate on and as much to test on; molecules has 300,000 to
    train on otherwise. Labels that ship with prune4sed are used where they fit: for all sets at the standard
    numbers of pairs and seed.
    """
    counts = None if pairs is None else parse_pairs(pairs)
    start = perf_counter()
    if from_ is None:
        if name is None:
            raise OptionError(
                "name a dataset (see prune4sed data list), or give graphs of your own with --from"
            )
        make = _of_the_seven(name, counts, seed, mirror, out, extras, queries, relabel)
    elif mirror is not None or relabel or not extras:
        raise OptionError("--mirror, --relabel and --no-extras are for the paper's datasets, not for --from")
    else:
        make = _of_own(name, counts, seed, out, from_, queries)
    made = _watched(partial(make, node_limit=node_limit, threads=threads, resume=resume))
    _show(made, perf_counter() - start)


def _of_the_seven(
    name: str,
    pairs: tuple[int, int, int] | None,
    seed: int,
    mirror: Path | None,
    out: Path | None,
    extras: bool,
    fragments: Path | None,
    relabel: bool,
) -> Callable[..., Dataset]:
    """Building one of the paper's datasets, all but how to label it decided."""
    from prune4sed.datasets import building

    return partial(
        building.build,
        name,
        pairs,
        seed,
        mirror=mirror,
        out=out,
        extras=extras,
        fragments=None if fragments is None else _read_fragments(fragments),
        relabel=relabel,
    )


def _of_own(
    name: str | None,
    pairs: tuple[int, int, int] | None,
    seed: int,
    out: Path | None,
    targets: Path,
    queries: Path | None,
) -> Callable[..., Dataset]:
    """Building a dataset from files, likewise."""
    from prune4sed.datasets import building

    called = _own_name(name, targets)
    building.check_name(called)  # before files that may be long are read
    graphs, wanted = _read(targets), None if queries is None else _read(queries)
    counts = building.FULL if pairs is None else pairs
    return partial(building.build_own, graphs, wanted, name=called, pairs=counts, seed=seed, out=out)


def _watched(make: Callable[..., Dataset]) -> Dataset:
    from prune4sed.cli.progress import pair_progress

    try:
        with pair_progress() as show:
            return make(progress=show)
    except KeyboardInterrupt:
        typer.echo("labels made so far are kept; the same command with --resume goes on", err=True)
        raise


def parse_pairs(text: str) -> tuple[int, int, int]:
    """Three numbers of pairs out of ``N`` or ``N,N,N``."""
    try:
        numbers = [int(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 3):
        raise OptionError(f"--pairs must be N or N,N,N (train, validation, test); got {text[:60]!r}")
    if min(numbers) < 1:
        raise OptionError(f"--pairs must be 1 or more; got {text!r}")
    if max(numbers) > MOST_PAIRS:
        raise OptionError(f"--pairs must be at most {MOST_PAIRS:,}; build several datasets, of other seeds")
    if len(numbers) == 1:
        tenth = max(1, numbers[0] // 10)
        return numbers[0], tenth, tenth
    return numbers[0], numbers[1], numbers[2]


def _read(path: Path) -> GraphSet:
    """The graphs of a file; records that cannot be read are counted, listed and left out."""
    from prune4sed.cli.inputs import tell_skipped
    from prune4sed.formats import read_graphs

    graphs = read_graphs(path, edge_labels=False, on_error="skip")
    tell_skipped(path, graphs.problems)
    return graphs


def _read_fragments(path: Path) -> GraphSet:
    """The functional groups of a list, likewise."""
    from prune4sed.cli.inputs import tell_skipped
    from prune4sed.datasets.functional_groups import functional_groups

    groups, problems = functional_groups(path)
    tell_skipped(path, problems)
    return groups


def _own_name(name: str | None, path: Path) -> str:
    """The name given, or one made of that of the file."""
    if name is not None:
        return name
    stem = path.name.partition(".")[0]
    return re.sub(r"[^A-Za-z0-9_-]+", "_", stem).lstrip("-") or "own"


def _show(made: Dataset, seconds: float) -> None:
    from prune4sed.cli.data_show import set_table
    from prune4sed.cli.show import console

    out = console()
    out.print(set_table(made))
    out.print(f"\n{made.name}: built in {seconds:.1f} s, in {made.folder}", soft_wrap=True)
