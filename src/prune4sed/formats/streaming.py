"""stream_graphs: a large file part by part, molecules parsed on all cores."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, islice
from multiprocessing import get_context
from os import PathLike
from pathlib import Path
from typing import Any

from prune4sed.errors import FormatError
from prune4sed.formats.pieces import in_pieces
from prune4sed.formats.reading import edges_as_asked, format_of, read_graphs
from prune4sed.formats.registry import Format
from prune4sed.formats.smiles_row import SmilesRow
from prune4sed.formats.source import Source
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

__all__ = ["Part", "stream_graphs"]

#: Rows that one process parses at a time; with fewer than four times as many, starting others takes longer.
BATCH = 2000
#: Formats whose rows can be told apart before they are parsed.
ROWS = ("smiles", "table")


@dataclass(frozen=True)
class Part:
    """Some records of a file, in order.

    Attributes
    ----------
    graphs : GraphSet
        Those that could be read.
    problems : tuple of str
        What is wrong with the others.
    records : int
        How many these are together.
    in_pieces : tuple of int
        Positions in `graphs` of molecules of several parts, such as salts; they stay whole.
    """

    graphs: GraphSet
    problems: tuple[str, ...]
    records: int
    in_pieces: tuple[int, ...] = ()


def stream_graphs(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    edge_labels: bool | None = None,
    skip: int = 0,
    size: int = 1 << 16,
    processes: int = 1,
    **options: Any,
) -> Iterator[Part]:
    """Read a file part by part; records that cannot be read are left out and told of.

    Parameters
    ----------
    path, format, edge_labels, **options
        As for `read_graphs`.
    skip : int
        Leave out so many records at the beginning.
    size : int
        Records in a part.
    processes : int
        How many parse molecules. Files of other graphs are read as a whole.

    Yields
    ------
    Part
    """
    chosen = format_of(Path(path), format)
    if chosen.name not in ROWS:
        yield from _slices(path, chosen, format, edge_labels, skip, size, options)
        return
    with Source(path) as source, _parsers(processes, bool(edge_labels)) as parse_all:
        rows = islice(chosen.load().rows(source, **options), skip, None)
        parsed = parse_all(rows)
        while part := _gathered(list(islice(parsed, max(1, -(-size // BATCH)))), source.name, edge_labels):
            yield part


def _slices(
    path: str | PathLike[str],
    chosen: Format,
    format: str | None,
    edge_labels: bool | None,
    skip: int,
    size: int,
    options: dict[str, Any],
) -> Iterator[Part]:
    graphs = read_graphs(path, format, edge_labels=edge_labels, on_error="skip", **options)
    problems = graphs.problems if not skip else ()
    for start in range(skip, len(graphs), size):
        part = graphs[start : start + size]
        # A molecule of several parts is worth telling; for other graphs it is nothing special.
        salts = in_pieces(part).tolist() if chosen.bonds_on_request else ()
        yield Part(part, problems, len(part), tuple(salts))
        problems = ()


def _gathered(batches: list[Part], name: str, edge_labels: bool | None) -> Part | None:
    if not batches:
        return None
    graphs = GraphSet.concat([batch.graphs for batch in batches])
    starts = accumulate((len(batch.graphs) for batch in batches[:-1]), initial=0)
    return Part(
        edges_as_asked(graphs, edge_labels, name),
        tuple(problem for batch in batches for problem in batch.problems),
        sum(batch.records for batch in batches),
        tuple(start + at for start, batch in zip(starts, batches, strict=True) for at in batch.in_pieces),
    )


@contextmanager
def _parsers(processes: int, edge_labels: bool) -> Iterator[Any]:
    """A function from rows to parsed batches, in order, on so many processes."""

    def here(rows: Iterator[SmilesRow | FormatError]) -> Iterator[Part]:
        while batch := list(islice(rows, BATCH)):
            yield _parse(batch, edge_labels)

    def there(rows: Iterator[SmilesRow | FormatError]) -> Iterator[Part]:
        first = list(islice(rows, 4 * BATCH))
        if len(first) < 4 * BATCH:
            yield from here(iter(first))
            return
        with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
            waiting: deque[Future[Part]] = deque()
            batches = [first[i : i + BATCH] for i in range(0, len(first), BATCH)]
            try:
                while batches or waiting:
                    waiting.extend(pool.submit(_parse, batch, edge_labels) for batch in batches)
                    yield waiting.popleft().result()
                    batches = [more] if (more := list(islice(rows, BATCH))) else []
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    yield here if processes == 1 else there


def _parse(rows: list[SmilesRow | FormatError], edge_labels: bool) -> Part:
    found = [row if isinstance(row, FormatError) else row.parse(edge_labels) for row in rows]
    read = [(row, graph) for row, graph in zip(rows, found, strict=True) if isinstance(graph, Graph)]
    problems = tuple(str(problem) for problem in found if isinstance(problem, FormatError))
    salts = tuple(at for at, (row, _) in enumerate(read) if isinstance(row, SmilesRow) and "." in row.text)
    return Part(GraphSet(graph for _, graph in read), problems, len(rows), salts)
