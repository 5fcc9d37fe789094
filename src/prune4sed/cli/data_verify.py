"""``prune4sed data verify NAME``: prove a random sample of a dataset's labels again."""

from __future__ import annotations

from typing import Annotated

import typer

#: Exit code when labels are wrong; what cannot be done at all exits with 2.
WRONG = 1


def verify(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A dataset that was built, or its folder.")],
    sample: Annotated[int, typer.Option(metavar="N", help="Pairs to check, over all sets.")] = 200,
    seed: Annotated[int, typer.Option(metavar="S", help="Which pairs.")] = 0,
    threads: Annotated[int | None, typer.Option(metavar="T", help="All cores by default.")] = None,
) -> None:
    """Prove a random sample of labels again: mappings by their cost, bounds by the engine.

    Exits with 1 if anything is wrong.
    """
    from prune4sed.cli.data_info import built
    from prune4sed.cli.progress import pair_progress
    from prune4sed.datasets.verifying import verify as check

    dataset = built(name)
    with pair_progress() as progress:
        found = check(dataset, sample, seed, threads=threads, progress=progress)
    for problem in found.problems:
        typer.echo(problem)
    typer.echo(f"{dataset.name}: {found}")
    if not found.ok:
        raise typer.Exit(WRONG)
