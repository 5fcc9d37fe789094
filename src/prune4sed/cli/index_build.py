"""``prune4sed index build LIBRARY OUT``: a folder in which a search finds all that it needs."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune4sed.errors import FormatError

if TYPE_CHECKING:
    from prune4sed.search.index_meta import Meta


def build(
    library: Annotated[Path, typer.Argument(metavar="LIBRARY", help="A file of graphs or molecules.")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The folder to write.")],
    edge_labels: Annotated[
        bool, typer.Option("--edge-labels", help="Index edge labels (bond types) as well.")
    ] = False,
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME|PATH",
            help="A model that ranks targets, or none; auto is the bundled one for molecules, where it fits.",
        ),
    ] = "auto",
    format: Annotated[
        str | None, typer.Option(metavar="F", help="Format of the file, if not by suffix.")
    ] = None,
    column: Annotated[str | None, typer.Option(metavar="C", help="Column of SMILES in a table.")] = None,
    id_column: Annotated[str | None, typer.Option(metavar="C", help="Column of ids in a table.")] = None,
    threads: Annotated[int | None, typer.Option(metavar="T", help="All cores by default.")] = None,
) -> None:
    """Index a library of any size.

    Records that cannot be read are left out and listed. After Ctrl-C, or worse, the same command goes on
    where it was.
    """
    from prune4sed.cli.inputs import tell_skipped
    from prune4sed.cli.progress import pair_progress
    from prune4sed.search.building import build_index
    from prune4sed.search.index_meta import BUILDING

    started, before = perf_counter(), _source_of(out)
    options: dict[str, Any] = {
        name: value for name, value in (("column", column), ("id_column", id_column)) if value
    }
    try:
        with pair_progress(unit="records") as show:
            meta = build_index(
                library,
                out,
                format=format,
                edge_labels=edge_labels,
                model=None if model.lower() == "none" else model,
                threads=threads,
                progress=lambda done: show("indexing", done, None),
                **options,
            )
    except KeyboardInterrupt:
        if (out / BUILDING).exists():
            typer.echo(f"what is done is kept in {out}; the same command goes on", err=True)
        raise
    tell_skipped(library, meta.info["listed"], count=meta.info["problems"])
    typer.echo(f"{out}: {summary(meta)}, {perf_counter() - started:.1f} s")
    if before is not None and before != _source_of(out):
        typer.echo(f"it takes the place of an index of {before}", err=True)


def _source_of(folder: Path) -> str | None:
    """What the index in a folder was built from, if there is one that says so."""
    from prune4sed.search.index_meta import META, read_meta

    try:
        request = read_meta(folder / META).info.get("request")
    except FormatError:
        return None
    return str(request["source"]) if isinstance(request, dict) and "source" in request else None


def summary(meta: Meta) -> str:
    """What is in an index, in one line."""
    size = sum(file.bytes for file in meta.files) / 1e6
    parts = [f"{meta.graphs:,} graph{'s' * (meta.graphs != 1)}", f"{size:,.1f} MB"]
    for key, words in (
        ("problems", "left out"),
        ("in_pieces", "in several parts"),
        ("repeated_ids", "ids again"),
    ):
        if meta.info.get(key):
            parts.append(f"{meta.info[key]:,} {words}")
    return ", ".join(parts)
