"""write_graphs: the one door through which files go out."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from prune4sed.atomic import replacing
from prune4sed.errors import FormatError
from prune4sed.formats.registry import COMPRESSED, by_name, by_path
from prune4sed.formats.target import open_target
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

__all__ = ["write_graphs"]


def write_graphs(
    graphs: GraphSet | Iterable[Graph] | Graph, path: str | PathLike[str], format: str | None = None
) -> None:
    """Write graphs to a file, whole or not at all.

    Parameters
    ----------
    graphs : GraphSet, iterable of Graph, or Graph
        What to write.
    path : path
        Text formats are compressed if it ends in .gz, .bz2, .xz or .zst.
    format : str, optional
        "tve", "jsonl", "graphml", "arrow" or "tudataset" (a zip). By default the suffix tells.

    Raises
    ------
    FormatError
        If the format cannot hold the graphs, or the file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from prune4sed.formats import read_graphs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graphs(Graph(["C", "O"], [(0, 1)]), f"{folder}/one.tve")
    ...     read_graphs(f"{folder}/one.tve")[0].labels
    ('C', 'O')
    """
    target = Path(path)
    chosen = by_path(target) if format is None else by_name(format)
    if not chosen.writable:
        raise FormatError(
            f"{target}: graphs cannot be written as {chosen.name}, for they keep no valences or charges; "
            "write jsonl, tve, graphml, arrow or tudataset instead"
        )
    if isinstance(graphs, Graph):
        graphs = [graphs]
    full = graphs if isinstance(graphs, GraphSet) else GraphSet(graphs)
    if chosen.name == "arrow":
        if target.suffix.lower() in COMPRESSED:
            raise FormatError(
                f"{target}: a GraphSet file is mapped into memory and so not compressed; use .arrow"
            )
        full.save(target)
    elif chosen.name == "tudataset":
        with replacing(target) as temporary:
            chosen.load().write(full, temporary, target.stem)
    else:
        with open_target(target) as out:
            chosen.load().write(full, out)
