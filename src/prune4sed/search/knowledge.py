"""What is known about the distance of one query to every target, as a search goes on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.maps import Mapping
from prune4sed.search.features import QueryBounds
from prune4sed.search.rounds import Answers
from prune4sed.search.segments import Segments

__all__ = ["Knowledge"]


class Knowledge:
    """Lower bounds of all targets from their fingerprints, and the engine's answers about some.

    Attributes
    ----------
    lower, upper : int32 arrays
        Proven bounds; `upper` is `UNKNOWN` where the engine was not asked.
    missing : uint16 array
        Bits of the query that a target lacks: a guess at how far it is.
    """

    #: Edits that the first look tries; more are tried where it matters.
    FIRST_LOOK = 1
    UNKNOWN = np.iinfo(np.int32).max

    def __init__(self, bounds: QueryBounds, library: Segments) -> None:
        self._bounds, self._library = bounds, library
        bounds.can_try(self.FIRST_LOOK)
        count = len(library)
        self.lower, self.missing = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.uint16)
        for start, part in zip(library.starts, library.parts, strict=False):
            mine = slice(start, start + len(part))
            self.lower[mine], self.missing[mine] = bounds.of(part.bits, self.FIRST_LOOK)
        self.upper = np.full(count, self.UNKNOWN, dtype=np.int32)
        self._blocks: list[tuple[NDArray[np.int64], NDArray[np.int32]]] = []
        self._block_of = np.zeros(count, dtype=np.int32)

    @property
    def asked(self) -> NDArray[np.bool_]:
        """Of which targets the engine has said something."""
        return np.not_equal(self.upper, self.UNKNOWN)

    def at_level(self, level: int) -> NDArray[np.int64]:
        """Targets the engine was not asked about whose lower bound is `level`, after looking once more.

        A bound of more than the first look can tell may be too low: the sets of `level` edits are tried, and
        targets that they rule out move up.
        """
        found = np.flatnonzero((self.lower == level) & ~self.asked)
        if level > self.FIRST_LOOK and self._bounds.can_try(level):
            for part, mine, rows in self._library.split(found):
                better, _ = self._bounds.of(part.bits, level, np.ascontiguousarray(rows))
                self.lower[found[mine]] = np.maximum(better, level)
            found = found[self.lower[found] == level]
        return found

    def next_level(self, level: int) -> int | None:
        """The smallest lower bound from `level` on, of targets that the engine was not asked about."""
        rest = self.lower[(self.lower >= level) & ~self.asked]
        return int(rest.min()) if len(rest) else None

    def learn(self, positions: NDArray[np.int64], answers: Answers) -> None:
        """Take in what the engine found out."""
        better = answers.done & (answers.upper < self.upper[positions])
        done = positions[answers.done]
        self.lower[done] = np.maximum(self.lower[done], answers.lower[answers.done])
        self.upper[positions[better]] = answers.upper[better]
        self._block_of[positions[better]] = len(self._blocks)
        self._blocks.append((positions[better], answers.mapping[better]))

    def mapping(self, position: int) -> Mapping:
        """What attains the upper bound."""
        positions, mappings = self._blocks[self._block_of[position]]
        images = mappings[int(np.flatnonzero(positions == position)[0])]
        return tuple(None if v < 0 else v for v in images.tolist())

    def nearest(self) -> NDArray[np.int64]:
        """Targets with an upper bound: by that, then by lower bound and position."""
        asked = np.flatnonzero(self.asked)
        return asked[np.lexsort((asked, self.lower[asked], self.upper[asked]))]
