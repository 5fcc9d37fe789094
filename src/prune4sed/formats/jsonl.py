"""JSON lines: one object a line with "labels", "edges" and, where wanted, "edge_labels" and "id".

A file that is one JSON document, a list of such objects or a single one, is read too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from prune4sed.errors import FormatError, GraphError
from prune4sed.formats.source import Source
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

__all__ = ["read", "write"]

_EXPECTED = 'expected {"labels": [...], "edges": [[u, v], ...]}'


def read(source: Source) -> Iterator[Graph | FormatError]:
    """Graphs of a JSON lines file."""
    first = source.head().lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].strip()
    if first.startswith(b"[") or first == b"{":
        yield from _document(source)
        return
    for number, line in source.lines():
        if line.strip():
            yield _parse(line, f"{source.name}:{number}")


def _document(source: Source) -> Iterator[Graph | FormatError]:
    try:
        document = json.loads(source.text().rstrip())
    except json.JSONDecodeError as error:
        raise FormatError(f"{source.name}:{error.lineno}: not JSON ({error.msg}); {_EXPECTED}") from None
    except RecursionError:
        raise FormatError(f"{source.name}: the JSON is nested too deeply; {_EXPECTED}") from None
    for i, item in enumerate(document if isinstance(document, list) else [document]):
        yield _graph(item, f"{source.name}: graph {i}")


def _parse(line: str, where: str) -> Graph | FormatError:
    try:
        return _graph(json.loads(line), where)
    except json.JSONDecodeError as error:
        return FormatError(f"{where}: not JSON ({error.msg} at column {error.colno}); {_EXPECTED}")
    except (RecursionError, ValueError) as error:
        return FormatError(f"{where}: not JSON ({error}); {_EXPECTED}")


def _graph(item: Any, where: str) -> Graph | FormatError:
    if not isinstance(item, dict) or "labels" not in item:
        return FormatError(f"{where}: this is no graph; {_EXPECTED}")
    name: Any = item.get("id")
    if isinstance(name, int) and not isinstance(name, bool):
        name = str(name)
    edges = item.get("edges")
    try:
        return Graph(item["labels"], () if edges is None else edges, item.get("edge_labels"), name)
    except GraphError as error:
        return FormatError(f"{where}: {error}")


def write(graphs: GraphSet, out: IO[str]) -> None:
    """One object a line."""
    for graph in graphs:
        item: dict[str, Any] = {} if graph.id is None else {"id": graph.id}
        item |= {"labels": graph.labels, "edges": graph.edges}
        if graph.edge_labels is not None:
            item["edge_labels"] = graph.edge_labels
        out.write(json.dumps(item, separators=(",", ":")) + "\n")
