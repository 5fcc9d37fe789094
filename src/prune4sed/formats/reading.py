"""read_graphs: the one door through which files come in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import signature
from os import PathLike
from pathlib import Path
from typing import IO, Any, Literal

from prune4sed.errors import FormatError, GraphError, OptionError
from prune4sed.formats.registry import Format, by_name, by_path, sniff
from prune4sed.formats.source import Source
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

__all__ = ["edges_as_asked", "format_of", "read_graphs"]

OnError = Literal["raise", "skip"]


def read_graphs(
    source: str | PathLike[str] | IO[Any],
    format: str | None = None,
    *,
    edge_labels: bool | None = None,
    on_error: OnError = "raise",
    **options: Any,
) -> GraphSet:
    """Read graphs from a file, compressed (.gz, .bz2, .xz, .zst) or not.

    Parameters
    ----------
    source : path, "-" or file object
        "-" is standard input. A TUDataset may be a folder or a zip.
    format : str, optional
        "smiles", "table" (csv, tsv), "sdf", "tve", "jsonl", "graphml", "arrow" or "tudataset". By default the
        suffix tells, or the first bytes of a stream.
    edge_labels : bool, optional
        True to label edges (a molecule's by bond), False to leave their labels out. By default molecules come
        without, other graphs as they are in the file.
    on_error : {"raise", "skip"}
        What to do about a bad record: raise, or leave it out and say so in ``problems`` of the result.
    **options
        Options of the format, such as ``column`` and ``id_column`` of tables.

    Returns
    -------
    GraphSet

    Raises
    ------
    FormatError
        One line that names the file and, where there is one, the line.

    Examples
    --------
    >>> import io
    >>> read_graphs(io.StringIO("CCO ethanol"), "smiles")[0]
    Graph(id='ethanol', nodes=3, edges=2, labels={C: 2, O: 1})
    """
    if on_error not in ("raise", "skip"):
        raise OptionError(f"on_error must be 'raise' or 'skip', not {on_error!r}")
    if isinstance(source, (str, PathLike)) and str(source) != "-":
        path = Path(source)
        chosen = format_of(path, format)
        if chosen.name == "tudataset":
            _check_options(chosen, options)
            return edges_as_asked(chosen.load().read(path, **options), edge_labels, str(path))
    with Source(source) as opened:
        if format is not None:
            chosen = by_name(format)
        elif opened.path is None:
            chosen = sniff(opened.head(), opened.name)
        if chosen.name == "tudataset":
            raise FormatError(f"{opened.name}: a TUDataset is read from the path of a folder or zip")
        _check_options(chosen, options)
        if chosen.bonds_on_request:
            options["edge_labels"] = bool(edge_labels)
        found = chosen.load().read(opened, **options)
        graphs = found if isinstance(found, GraphSet) else _gather(found, opened.name, chosen, on_error)
        return edges_as_asked(graphs, edge_labels, opened.name)


def format_of(path: Path, format: str | None) -> Format:
    """The format of a file or folder, by name if one is given."""
    if format is not None:
        return by_name(format)
    try:
        if path.is_dir():
            if any(path.glob("*_A.txt")):
                return by_name("tudataset")
            if (path / "meta.json").exists():
                raise FormatError(f"{path}: an index; expected the graphs themselves, as a file")
            raise FormatError(f"{path}: neither a TUDataset folder (DS_A.txt) nor an index (meta.json)")
        if not path.exists():
            raise FormatError(f"{path}: no such file")
    except (OSError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{str(path)[:80]!r} is not the path of a file ({error})") from None
    return by_path(path)


def _check_options(format: Format, options: dict[str, Any]) -> None:
    known = [
        name for name in signature(format.load().read).parameters if name not in ("source", "edge_labels")
    ]
    for name in options:
        if name not in known:
            has = ", ".join(known) if known else "none of its own"
            raise OptionError(f"the {format.name} format has no option {name!r}; it has: {has}")


def _gather(records: Iterable[Graph | FormatError], name: str, format: Format, on_error: OnError) -> GraphSet:
    problems: list[str] = []

    def good() -> Iterator[Graph]:
        for record in records:
            if isinstance(record, Graph):
                yield record
            elif on_error == "raise":
                raise record
            else:
                problems.append(str(record))

    try:
        graphs = GraphSet(good())
    except GraphError as error:
        raise FormatError(f"{name}: {error}") from None
    if not len(graphs):
        if problems:
            raise FormatError(
                f"{name}: none of {len(problems)} records can be read; the first: {problems[0]}"
            )
        raise FormatError(f"{name}: there are no graphs in it; expected {format.name} records")
    graphs.problems = tuple(problems)
    return graphs


def edges_as_asked(graphs: GraphSet, edge_labels: bool | None, name: str) -> GraphSet:
    """The graphs with or without edge labels; None leaves them as they are."""
    if edge_labels is False:
        return graphs.without_edge_labels()
    if edge_labels and graphs.edge_vocabulary is None and graphs.num_edges.any():
        raise FormatError(f"{name}: edge labels were asked for, but its edges have none")
    return graphs
