"""The answer of every exact solver: proven bounds and the mapping that attains the upper one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prune4sed.exact.costs import EditCosts
    from prune4sed.exact.edits import Edit
    from prune4sed.exact.maps import Mapping
    from prune4sed.graph import Graph


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SedResult:
    """Bounds on one subgraph edit distance.

    Parameters
    ----------
    lower, upper
        Proven bounds: ``lower <= SED <= upper``.
    mapping
        For each query node its target node, or None if it is deleted. Its cost is ``upper``.
    nodes
        Search nodes visited (0 for solvers that do not branch).
    seconds
        Wall-clock time spent.
    query, target, costs
        What was compared; kept so that `edits` can be spelled out when asked for.

    Examples
    --------
    >>> from prune4sed.exact import EditCosts
    >>> from prune4sed.graph import Graph
    >>> g = Graph(labels=["C"], edges=[])
    >>> SedResult(0.0, 0.0, (0,), nodes=1, seconds=0.0, query=g, target=g, costs=EditCosts())
    SED = 0 (certified)
    """

    lower: float
    upper: float
    mapping: Mapping
    nodes: int
    seconds: float
    query: Graph
    target: Graph
    costs: EditCosts
    _edits: tuple[Edit, ...] | None = field(default=None, init=False)

    @property
    def certified(self) -> bool:
        """Whether the distance is proven: both bounds agree."""
        return self.lower == self.upper

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits behind ``upper``, in words (``str(edit)``); spelled out on first use."""
        if self._edits is None:
            from prune4sed.exact.edits import edit_script

            script = edit_script(self.query, self.target, self.mapping, self.costs)
            object.__setattr__(self, "_edits", script)
            return script
        return self._edits

    def __repr__(self) -> str:
        if self.certified:
            return f"SED = {self.upper:g} (certified)"
        return f"{self.lower:g} <= SED <= {self.upper:g}"
