"""Flat arrays from graphs, and from other flat arrays: build, take, concat."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.arrays import GraphArrays, offsets_of
from prune4sed.errors import GraphError, GraphTypeError
from prune4sed.graph import Graph
from prune4sed.ids import Ids
from prune4sed.labels import Label

__all__ = ["build", "concat", "take"]

# Graphs turned into arrays at a time, so that a generator of a million graphs never lives in memory as
# objects.
_CHUNK = 1 << 14


def build(graphs: Iterable[Graph]) -> GraphArrays:
    """Flat arrays of many graphs."""
    parts = [_build_chunk(chunk, first) for first, chunk in _chunks(graphs)]
    return concat(parts)


def _chunks(graphs: Iterable[Graph]) -> Iterator[tuple[int, list[Graph]]]:
    try:
        source = iter(graphs)
    except TypeError:
        raise GraphTypeError(f"a GraphSet is made from graphs, not from {graphs!r}") from None
    first = 0
    while chunk := list(islice(source, _CHUNK)):
        for i, graph in enumerate(chunk):
            if not isinstance(graph, Graph):
                raise GraphTypeError(f"item {first + i} is a {_kind(graph)}, not a Graph")
        yield first, chunk
        first += len(chunk)


def _kind(thing: object) -> str:
    """The name of a type, with its package where it has one: other packages have a Graph as well."""
    kind = type(thing)
    package = kind.__module__.partition(".")[0]
    return kind.__name__ if package == "builtins" else f"{package}.{kind.__name__}"


def _build_chunk(graphs: list[Graph], first: int) -> GraphArrays:
    nodes = list(chain.from_iterable(g.labels for g in graphs))
    node_names = _vocabulary(set(nodes), [g.labels for g in graphs], first, "labels")
    with_edges = [(i, g) for i, g in enumerate(graphs) if g.edges]
    labelled = bool(with_edges) and with_edges[0][1].edge_labels is not None
    for i, g in with_edges:
        if (g.edge_labels is not None) is not labelled:
            _refuse_mixed_edges(first + with_edges[0][0], first + i, labelled)
    bonds = list(chain.from_iterable(g.edge_labels or () for g in graphs)) if labelled else []
    bond_names = _vocabulary(set(bonds), [g.edge_labels or () for g in graphs], first, "edge labels")
    counts = [len(g.edges) for g in graphs]
    ends = chain.from_iterable(chain.from_iterable(g.edges for g in graphs))
    return GraphArrays(
        node_offsets=offsets_of([len(g.labels) for g in graphs]),
        node_labels=_codes(nodes, node_names),
        edge_offsets=offsets_of(counts),
        edges=np.fromiter(ends, np.int32, 2 * sum(counts)).reshape(-1, 2),
        edge_labels=_codes(bonds, bond_names) if labelled else None,
        node_vocabulary=node_names,
        edge_vocabulary=bond_names if labelled else None,
        ids=Ids.of([g.id for g in graphs]),
    )


def _codes(labels: list[Label], names: tuple[Label, ...]) -> NDArray[np.int32]:
    code = {name: i for i, name in enumerate(names)}
    return np.fromiter(map(code.__getitem__, labels), np.int32, len(labels))


def _vocabulary(
    found: set[Label], rows: Sequence[Sequence[Label]], first: int, what: str
) -> tuple[Label, ...]:
    """Labels in sorted order, so that the same graphs always give the same file."""
    if len({type(label) for label in found}) > 1:
        kinds = [(i, type(row[0])) for i, row in enumerate(rows) if row]
        other = next(i for i, kind in kinds if kind is not kinds[0][1])
        _refuse_mixed(first + kinds[0][0], kinds[0][1], first + other, what)
    return tuple(sorted(found))


def _refuse_mixed(one: int, kind: type, other: int, what: str) -> None:
    has, hasnt = ("string", "integer") if kind is str else ("integer", "string")
    raise GraphError(
        f"graph {other} has {hasnt} {what}, but graph {one} has {has} {what}; a set holds one kind"
    )


def _refuse_mixed_edges(one: int, other: int, labelled: bool) -> None:
    has, hasnt = ("edge labels", "none") if labelled else ("no edge labels", "some")
    raise GraphError(f"graph {other} has {hasnt}, but graph {one} has {has}; in a set all have them or none")


def concat(parts: Sequence[GraphArrays]) -> GraphArrays:
    """Flat arrays one after another, over the union of their vocabularies."""
    parts = [part for part in parts if len(part)]
    firsts = np.cumsum([0, *map(len, parts)]).tolist()
    names = _union([part.node_vocabulary for part in parts], firsts, "labels")
    with_edges = [i for i, part in enumerate(parts) if part.edge_offsets[-1] > part.edge_offsets[0]]
    labelled = [parts[i].edge_labels is not None for i in with_edges]
    if any(labelled) and not all(labelled):
        other = labelled.index(not labelled[0])
        _refuse_mixed_edges(firsts[with_edges[0]], firsts[with_edges[other]], labelled[0])
    bond_names: tuple[Label, ...] | None = None
    if any(labelled):
        bond_names = _union([part.edge_vocabulary or () for part in parts], firsts, "edge labels")
    arrays = GraphArrays(
        node_offsets=offsets_of(_joined([np.diff(part.node_offsets) for part in parts], np.int64)),
        node_labels=_joined(
            [_recoded(p.node_labels, p.node_offsets, p.node_vocabulary, names) for p in parts]
        ),
        edge_offsets=offsets_of(_joined([np.diff(part.edge_offsets) for part in parts], np.int64)),
        edges=_joined([_used(part.edges, part.edge_offsets) for part in parts]).reshape(-1, 2),
        edge_labels=None if bond_names is None else _joined([_bonds(part, bond_names) for part in parts]),
        node_vocabulary=names,
        edge_vocabulary=bond_names,
        ids=parts[0].ids
        if len(parts) == 1
        else Ids.of([name for part in parts for name in part.ids.to_list()]),
    )
    return _frozen(arrays)


def _union(vocabularies: Sequence[tuple[Label, ...]], firsts: list[int], what: str) -> tuple[Label, ...]:
    if len(vocabularies) == 1:
        return vocabularies[0]
    return _vocabulary(set().union(*vocabularies), vocabularies, 0, what) if vocabularies else ()


def _bonds(part: GraphArrays, names: tuple[Label, ...]) -> NDArray[np.int32]:
    if part.edge_labels is None:
        return np.zeros(0, dtype=np.int32)
    return _recoded(part.edge_labels, part.edge_offsets, part.edge_vocabulary or (), names)


def _recoded(
    codes: NDArray[np.int32], offsets: NDArray[np.int64], old: tuple[Label, ...], new: tuple[Label, ...]
) -> NDArray[np.int32]:
    used = _used(codes, offsets)
    return used if old == new else _codes(list(old), new)[used]


def _used(values: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int32]:
    return values[int(offsets[0]) : int(offsets[-1])]


def _joined(pieces: list[NDArray[Any]], dtype: type[np.int32] | type[np.int64] = np.int32) -> NDArray[Any]:
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype=dtype)


def _frozen(arrays: GraphArrays) -> GraphArrays:
    for array in (arrays.node_labels, arrays.edges, arrays.edge_labels):
        if array is not None:
            array.setflags(write=False)
    return arrays


def take(arrays: GraphArrays, rows: NDArray[np.int64]) -> GraphArrays:
    """The chosen graphs, copied into arrays of their own."""
    nodes, node_offsets = _gather(arrays.node_offsets, rows)
    ends, edge_offsets = _gather(arrays.edge_offsets, rows)
    names = [arrays.ids.given(i) for i in rows.tolist()] if arrays.ids.any_given else None
    return _frozen(
        GraphArrays(
            node_offsets=node_offsets,
            node_labels=arrays.node_labels[nodes],
            edge_offsets=edge_offsets,
            edges=arrays.edges[ends],
            edge_labels=None if arrays.edge_labels is None else arrays.edge_labels[ends],
            node_vocabulary=arrays.node_vocabulary,
            edge_vocabulary=arrays.edge_vocabulary,
            ids=Ids(len(rows)) if names is None else Ids.of(names),
        )
    )


def _gather(
    offsets: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the items of the chosen rows lie, and the offsets they have once gathered."""
    lengths = offsets[rows + 1] - offsets[rows]
    gathered = offsets_of(lengths)
    return np.repeat(offsets[rows] - gathered[:-1], lengths) + np.arange(int(gathered[-1])), gathered
