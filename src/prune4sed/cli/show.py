"""Results on the screen: one in full, many as a table, or any number as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import typer

from prune4sed.ids import name_at

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from prune4sed.exact.result import SedResult
    from prune4sed.graph import Graph


def console() -> Console:
    """A console that prints labels and names as they are: in SMILES, square brackets are no markup."""
    from rich.console import Console

    return Console(markup=False, highlight=False, emoji=False)


def show_json(results: Iterable[SedResult]) -> None:
    """One JSON object per line, each printed as soon as it is known."""
    for position, result in enumerate(results):
        typer.echo(json.dumps(as_record(result, position)))


def as_record(result: SedResult, position: int) -> dict[str, Any]:
    """A result as plain data; `position` is that of the target in its file."""
    return {
        "query": name_at(result.query.id, 0),
        "target": name_at(result.target.id, position),
        "target_position": position,
        "lower": result.lower,
        "upper": result.upper,
        "certified": result.certified,
        "mapping": list(result.mapping),
        "edits": [{**asdict(edit), "text": str(edit)} for edit in result.edits],
        "nodes": result.nodes,
        "seconds": result.seconds,
    }


def show_one(result: SedResult, threshold: float | None = None) -> None:
    """Distance, edits and mapping of one pair."""
    from rich.text import Text

    out = console()
    out.print(f"query   {_describe(result.query)}")
    out.print(f"target  {_describe(result.target)}")
    out.print(
        Text(_verdict(result, threshold), style="bold"),
        f" ({_count(result.nodes, 'search node')}, {_time(result.seconds)})\n",
        sep="",
    )
    out.print("\n".join(f"  {edit}" for edit in result.edits) or "  no edits: the target contains the query")
    if result.mapping:
        out.print()
        out.print(_mapping_table(result))


def _mapping_table(result: SedResult) -> Table:
    """Query nodes beside their images, edited ones marked."""
    from rich.table import Table
    from rich.text import Text

    marks = {"relabel node": ("relabelled", "yellow"), "delete node": ("deleted", "red")}
    edited = {edit.node: marks[edit.kind] for edit in result.edits if edit.node is not None}
    table = Table("query", "target", "", box=None, padding=(0, 3, 0, 0), header_style="dim")
    for u, v in enumerate(result.mapping):
        word, style = edited.get(u, ("", ""))
        image = "-" if v is None else f"{v} {result.target.labels[v]}"
        table.add_row(Text(f"{u} {result.query.labels[u]}"), Text(image), Text(word), style=style)
    return table


def show_table(results: Iterable[SedResult], total: int) -> None:
    """One line per target, in the order of the file; progress goes to standard error, if it is watched."""
    from rich.console import Console
    from rich.progress import track
    from rich.table import Table
    from rich.text import Text

    table = Table("target", "SED", "", "edits", box=None, padding=(0, 2, 0, 0), header_style="dim")
    seconds, proven, count = 0.0, 0, 0
    watched = Console(stderr=True)
    steps = track(
        results, "comparing", total, console=watched, transient=True, disable=not watched.is_terminal
    )
    for position, result in enumerate(steps):
        name = name_at(result.target.id, position)
        table.add_row(
            *map(Text, (name, _value(result), "certified" if result.certified else "bounds", _edits(result)))
        )
        seconds, proven, count = seconds + result.seconds, proven + result.certified, count + 1
    out = console()
    out.print(table)
    out.print(f"\n{count} targets, {proven} certified, {_time(seconds)}")


def _describe(g: Graph) -> str:
    name = f"{g.id}: " if g.id is not None else ""
    return f"{name}{_count(g.num_nodes, 'node')}, {_count(g.num_edges, 'edge')}"


def _verdict(result: SedResult, threshold: float | None) -> str:
    """The answer as a sentence."""
    if result.certified:
        return f"SED = {result.upper:g}, certified"
    if threshold is not None and result.lower > threshold:
        return f"SED > {threshold:g}, certified: {result.lower:g} <= SED <= {result.upper:g}"
    more = "more --time-limit or --node-limit narrows it"
    return f"{result.lower:g} <= SED <= {result.upper:g}, not certified; {more}"


def _value(result: SedResult) -> str:
    return f"{result.upper:g}" if result.certified else f"{result.lower:g} to {result.upper:g}"


def _edits(result: SedResult) -> str:
    """All edits in a line, cut where a table cell would get long."""
    text = "; ".join(map(str, result.edits))
    return text if len(text) <= 120 else f"{text[:100]}... ({len(result.edits)} edits)"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _time(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms"
