"""Ids: the names of the graphs of a set, kept as one block of text so that a million open at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import FormatError, GraphError, GraphTypeError

__all__ = ["Ids", "name_at"]


def name_at(given: str | None, position: int) -> str:
    """What a graph goes by: the name given to it, or else its position in its file or set.

    Examples
    --------
    >>> name_at("aspirin", 3), name_at(None, 3)
    ('aspirin', '3')
    """
    return str(position) if given is None else given


class Ids(Sequence[str]):
    """A read-only sequence of names; a graph without a name goes by its position in this set.

    The layout is that of Arrow's large_string: text, int64 offsets, and an optional bitmap of which names are
    given.

    Examples
    --------
    >>> ids = Ids.of(["a", None, "c"])
    >>> list(ids), ids.given(1)
    (['a', '1', 'c'], None)
    """

    __slots__ = ("_first", "_given", "_length", "_offsets", "_text")

    def __init__(
        self,
        length: int,
        offsets: NDArray[np.int64] | None = None,
        text: NDArray[np.uint8] | None = None,
        given: NDArray[np.uint8] | None = None,
        first: int = 0,
    ) -> None:
        self._length = length
        self._offsets = offsets
        self._text = text
        self._given = given
        self._first = first

    @classmethod
    def of(cls, names: Sequence[str | None]) -> Ids:
        """Ids from a list in which None means "not given"."""
        if all(name is None for name in names):
            return cls(len(names))
        for i, name in enumerate(names):
            if name is not None and not isinstance(name, str):
                raise GraphTypeError(f"the id of graph {i} is {name!r}; an id is a string or None")
        try:
            text = [b"" if name is None else name.encode() for name in names]
        except UnicodeEncodeError as error:
            raise GraphError(f"the id {error.object!r} cannot be written as UTF-8") from error
        offsets = np.zeros(len(names) + 1, dtype=np.int64)
        np.cumsum(list(map(len, text)), out=offsets[1:])
        bits = np.packbits([name is not None for name in names], bitorder="little")
        return cls(len(names), offsets, np.frombuffer(b"".join(text), dtype=np.uint8), bits)

    @property
    def any_given(self) -> bool:
        """Whether names are stored at all."""
        return self._offsets is not None

    def given(self, position: int) -> str | None:
        """The name at a position, or None where none was given."""
        if self._offsets is None or self._text is None:
            return None
        at = self._first + position
        if self._given is not None and not (int(self._given[at >> 3]) >> (at & 7)) & 1:
            return None
        start, stop = int(self._offsets[at]), int(self._offsets[at + 1])
        # A file is opened without being read through, so each name is checked when it is asked for.
        if not 0 <= start <= stop <= len(self._text):
            raise FormatError(f"the id of graph {position} is damaged")
        try:
            return self._text[start:stop].tobytes().decode()
        except UnicodeDecodeError:
            raise FormatError(f"the id of graph {position} is not UTF-8 text") from None

    def view(self, start: int, stop: int) -> Ids:
        """The names of positions `start` to `stop`, copying nothing."""
        return Ids(stop - start, self._offsets, self._text, self._given, self._first + start)

    def to_list(self) -> list[str | None]:
        """All names, None where none was given."""
        return [self.given(i) for i in range(self._length)]

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> list[str]: ...
    def __getitem__(self, key: int | slice) -> str | list[str]:
        if isinstance(key, slice):
            return [self[i] for i in range(*key.indices(self._length))]
        position = range(self._length)[key]
        return name_at(self.given(position), position)

    def __iter__(self) -> Iterator[str]:
        return map(self.__getitem__, range(self._length))

    def __eq__(self, other: Any) -> bool:
        if not isinstance(other, (Ids, list, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        more = ", ..." if self._length > 6 else ""
        return f"Ids([{', '.join(map(repr, self[:6]))}{more}])"
