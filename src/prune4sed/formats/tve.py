"""The t/v/e text of gSpan: ``t # id``, ``v 0 label``, ``e 0 1 label``, the label of an edge being optional.

Labels are integers if every one in the file is; node and edge labels are judged apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from prune4sed.errors import FormatError, GraphError
from prune4sed.formats.source import Source
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["read", "write"]

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})")


@dataclass(slots=True)
class _Record:
    line: int
    id: str | None
    labels: list[str] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    edge_labels: list[str] = field(default_factory=list)
    edge_lines: list[int] = field(default_factory=list)
    problem: str | None = None


def read(source: Source) -> Iterator[Graph | FormatError]:
    """Graphs of a t/v/e file; read as a whole first, for the kind of its labels shows only then."""
    records = list(_records(source))
    nodes = _all_numbers(label for record in records for label in record.labels)
    bonds = _all_numbers(label for record in records for label in record.edge_labels)
    for record in records:
        if record.problem is not None:
            yield FormatError(record.problem)
            continue
        try:
            yield Graph(
                _labels(record.labels, nodes),
                record.edges,
                _labels(record.edge_labels, bonds) if record.edge_labels else None,
                record.id,
            )
        except GraphError as error:
            yield FormatError(f"{source.name}:{_line_of_trouble(record)}: {error}")


def _records(source: Source) -> Iterator[_Record]:
    record: _Record | None = None
    for number, line in source.lines():
        words = line.split()
        if not words or words[0][0] in "#%":
            continue
        if words[0] == "t":
            if record is not None:
                yield record
            name = _title(line)
            record = None if name == "-1" else _Record(number, name)
        elif record is None:
            raise FormatError(f"{source.name}:{number}: expected 't # id' before {line.strip()[:60]!r}")
        elif record.problem is None:
            problem = _add(record, words, number)
            record.problem = problem and f"{source.name}:{number}: {problem}, found {line.strip()[:60]!r}"
    if record is not None:
        yield record


def _title(line: str) -> str | None:
    text = re.sub(r"^\s*t\s*(#\s*)?", "", line).strip()
    # gSpan writes the support of a pattern behind its number: "t # 3 * 12".
    return re.sub(r"\s+\*\s+\d+$", "", text) or None


def _add(record: _Record, words: list[str], number: int) -> str | None:
    """Put a v or e line into the record, or say what was expected instead."""
    if words[0] == "v":
        if len(words) != 3 or words[1] != str(len(record.labels)):
            return f"expected 'v {len(record.labels)} LABEL'"
        record.labels.append(words[2])
        return None
    if words[0] != "e":
        return "expected a line that starts with t, v or e"
    if len(words) not in (3, 4) or not (_NUMBER.fullmatch(words[1]) and _NUMBER.fullmatch(words[2])):
        return "expected 'e NODE NODE [LABEL]'"
    if record.edges and bool(record.edge_labels) != (len(words) == 4):
        return "expected a label on every edge of a graph or on none"
    record.edges.append((int(words[1]), int(words[2])))
    record.edge_labels.extend(words[3:])
    record.edge_lines.append(number)
    return None


def _line_of_trouble(record: _Record) -> int:
    """Where the first edge stands that no graph can have; else where the graph begins."""
    nodes, seen = range(len(record.labels)), set[frozenset[int]]()
    for line, ends in zip(record.edge_lines, map(frozenset, record.edges), strict=True):
        if len(ends) < 2 or ends in seen or not all(end in nodes for end in ends):
            return line
        seen.add(ends)
    return record.line


def _all_numbers(labels: Iterator[str]) -> bool:
    return all(map(_NUMBER.fullmatch, labels))


def _labels(labels: list[str], numbers: bool) -> list[Label]:
    return [int(label) for label in labels] if numbers else list(labels)


def write(graphs: GraphSet, out: IO[str]) -> None:
    """t/v/e text; a graph without an id is given its position as one."""
    words = {name: _word(name) for name in (*graphs.node_vocabulary, *(graphs.edge_vocabulary or ()))}
    for name, graph in zip(graphs.ids, graphs, strict=True):
        if name in ("", "-1") or name != " ".join(name.split()):
            raise FormatError(f"the id {name!r} cannot be written in t/v/e text; use jsonl")
        lines = [f"t # {name}"]
        lines += [f"v {i} {words[label]}" for i, label in enumerate(graph.labels)]
        if graph.edge_labels is None:
            lines += [f"e {u} {v}" for u, v in graph.edges]
        else:
            named = zip(graph.edges, graph.edge_labels, strict=True)
            lines += [f"e {u} {v} {words[label]}" for (u, v), label in named]
        out.write("\n".join(lines) + "\n")


def _word(label: Label) -> str:
    text = str(label)
    if len(text.split()) != 1 or text != text.strip():
        raise FormatError(
            f"the label {label!r} cannot be written in t/v/e text, where labels are single words; use jsonl"
        )
    return text
