"""What each edit costs, and the plain evaluation of a mapping that every solver is checked against."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING

from prune4sed.errors import CostError
from prune4sed.exact.maps import check_mapping, edge_table

if TYPE_CHECKING:
    from prune4sed.graph import Graph

#: Below this share of the largest cost, a common divisor is float noise rather than a unit worth rounding to.
SMALLEST_STEP = 1e-3
#: So that the cost of a whole query, of up to a hundred million edits, is still a float.
LARGEST_COST = 1e300


@dataclass(frozen=True)
class EditCosts:
    """Non-negative costs of the four edits on the query; all 1 by default.

    Parameters
    ----------
    node_deletion, node_relabel, edge_deletion, edge_relabel
        Cost of one such edit. An edge whose image carries another label costs the cheaper of a relabel and a
        deletion. Whatever the target has beyond the match is free.

    Raises
    ------
    CostError
        If a cost is not a real number, is NaN, negative, or above 1e300.

    Examples
    --------
    >>> EditCosts(node_relabel=2).node_relabel
    2.0
    >>> EditCosts().is_unit
    True
    """

    node_deletion: float = 1.0
    node_relabel: float = 1.0
    edge_deletion: float = 1.0
    edge_relabel: float = 1.0

    def __post_init__(self) -> None:
        for field in fields(self):
            object.__setattr__(self, field.name, _checked(field.name, getattr(self, field.name)))

    @property
    def is_unit(self) -> bool:
        """Whether every edit costs 1."""
        return self.node_deletion == self.node_relabel == self.edge_deletion == self.edge_relabel == 1.0

    @property
    def edge_mismatch(self) -> float:
        """Cost of a query edge whose image has another label: relabel or delete, whichever is cheaper."""
        return min(self.edge_relabel, self.edge_deletion)

    @property
    def step(self) -> float | None:
        """The largest number that divides every cost, or None if there is no useful one.

        Every distance is a multiple of it, so a solver's lower bound may be rounded up to the next multiple.

        Examples
        --------
        >>> EditCosts(node_deletion=1.5, edge_deletion=2).step
        0.5
        >>> EditCosts(node_relabel=math.pi).step is None
        True
        """
        parts = [Fraction(cost) for cost in (getattr(self, f.name) for f in fields(self)) if cost > 0]
        if not parts:
            return None
        scale = math.lcm(*(part.denominator for part in parts))
        step = Fraction(math.gcd(*(int(part * scale) for part in parts)), scale)
        return float(step) if step >= max(parts) * Fraction(SMALLEST_STEP) else None

    def map_cost(self, q: Graph, t: Graph, mapping: Sequence[int | None]) -> float:
        """Cost of the edits that ``mapping`` implies, straight from the definition.

        Parameters
        ----------
        q, t
            Query and target.
        mapping
            For each query node, its target node, or None if the query node is deleted.

        Raises
        ------
        OptionError
            If the mapping has the wrong length, leaves the target's range or uses a target node twice.

        Examples
        --------
        >>> from prune4sed.graph import Graph
        >>> q = Graph(labels=["C", "N"], edges=[(0, 1)])
        >>> t = Graph(labels=["C", "C"], edges=[(0, 1)])
        >>> EditCosts().map_cost(q, t, [0, 1])
        1.0
        """
        check_mapping(q, t, mapping)
        total = 0.0
        for u, v in enumerate(mapping):
            if v is None:
                total += self.node_deletion
            elif q.labels[u] != t.labels[v]:
                total += self.node_relabel
        images = edge_table(t)
        for (a, b), label in edge_table(q).items():
            x, y = mapping[a], mapping[b]
            image = None if x is None or y is None else (min(x, y), max(x, y))
            if image is None or image not in images:
                total += self.edge_deletion
            elif images[image] != label:
                total += self.edge_mismatch
        return total


def _checked(name: str, value: object) -> float:
    """The cost as a float, or a CostError that names the field and the value."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise CostError(f"{name} must be a number, got {value!r}")
    try:
        cost = float(value)
    except OverflowError:
        cost = math.inf
    if not math.isfinite(cost) or cost < 0:
        raise CostError(f"{name} must be finite and not negative, got {value!r}")
    if cost > LARGEST_COST:
        raise CostError(f"{name} must be at most {LARGEST_COST:g}, got {value!r}")
    return cost + 0.0  # turns -0.0 into 0.0, so that equal costs also print alike
