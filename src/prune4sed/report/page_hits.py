"""What the report needs of a search: any objects with these attributes do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from prune4sed.errors import OptionError
from prune4sed.report.match_facts import known_match

if TYPE_CHECKING:
    from prune4sed.exact.result import SedResult
    from prune4sed.graph import Graph

__all__ = ["Answer", "HitLike", "Library", "hit_match"]


class Library(Protocol):
    """Graphs by position: a `GraphSet`, or what an index holds."""

    def __len__(self) -> int: ...
    def __getitem__(self, position: int, /) -> Graph: ...


class HitLike(Protocol):
    """One hit: the target, proven bounds on its distance, and the match behind the upper one."""

    @property
    def id(self) -> str | None: ...
    @property
    def position(self) -> int: ...
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def certified(self) -> bool: ...
    @property
    def predicted(self) -> float | None: ...
    @property
    def mapping(self) -> Sequence[int | None] | None: ...


@dataclass(frozen=True)
class Answer:
    """A query, its hits in a library, and what the heads of a model keep of each hit.

    Parameters
    ----------
    query : Graph
    hits : sequence
        Best first; each has ``id``, ``position``, ``lower``, ``upper``, ``certified``, ``predicted`` and
        ``mapping``. The attributes ``proven``, ``ties``, ``elapsed`` and ``notes`` of the sequence are
        told if it has them.
    library : GraphSet or Library
        Where the positions point.
    prunings : sequence, optional
        For each hit an array (heads, nodes) of keep probabilities, what `Prune4SED.prune` returns, or None.
    """

    query: Graph
    hits: Sequence[HitLike]
    library: Library
    prunings: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        if self.prunings is not None and len(self.prunings) != len(self.hits):
            raise OptionError(f"{len(self.prunings)} prunings were given for {len(self.hits)} hits")
        for hit in self.hits:
            if not 0 <= hit.position < len(self.library):
                raise OptionError(
                    f"a hit is at position {hit.position} of a library of {len(self.library)} graphs"
                )

    def target(self, hit: HitLike) -> Graph:
        """The graph that was hit."""
        return self.library[int(hit.position)]


def hit_match(query: Graph, target: Graph, hit: HitLike) -> SedResult | None:
    """The match behind a hit, or None where the search did not look for one."""
    if hit.mapping is None or (len(hit.mapping) == 0 and len(query)) or not math.isfinite(hit.upper):
        return None
    return known_match(query, target, hit.mapping, hit.lower, hit.upper)
