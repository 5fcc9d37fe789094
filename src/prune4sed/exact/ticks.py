"""Edit costs as whole numbers of a common tick, because the engine proves with integers only."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from prune4sed.exact.costs import EditCosts

#: Costs are taken for simple fractions where this denominator suffices; 0.1 then means one tenth exactly.
LARGEST_DENOMINATOR = 10**6
#: Ticks in the largest cost, when the costs have no common step: far below what floats can tell apart.
FINEST = 2**36
NO_LIMIT = 2**62


class Ticks(NamedTuple):
    """Integer costs and the size of a tick, ``numerator / denominator``.

    If not `exact`, every cost was rounded down to a whole number of ticks, so bounds from below stay valid.
    """

    node_deletion: int
    node_relabel: int
    edge_deletion: int
    edge_relabel: int
    numerator: int
    denominator: int
    exact: bool

    def to_cost(self, ticks: int) -> float:
        """What so many ticks cost."""
        return ticks * self.numerator / self.denominator

    def floor(self, cost: float | None) -> int:
        """The largest number of ticks that costs no more than ``cost`` (None: no limit)."""
        if cost is None or cost * self.denominator / self.numerator >= NO_LIMIT:
            return NO_LIMIT
        return math.floor(cost * self.denominator / self.numerator * (1 + 1e-12))


@lru_cache(maxsize=256)
def ticks_of(costs: EditCosts) -> Ticks:
    """Express costs in ticks, exactly where they are simple fractions.

    Examples
    --------
    >>> ticks_of(EditCosts(node_relabel=0.5, edge_deletion=1.5))[:4]
    (2, 1, 3, 2)
    """
    values = (costs.node_deletion, costs.node_relabel, costs.edge_deletion, costs.edge_relabel)
    simple = [Fraction(value).limit_denominator(LARGEST_DENOMINATOR) for value in values]
    if all(float(fraction) == value for fraction, value in zip(simple, values, strict=True)):
        denominator = math.lcm(*(fraction.denominator for fraction in simple))
        counts = [int(fraction * denominator) for fraction in simple]
        step = math.gcd(*counts) or 1
        if max(counts) // step <= FINEST:
            a, b, c, d = (count // step for count in counts)
            return Ticks(a, b, c, d, step, denominator, exact=True)
    tick = Fraction(max(values)) / FINEST
    a, b, c, d = (math.floor(Fraction(value) / tick) for value in values)
    return Ticks(a, b, c, d, tick.numerator, tick.denominator, exact=False)
