"""Fingerprints: what each graph contains, in 2048 bits, and the bounds that follow for a query.

If a set of r edits can make the query a subgraph of a target, then what these edits leave of the query is in
the target, and so is every bit of it. The native code tries all sets of a size at once; see
native/edit_bits.hpp for the proof. Only unit costs are covered.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from prune4sed import _native
from prune4sed.errors import FormatError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["SCHEME", "WORDS", "QueryBounds", "fingerprints", "label_hashes"]

#: Which pieces are counted and how they are hashed; a change in the native code makes it the next number.
SCHEME = 1
#: 64-bit words of one fingerprint.
WORDS: int = _native.FINGERPRINT_WORDS

Bits = NDArray[np.uint64]


def label_hashes(labels: Iterable[Label]) -> Bits:
    """Numbers for labels that are the same in every process and on every machine; never 0.

    Examples
    --------
    >>> a, b, c = label_hashes(["C", "O", "C"])
    >>> bool(a == c), bool(a == b)
    (True, False)
    """
    return np.array([_hash(label) for label in labels], dtype=np.uint64)


def _hash(label: Label) -> int:
    text = f"s{label}" if isinstance(label, str) else f"i{label}"
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little") | 1


def fingerprints(graphs: GraphSet, threads: int) -> Bits:
    """One row of `WORDS` words per graph.

    Raises
    ------
    FormatError
        If the arrays of the set are damaged.
    """
    rows = np.zeros((len(graphs), WORDS), dtype=np.uint64)
    bonds = graphs.edge_vocabulary
    try:
        _native.fingerprints(
            graphs.node_offsets,
            graphs.node_labels,
            graphs.edge_offsets,
            graphs.edges,
            graphs.edge_label_codes,
            label_hashes(graphs.node_vocabulary),
            None if bonds is None else label_hashes(bonds),
            threads,
            rows,
        )
    except ValueError as problem:
        raise FormatError(str(problem)) from None
    return rows


class QueryBounds:
    """Lower bounds on the distances of one query.

    Parameters
    ----------
    query : Graph
        The query.
    threads : int
        How many to use.
    """

    def __init__(self, query: Graph, threads: int) -> None:
        edges = np.array(query.edges, dtype=np.int32).reshape(-1, 2)
        bonds = None if query.edge_labels is None else label_hashes(query.edge_labels)
        self._bits = _native.EditBits(label_hashes(query.labels), edges, bonds)
        self._threads = threads

    def can_try(self, edits: int) -> bool:
        """Whether the sets of so many edits are few enough to be tried, all of them."""
        return bool(self._bits.prepare(edits))

    def of(
        self, rows: Bits, most_edits: int, positions: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint16]]:
        """Lower bounds up to ``most_edits + 1``, or more where label counts tell, and bits that are lacking.

        Parameters
        ----------
        rows : array of uint64, (targets, WORDS)
            Fingerprints.
        most_edits : int
            Sets of up to so many edits are tried, as far as `can_try` said yes.
        positions : array of int64, optional
            Rows to look at; all of them by default.
        """
        count = len(rows) if positions is None else len(positions)
        lower, missing = np.zeros(count, dtype=np.uint8), np.zeros(count, dtype=np.uint16)
        self._bits.bound(most_edits, rows, positions, self._threads, lower, missing)
        return lower, missing
