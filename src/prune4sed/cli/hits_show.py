"""Hits for people (a table) and for programs (TSV, JSON lines)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from prune4sed.search.hits import Hit, Hits

COLUMNS = ("query", "rank", "id", "position", "lower", "upper", "certified", "predicted", "mapping", "edits")


def show_hits(hits: Hits, format: str, radius: float | None = None, header: bool = True) -> None:
    """Print the answer to one query.

    Parameters
    ----------
    hits : Hits
        The answer.
    format : str
        ``"table"``, ``"tsv"`` or ``"jsonl"``.
    radius : float, optional
        Of a search for all within a distance.
    header : bool
        Whether a TSV starts with the names of its columns.
    """
    if format == "jsonl":
        for record in _records(hits):
            typer.echo(json.dumps(record))
    elif format == "tsv":
        if header:
            typer.echo("\t".join(COLUMNS))
        for record in _records(hits):
            typer.echo("\t".join(_cell(record[column]) for column in COLUMNS))
    else:
        _table(hits)
    if format != "table":  # what the lines do not say, where it does not disturb a program
        typer.echo(f"{hits.query.id or 'query'}: {verdict(hits, radius)}", err=True)
        return
    typer.echo(verdict(hits, radius))


def _records(hits: Hits) -> list[dict[str, Any]]:
    return [
        {
            "query": hits.query.id,
            "rank": rank,
            "id": hit.id,
            "position": hit.position,
            "lower": hit.lower,
            "upper": hit.upper,
            "certified": hit.certified,
            "predicted": hit.predicted,
            "mapping": list(hit.mapping),
            "edits": edit_words(hits, hit),
        }
        for rank, hit in enumerate(hits, 1)
    ]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        return ",".join("-" if item is None else str(item) for item in value)
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return " ".join(text.split())  # a tab or a line end in a name would break the table


def edit_words(hits: Hits, hit: Hit) -> str:
    """The edits in words: ``relabel atom 3 from N to C, delete bond 3-4``."""
    molecule = looks_like_molecule(hits)
    return ", ".join(edit.words(molecule) for edit in hits.edits(hit))


def looks_like_molecule(hits: Hits) -> bool:
    """Whether all labels of the query could be element symbols."""
    from prune4sed.datasets.elements import ELEMENTS

    known = {*ELEMENTS, "H", "Al", "Ti", "V", "Cr", "Mn", "Fe", "Mo", "Ag", "Cd", "Ca", "Ba", "Zr", "U"}
    return bool(hits.query.labels) and known.issuperset(hits.query.labels)


def _table(hits: Hits) -> None:
    from rich.table import Table
    from rich.text import Text

    from prune4sed.cli.show import console

    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("SED", "", "id", "edits"):
        table.add_column(title, justify="right" if title == "SED" else "left", overflow="fold")
    for hit in hits:
        proof = "proven" if hit.certified else "bounds"
        table.add_row(
            *map(Text, (hit.distance, proof, hit.id, edit_words(hits, hit) or "none: it contains it"))
        )
    console().print(table)


def verdict(hits: Hits, radius: float | None = None) -> str:
    """What the answer is worth, in a sentence or two."""
    count, total = len(hits), hits.counts.targets
    what = f"{count:,} of {total:,} graphs" + (f" within {radius:g}" if radius is not None else "")
    words = [f"{what}, {'proven' if hits.proven else 'not proven'}, {hits.elapsed:.2f} s"]
    if hits.proven and (hits.ties or hits.possible_ties):
        more = [f"{hits.ties:,} more as near as the last"] if hits.ties else []
        more += [f"{hits.possible_ties:,} that may be as near"] if hits.possible_ties else []
        words.append("there are " + " and ".join(more))
    if not hits.proven and hits.counts.left:
        words.append(f"{hits.counts.left:,} graphs could still belong here; a longer --time-limit decides")
    return "; ".join([*words, *hits.notes])
