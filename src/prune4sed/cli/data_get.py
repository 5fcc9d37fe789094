"""``prune4sed data get NAME``: raw data from its public source, or from a mirror, into the cache."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from prune4sed.datasets.download import Progress


def get(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A dataset, as data list shows it, or all.")],
    mirror: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Take the file from this folder instead; else from PRUNE4SED_MIRROR, if set."
        ),
    ] = None,
) -> None:
    """Get the raw data of a dataset and check that it is whole.

    It goes into the folder that PRUNE4SED_HOME names, or else into the user's cache. What is there and whole
    is not downloaded again.
    """
    from prune4sed.datasets.catalogue import canonical, names
    from prune4sed.errors import Prune4SEDError

    wanted = names() if name.strip().lower() == "all" else (canonical(name),)
    failures: list[Prune4SEDError] = []
    for one in wanted:
        try:
            typer.echo(_get_one(one, mirror))
        except Prune4SEDError as error:
            # One that cannot be had keeps nobody from the others.
            failures.append(error)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        reasons = "; ".join(map(str, failures))
        raise Prune4SEDError(f"{len(failures)} of {len(wanted)} datasets could not be had: {reasons}")


def _get_one(name: str, mirror: Path | None) -> str:
    """Get one dataset and say in a line what came."""
    from prune4sed.datasets.catalogue import ALL
    from prune4sed.datasets.raw import counts_of, digest, fetch_raw

    with _bar(name) as progress:
        path, data = fetch_raw(name, mirror, progress)
    line = f"{name}: {counts_of(data)}; {path}"
    if digest(data) != ALL[name].digest:
        line += (
            "\n  The shipped labels are of other data, or of another order; data build will compute its own."
        )
    return line


@contextmanager
def _bar(name: str) -> Iterator[Progress | None]:
    """A progress bar on standard error, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(name, total=None, visible=False)

        def progress(done: int, total: int | None) -> None:
            bars.update(task, completed=done, total=total, visible=True)

        yield progress
