"""What a search finds: hits with proven bounds, and what is known about all that was not returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

from prune4sed.exact.costs import EditCosts
from prune4sed.exact.edits import Edit, edit_script
from prune4sed.exact.maps import Mapping
from prune4sed.graph import Graph

if TYPE_CHECKING:
    from prune4sed.search.segments import Segments

__all__ = ["Hit", "Hits", "SearchCounts"]

UNIT_COSTS = EditCosts()


@dataclass(frozen=True, slots=True)
class Hit:
    """One graph of the library, and how far the query is from being contained in it.

    Attributes
    ----------
    id : str
        Its name in the library.
    position : int
        Where it stands in the library.
    lower, upper : float
        Proven bounds on the distance.
    certified : bool
        Whether they agree: the distance is proven.
    predicted : float or None
        What the model of the index says, where it was asked.
    mapping : tuple of int or None
        Target node of every query node, None where it is deleted; these edits cost `upper`.
    """

    id: str
    position: int
    lower: float
    upper: float
    certified: bool
    predicted: float | None
    mapping: Mapping

    @property
    def distance(self) -> str:
        """The distance in words: ``2``, or ``1 to 3`` where it is not proven."""
        return f"{self.upper:g}" if self.certified else f"{self.lower:g} to {self.upper:g}"


@dataclass(frozen=True, slots=True)
class SearchCounts:
    """What each stage of a search had to do.

    Attributes
    ----------
    targets : int
        Graphs in the index, all of them bounded by their fingerprints.
    ruled_out : int
        Those that the bounds alone kept out of the answer.
    exact : int
        Those that the exact engine was asked about.
    left : int
        Those that could still be in the answer when the time was up.
    """

    targets: int = 0
    ruled_out: int = 0
    exact: int = 0
    left: int = 0


@dataclass(frozen=True, eq=False, repr=False)
class Hits(Sequence[Hit]):
    """The answer to one search, nearest first.

    Attributes
    ----------
    query : Graph
        What was searched for.
    proven : bool
        Whether the answer is proven: every distance in it, and that nothing nearer was left out.
    ties : int
        Further graphs that are known to be as near as the last hit.
    possible_ties : int
        Further graphs that may be as near as the last hit: nothing nearer, but perhaps as near.
    undecided : tuple of Hit
        Graphs that may or may not belong in the answer, for lack of time; nearest lower bound first, and at
        most a hundred of them (``counts.left`` has their number).
    elapsed : float
        Seconds.
    counts : SearchCounts
        What each stage did.
    notes : tuple of str
        What the caller should know, such as a model that could not be asked.
    """

    query: Graph
    hits: tuple[Hit, ...]
    proven: bool
    library: Segments = field(repr=False)
    ties: int = 0
    possible_ties: int = 0
    undecided: tuple[Hit, ...] = ()
    elapsed: float = 0.0
    counts: SearchCounts = SearchCounts()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.hits)

    @overload
    def __getitem__(self, key: int) -> Hit: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Hit, ...]: ...
    def __getitem__(self, key: int | slice) -> Hit | tuple[Hit, ...]:
        return self.hits[key]

    def target(self, hit: Hit) -> Graph:
        """The graph of the library behind a hit."""
        return self.library[hit.position]

    def edits(self, hit: Hit) -> tuple[Edit, ...]:
        """The edits after which the target of a hit contains the query; they cost ``hit.upper``."""
        return edit_script(self.query, self.target(hit), hit.mapping, UNIT_COSTS)

    def __repr__(self) -> str:
        said = "proven" if self.proven else "not proven"
        lines = [f"Hits({len(self)} of {self.counts.targets} graphs, {said}, {self.elapsed:.3g} s)"]
        lines += [f"  {hit.distance:>8}  {hit.id}" for hit in self.hits[:10]]
        return "\n".join(lines + (["  ..."] if len(self) > 10 else []))
