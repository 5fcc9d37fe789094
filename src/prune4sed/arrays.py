"""GraphArrays: many graphs as flat arrays, the layout behind GraphSet, with its checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prune4sed.errors import GraphError, GraphTypeError, Prune4SEDError
from prune4sed.graph import Graph
from prune4sed.graph_check import clean_labels
from prune4sed.ids import Ids
from prune4sed.labels import Label

__all__ = ["GraphArrays", "check_arrays", "flat", "offsets_of", "vocabulary"]

Ints = NDArray[np.int32]
Offsets = NDArray[np.int64]

# Edges looked at together when searching for repeats: bounds the memory of a check, whatever the size of the
# set.
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class GraphArrays:
    """Graph ``i`` owns nodes ``node_offsets[i]:node_offsets[i + 1]`` and the edges of ``edge_offsets``
    likewise.

    Labels are positions in the vocabularies; edges hold node numbers within their graph. A slice of the set
    slices the offsets and shares everything else, so offsets need not start at 0.
    """

    node_offsets: Offsets
    node_labels: Ints
    edge_offsets: Offsets
    edges: Ints
    edge_labels: Ints | None
    node_vocabulary: tuple[Label, ...]
    edge_vocabulary: tuple[Label, ...] | None
    ids: Ids

    def __len__(self) -> int:
        return len(self.node_offsets) - 1

    def view(self, start: int, stop: int) -> GraphArrays:
        """The graphs from `start` to `stop`, copying nothing."""
        return replace(
            self,
            node_offsets=self.node_offsets[start : stop + 1],
            edge_offsets=self.edge_offsets[start : stop + 1],
            ids=self.ids.view(start, stop),
        )

    def graph(self, i: int, error: type[Prune4SEDError]) -> Graph:
        """Graph `i` as an object, raising `error` where its arrays make no sense."""
        nodes = _piece(self.node_offsets, i, len(self.node_labels), f"graph {i}: its nodes", error)
        ends = _piece(self.edge_offsets, i, len(self.edges), f"graph {i}: its edges", error)
        labels = _names(self.node_labels[nodes], self.node_vocabulary, f"graph {i}: the label of node", error)
        bonds = None
        if self.edge_labels is not None:
            names = self.edge_vocabulary or ()
            bonds = _names(self.edge_labels[ends], names, f"graph {i}: the label of edge", error)
        try:
            return Graph(labels, self.edges[ends].tolist(), bonds, self.ids.given(i))
        except GraphError as problem:
            raise error(f"graph {i}: {problem}") from None


def _piece(offsets: Offsets, i: int, size: int, what: str, error: type[Prune4SEDError]) -> slice:
    start, stop = int(offsets[i]), int(offsets[i + 1])
    if not 0 <= start <= stop <= size:
        raise error(f"{what} are said to be {start} to {stop} of {size}")
    return slice(start, stop)


def _names(codes: Ints, names: tuple[Label, ...], what: str, error: type[Prune4SEDError]) -> list[Label]:
    numbers = codes.tolist()
    if numbers and not (min(numbers) >= 0 and max(numbers) < len(names)):
        bad = next(i for i, code in enumerate(numbers) if not 0 <= code < len(names))
        raise error(f"{what} {bad} is number {numbers[bad]} of a vocabulary of {len(names)}")
    return [names[code] for code in numbers]


def flat(
    values: ArrayLike, dtype: type[np.int32] | type[np.int64], name: str, width: int = 0
) -> NDArray[Any]:
    """Integers as a read-only C-contiguous array of the wanted type, copied only if they must be."""
    array = np.asarray(values)
    if array.size == 0:
        array = np.zeros((0, width) if width else 0, dtype=dtype)
    if array.dtype.kind not in "iu":
        raise GraphTypeError(f"{name} must hold integers, not {array.dtype}")
    if array.ndim != (2 if width else 1) or (width and array.shape[1] != width):
        raise GraphError(f"{name} must have shape {f'(n, {width})' if width else '(n,)'}, not {array.shape}")
    if array.dtype != dtype and array.size:
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise GraphError(f"{name} holds numbers that do not fit in {limits.bits} bits")
    view = np.ascontiguousarray(array, dtype=dtype).view()
    view.setflags(write=False)
    return view


def offsets_of(lengths: Sequence[int] | NDArray[Any]) -> Offsets:
    """Offsets from lengths: ``[2, 3]`` gives ``[0, 2, 5]``."""
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    offsets.setflags(write=False)
    return offsets


def vocabulary(names: Sequence[Label], what: str) -> tuple[Label, ...]:
    """Names of one kind without repeats, or GraphError."""
    clean = clean_labels(names, what)
    if len(set(clean)) != len(clean):
        twice = next(name for i, name in enumerate(clean) if name in clean[:i])
        raise GraphError(f"the {what} vocabulary lists {twice!r} more than once")
    return clean


def check_arrays(arrays: GraphArrays, error: type[Prune4SEDError]) -> None:
    """Check every graph at once, raising `error` about the first bad one."""
    if len(arrays.edge_offsets) != len(arrays.node_offsets):
        raise error(f"{len(arrays) + 1} node offsets but {len(arrays.edge_offsets)} edge offsets")
    if arrays.edge_labels is not None and len(arrays.edge_labels) != len(arrays.edges):
        raise error(f"{len(arrays.edge_labels)} edge labels for {len(arrays.edges)} edges")
    for bad in (_bad_offsets(arrays), _bad_labels(arrays), _bad_edges(arrays)):
        if bad is not None:
            arrays.graph(bad, error)  # raises, naming the node or edge
            raise error(f"graph {bad} is damaged")


def _bad_offsets(arrays: GraphArrays) -> int | None:
    for offsets, size in (
        (arrays.node_offsets, len(arrays.node_labels)),
        (arrays.edge_offsets, len(arrays.edges)),
    ):
        bad = (offsets[:-1] < 0) | (offsets[1:] > size) | (offsets[1:] < offsets[:-1])
        if bad.any():
            return int(bad.argmax())
    return None


def _bad_labels(arrays: GraphArrays) -> int | None:
    columns = [(arrays.node_labels, arrays.node_offsets, arrays.node_vocabulary)]
    if arrays.edge_labels is not None:
        columns.append((arrays.edge_labels, arrays.edge_offsets, arrays.edge_vocabulary or ()))
    for codes, offsets, names in columns:
        start = int(offsets[0])
        used = codes[start : int(offsets[-1])]
        if used.size and (used.min() < 0 or used.max() >= len(names)):
            at = start + int(((used < 0) | (used >= len(names))).argmax())
            return int(np.searchsorted(offsets, at, side="right")) - 1
    return None


def _bad_edges(arrays: GraphArrays) -> int | None:
    counts = np.diff(arrays.edge_offsets)
    steps = np.searchsorted(np.cumsum(counts), np.arange(_CHUNK, int(counts.sum()), _CHUNK)) + 1
    bounds: list[int] = sorted({0, *steps.tolist(), len(arrays)})
    for start, stop in pairwise(bounds):
        bad = _bad_edges_of(arrays.view(start, stop))
        if bad is not None:
            return start + bad
    return None


def _bad_edges_of(arrays: GraphArrays) -> int | None:
    """The first graph of a chunk with an edge that leaves it, is a self-loop or repeats another."""
    sizes = np.diff(arrays.node_offsets)
    owner = np.repeat(np.arange(len(arrays)), np.diff(arrays.edge_offsets))
    ends = arrays.edges[int(arrays.edge_offsets[0]) : int(arrays.edge_offsets[-1])].astype(np.int64)
    low, high = ends.min(axis=1, initial=np.iinfo(np.int64).max), ends.max(axis=1, initial=-1)
    wrong = (low < 0) | (high >= sizes[owner]) | (low == high)
    if wrong.any():
        return int(owner[wrong.argmax()])
    if float((sizes.astype(float) ** 2).sum()) < 2**62:
        # One number per possible edge of the whole chunk: a plain sort then brings repeats together.
        keys = offsets_of(sizes**2)[owner] + low * sizes[owner] + high
        order = np.argsort(keys, kind="stable")
        same = np.diff(keys[order]) == 0
    else:
        order = np.lexsort((high, low, owner))
        same = (np.diff(owner[order]) == 0) & (np.diff(low[order]) == 0) & (np.diff(high[order]) == 0)
    return int(np.min(owner[order[1:][same]])) if same.any() else None
