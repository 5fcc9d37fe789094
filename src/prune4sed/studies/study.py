"""What a study is: cells to be computed one by one, pictures of them, and a page that tells about them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from prune4sed.studies.record import Record
    from prune4sed.studies.setting import Setting

__all__ = ["Cell", "Compute", "Pictures", "Progress", "Study"]

#: Called as ``progress(done, total)``.
Progress = Callable[[int, int], object]
#: Computes the figures of a cell; plain JSON values by name.
Compute = Callable[[Progress], Mapping[str, Any]]
#: Figures, or the text of SVG files, by the name of the file.
Pictures = Mapping[str, "Figure | str"]


@dataclass(frozen=True)
class Cell:
    """One thing to be found out.

    Attributes
    ----------
    key : mapping of str to str
        What tells it from the other cells of its study, such as method, dataset and set.
    made_from : mapping
        All that its figures depend on: the digest of a checkpoint, the fingerprint of a set, how many pairs,
        the seed. Plain JSON values. A stored cell that was made from something else is computed anew.
    compute : callable, optional
        Finds the figures; None if that cannot be done.
    missing : str
        Why it cannot be done.
    """

    key: Mapping[str, str]
    made_from: Mapping[str, Any]
    compute: Compute | None = None
    missing: str = ""

    @classmethod
    def absent(cls, reason: str, **key: str) -> Cell:
        """A cell that cannot be computed here.

        Examples
        --------
        >>> Cell.absent("no such model", method="simgnn", dataset="aids").compute is None
        True
        """
        return cls(key, {}, None, reason)


class Study(ABC):
    """A table or figure: how to compute, draw and tell it."""

    #: As the command calls it, and the names of its files.
    name: ClassVar[str]
    #: The heading of its page.
    title: ClassVar[str]

    @abstractmethod
    def cells(self, setting: Setting) -> Iterable[Cell]:
        """All cells, in the order in which to compute them; lazily, for data is loaded on the way."""

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        """Pictures of what is known, by the name of the file; none where there is nothing to draw."""
        return {}

    @abstractmethod
    def page(self, record: Record) -> str:
        """Markdown that tells what is known; what is missing is told as missing. Pictures go above it."""
