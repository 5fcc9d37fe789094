"""What stands on the command line for graphs: a file, ``-`` for standard input, or a SMILES string."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from prune4sed.errors import FormatError, OptionError
from prune4sed.ids import name_at

if TYPE_CHECKING:
    from prune4sed.graph import Graph

# Wildcards to a chemist.
_SIGNS = {"*": "an atom", "~": "a bond"}


def read_pair(
    query: str, target: str, format: str | None = None, edge_labels: bool = False
) -> tuple[Graph, Sequence[Graph]]:
    """The one query and its targets.

    Raises
    ------
    OptionError
        If both are ``-``, if QUERY holds several graphs, or if one of them holds none.
    """
    if query == target == "-":
        raise OptionError("QUERY and TARGET cannot both be -; give one of them as a file or SMILES")
    queries = read_input(query, "QUERY", format, edge_labels)
    if len(queries) != 1:
        shown = [name_at(g.id, position) for position, g in enumerate(islice(queries, 3))]
        names = ", ".join(shown) + (", ..." if len(queries) > 3 else "")
        raise OptionError(f"QUERY {query} holds {len(queries)} graphs ({names}); give a file with one")
    return queries[0], read_input(target, "TARGET", format, edge_labels)


def read_input(
    text: str,
    role: str,
    format: str | None = None,
    edge_labels: bool = False,
    skip: bool = False,
    quiet: bool = False,
    **options: Any,
) -> Sequence[Graph]:
    """The graphs that one argument stands for, at least one.

    Parameters
    ----------
    text
        The argument.
    role
        How the usage line calls it, for messages.
    format
        Format of a file or standard input; None to tell from the suffix or the content.
    edge_labels
        Label edges by bond when reading molecules.
    skip
        Leave out records of a file that cannot be read, and list them on standard error, instead of refusing.
    quiet
        Whether this is not the time to tell what may be meant in another way.
    **options
        Of the format, as for `read_graphs`.
    """
    from prune4sed.formats import read_graphs
    from prune4sed.formats.registry import by_name

    if format is not None:
        by_name(format)  # a name that is none is refused where it is not needed, too
    if text != "-" and not _exists(text):
        graph = _smiles(text, role, edge_labels)
        if role.startswith("QUER") and not quiet:
            tell_no_wildcards(text, [sign for sign in _SIGNS if sign in (*graph.labels, *text)])
        return [graph]
    on_error: Literal["raise", "skip"] = "skip" if skip else "raise"
    graphs = read_graphs(text, format=format, edge_labels=edge_labels, on_error=on_error, **options)
    tell_skipped(text, graphs.problems)
    if not len(graphs):
        raise OptionError(f"{role} {text} holds no graphs")
    if role.startswith("QUER") and not quiet and _of_molecules(text, format):
        tell_no_wildcards(text, [sign for sign in _SIGNS if sign in graphs.node_vocabulary])
    return graphs


def tell_no_wildcards(name: str, signs: Sequence[str]) -> None:
    """A chemist may mean more by a query with these, such as a fragment with a place to go on from."""
    for sign in signs:
        typer.echo(f"{name}: {sign} is {_SIGNS[sign]} like others here, and no wildcard", err=True)


def _of_molecules(text: str, format: str | None) -> bool:
    """Whether the nodes of a file are atoms; what comes by standard input is taken for graphs of any kind."""
    from prune4sed.formats.reading import format_of

    return text != "-" and format_of(Path(text), format).name in ("smiles", "table", "sdf")


def tell_skipped(name: str | Path, problems: Sequence[str], most: int = 20, count: int | None = None) -> None:
    """Count and list records that were left out, on standard error; `count` if not all are at hand."""
    if not problems:
        return
    total = len(problems) if count is None else count
    typer.echo(f"{name}: {total} record{'s' * (total != 1)} left out", err=True)
    for problem in problems[:most]:
        typer.echo(f"  {problem}", err=True)
    if total > most:
        typer.echo(f"  ... and {total - most} more", err=True)


def _exists(text: str) -> bool:
    """Whether the text names a file or folder; a long SMILES is no possible name at all, nor is nothing."""
    try:
        return bool(text) and Path(text).exists()
    except (OSError, ValueError):
        return False


def _smiles(text: str, role: str, edge_labels: bool) -> Graph:
    """A SMILES string as a graph that is named after it."""
    from prune4sed.formats import parse_smiles

    try:
        return parse_smiles(text, edge_labels, id=text)
    except FormatError as error:
        raise OptionError(f"{role} {text!r} is neither a file that exists nor a molecule: {error}") from None
