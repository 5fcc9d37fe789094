"""Search by brute force: the exact engine on every graph of a library. Any search must agree with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import prune4sed as ps


@dataclass(frozen=True)
class Hit:
    """What a hit has."""

    id: str
    position: int
    lower: float
    upper: float
    certified: bool
    predicted: float | None
    mapping: tuple[int | None, ...]


class Hits(list[Hit]):
    """What a list of hits has."""

    proven: bool = True
    ties: int | None = None
    elapsed: float = 0.5


def exhaustive_search(query: ps.Graph, library: ps.GraphSet, k: int = 10) -> Hits:
    """The `k` nearest graphs, ties by position."""
    table = ps.sed_pairs(query, library, time_limit=10.0)
    order = np.lexsort((np.arange(len(library)), table.upper))
    hits = Hits(
        Hit(
            library.ids[at],
            at,
            float(table.lower[at]),
            float(table.upper[at]),
            bool(table.certified[at]),
            None,
            tuple(None if v < 0 else int(v) for v in table.mapping[at][: len(query)]),
        )
        for at in order[:k].tolist()
    )
    hits.proven = bool(table.certified.all())
    hits.ties = int((table.upper[order[k:]] == table.upper[order[k - 1]]).sum()) if len(hits) == k else 0
    return hits


class Index:
    """An index that has learnt nothing."""

    def __init__(self, library: ps.GraphSet) -> None:
        self.library = library

    @classmethod
    def build(cls, library: ps.GraphSet, model: Any = None) -> Index:
        assert model is None
        return cls(library)

    def search(self, query: ps.Graph, k: int = 10) -> Hits:
        return exhaustive_search(query, self.library, k)

    def range_search(self, query: ps.Graph, radius: float) -> Hits:
        return Hits(hit for hit in self.search(query, len(self.library)) if hit.upper <= radius)
