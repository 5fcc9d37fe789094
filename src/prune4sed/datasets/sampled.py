"""SampledSet: queries, targets and which belong together, before they are labelled; and its fingerprint."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["SampledSet", "fingerprint"]


@dataclass(frozen=True, eq=False)
class SampledSet:
    """The pairs of one set.

    Attributes
    ----------
    name : str
        For example ``"train"``.
    queries, targets : GraphSet
        Sets of one dataset that share a pool of targets share this very object.
    index : array of int64, (n, 2)
        Pair ``i`` is query ``index[i, 0]``, which is ``i``, and target ``index[i, 1]``.
    """

    name: str
    queries: GraphSet
    targets: GraphSet
    index: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.index)

    def __repr__(self) -> str:
        return f"SampledSet({self.name}: {len(self):,} pairs with {len(self.targets):,} targets)"


def fingerprint(sampled: SampledSet) -> str:
    """A hash of all graphs and pairs: labels that were computed for one set fit every set with the same hash.

    It depends on the labels themselves and not on their codes, and neither on names of graphs nor on the name
    of the set.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> edge, dots = GraphSet([Graph(["C", "O"], [(0, 1)])]), GraphSet([Graph(["C", "O"])])
    >>> def of(name, targets):
    ...     return fingerprint(SampledSet(name, edge, targets, np.array([[0, 0]])))
    >>> of("train", edge) == of("test", edge), of("train", edge) == of("train", dots)
    (True, False)
    """
    digest = hashlib.sha256(b"prune4sed pairs 1")
    for part in (*_parts(sampled.queries), *_parts(sampled.targets), _bytes(sampled.index, "<i8")):
        # Its length before each part, so that no two lists of parts run together alike.
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def _parts(graphs: GraphSet) -> Iterator[bytes]:
    nodes, ends = graphs.node_offsets, graphs.edge_offsets
    yield _bytes(nodes - nodes[0], "<i8")
    yield from _labels(graphs.node_labels[int(nodes[0]) : int(nodes[-1])], graphs.node_vocabulary)
    yield _bytes(ends - ends[0], "<i8")
    yield _bytes(graphs.edges[int(ends[0]) : int(ends[-1])], "<i4")
    if graphs.edge_label_codes is not None and graphs.edge_vocabulary is not None:
        yield from _labels(graphs.edge_label_codes[int(ends[0]) : int(ends[-1])], graphs.edge_vocabulary)


def _labels(codes: NDArray[np.int32], vocabulary: tuple[Label, ...]) -> Iterator[bytes]:
    """The labels in use in sorted order, and the place of each node's label among them."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(vocabulary))).tolist()
    order = sorted(used, key=lambda code: vocabulary[code])
    place = np.zeros(len(vocabulary), dtype=np.int32)
    place[order] = np.arange(len(order))
    yield json.dumps([vocabulary[code] for code in order]).encode()
    yield _bytes(place[codes], "<i4")


def _bytes(values: NDArray[Any], dtype: str) -> bytes:
    return np.ascontiguousarray(values, dtype=dtype).tobytes()
