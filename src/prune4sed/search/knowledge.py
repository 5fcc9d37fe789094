"""What is known about the distance of one query to every target, as a search goes on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.limits import Deadline
from prune4sed.exact.maps import Mapping
from prune4sed.search.features import QueryBounds
from prune4sed.search.rounds import Answers
from prune4sed.search.segments import Segment, Segments

__all__ = ["Knowledge"]


class Knowledge:
    """Lower bounds of all targets from their fingerprints, and the engine's answers about some.

    Attributes
    ----------
    lower, upper : int32 arrays
        Proven bounds; `upper` is `UNKNOWN` where the engine was not asked.
    missing : uint16 array
        Bits of the query that a target lacks: a guess at how far it is. As many as can be where there was no
        time to look.
    looked_at : int
        Targets that were looked at, all before this position; the others have the lower bound 0.
    """

    #: Edits that the first look tries; more are tried where it matters.
    FIRST_LOOK = 1
    UNKNOWN = np.iinfo(np.int32).max
    #: Targets that are looked at between two looks at the clock: a few milliseconds.
    BLOCK = 1 << 15

    def __init__(self, bounds: QueryBounds, library: Segments, deadline: Deadline | None = None) -> None:
        self._bounds, self._library = bounds, library
        self._deadline = Deadline(None) if deadline is None else deadline
        bounds.can_try(self.FIRST_LOOK)
        count = len(library)
        self.lower = np.zeros(count, dtype=np.int32)
        self.missing = np.full(count, np.iinfo(np.uint16).max, dtype=np.uint16)
        self.looked_at = 0
        for start, part in zip(library.starts, library.parts, strict=False):
            self._first_look(start, part)
        self.upper = np.full(count, self.UNKNOWN, dtype=np.int32)
        self._answers: list[NDArray[np.int32]] = []
        # Of every target the answer that its upper bound is from, and its row there.
        self._answer_of, self._row_of = (np.zeros(count, dtype=np.int32) for _ in range(2))

    def _first_look(self, start: int, part: Segment) -> None:
        """Bounds of a segment that starts at a position; the first ones are made however late it is."""
        for row in range(0, len(part), self.BLOCK):
            if start + row and self._deadline.passed():
                return
            found = self._bounds.of(part.bits[row : row + self.BLOCK], self.FIRST_LOOK)
            mine = slice(start + row, start + row + len(found[0]))
            self.lower[mine], self.missing[mine] = found
            self.looked_at = mine.stop

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
            for start in range(0, len(found), self.BLOCK):
                if self._deadline.passed():
                    break
                self._look_again(found[start : start + self.BLOCK], level)
            found = found[self.lower[found] == level]
        return found

    def _look_again(self, positions: NDArray[np.int64], level: int) -> None:
        for part, mine, rows in self._library.split(positions):
            better, _ = self._bounds.of(part.bits, level, np.ascontiguousarray(rows))
            self.lower[positions[mine]] = np.maximum(better, level)

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
        self._answer_of[positions[better]] = len(self._answers)
        self._row_of[positions[better]] = np.arange(int(better.sum()))
        self._answers.append(answers.mapping[better])

    def mappings(self, positions: NDArray[np.int64]) -> list[Mapping]:
        """What attains the upper bounds of these targets, all of which the engine was asked about."""
        found: list[Mapping] = [()] * len(positions)
        answers = self._answer_of[positions]
        for answer in np.unique(answers).tolist():
            mine = np.flatnonzero(answers == answer)
            images = self._answers[answer][self._row_of[positions[mine]]].tolist()
            for at, row in zip(mine.tolist(), images, strict=True):
                found[at] = (
                    tuple(row) if min(row, default=0) >= 0 else tuple(v if v >= 0 else None for v in row)
                )
        return found

    def nearest(self) -> NDArray[np.int64]:
        """Targets with an upper bound: by that, then by lower bound and position."""
        asked = np.flatnonzero(self.asked)
        return asked[np.lexsort((asked, self.lower[asked], self.upper[asked]))]
