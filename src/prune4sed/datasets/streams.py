"""Numbers sorted by the context they occur in, so that a general compressor sees like beside like.

Whoever reads the numbers back must know the context of each before asking for it, and ask in the order in
which they were written.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import FormatError

__all__ = ["StreamReader", "StreamWriter"]

Longs = NDArray[np.int64]
WORD = np.dtype("<u4")


class StreamWriter:
    """Collects numbers below 2**32 with their contexts.

    Examples
    --------
    >>> writer = StreamWriter()
    >>> writer.add(np.array([7, 0, 7]), np.array([100, 200, 300]))
    >>> reader = StreamReader(writer.to_bytes())
    >>> reader.take(np.array([0, 7])).tolist(), reader.take(np.array([7])).tolist()
    ([200, 100], [300])
    """

    def __init__(self) -> None:
        self._contexts: list[Longs] = []
        self._values: list[Longs] = []

    def add(self, contexts: Longs, values: Longs) -> None:
        """Append numbers, each in its context."""
        self._contexts.append(contexts)
        self._values.append(values)

    def to_bytes(self) -> bytes:
        """How many contexts and numbers there are, numbers per context, then the sorted numbers."""
        contexts = np.concatenate([*self._contexts, np.zeros(0, dtype=np.int64)])
        values = np.concatenate([*self._values, np.zeros(0, dtype=np.int64)])
        counts = np.bincount(contexts).astype(WORD)
        ordered = values[np.argsort(contexts, kind="stable")].astype(WORD)
        # Bytes of one weight side by side: the higher ones are zero nearly everywhere.
        planes = ordered.view(np.uint8).reshape(-1, WORD.itemsize).T
        sizes = np.array([len(counts), len(ordered)], dtype=WORD)
        return sizes.tobytes() + counts.tobytes() + planes.tobytes()


class StreamReader:
    """Hands the numbers out again, from the bytes of a `StreamWriter` at a position."""

    def __init__(self, data: bytes, start: int = 0) -> None:
        try:
            contexts, total = np.frombuffer(data, WORD, 2, start).tolist()
            start += 2 * WORD.itemsize
            counts = np.frombuffer(data, WORD, contexts, start).astype(np.int64)
            start += counts.size * WORD.itemsize
            planes = np.frombuffer(data, np.uint8, total * WORD.itemsize, start).reshape(WORD.itemsize, -1)
        except ValueError:
            raise FormatError("a stream is cut short") from None
        self.stop = start + planes.size  #: where the next stream begins
        self._values = np.ascontiguousarray(planes.T).view(WORD).ravel().astype(np.int64)
        self._ends = np.cumsum(counts)
        self._next = self._ends - counts
        if counts.sum() != total:
            raise FormatError("a stream does not hold as many numbers as it says")

    def take(self, contexts: Longs) -> Longs:
        """The next number of each context, in the order asked for."""
        order = np.argsort(contexts, kind="stable")
        asked = np.bincount(contexts, minlength=len(self._next))
        if len(asked) > len(self._next) or (self._next + asked > self._ends).any():
            raise FormatError("a stream ends too early")
        begin = np.cumsum(asked) - asked  # of each context in the sorted order
        sorted_contexts = contexts[order]
        where = self._next[sorted_contexts] + np.arange(len(contexts)) - begin[sorted_contexts]
        found = np.empty(len(contexts), dtype=np.int64)
        found[order] = self._values[where]
        self._next += asked
        return found
