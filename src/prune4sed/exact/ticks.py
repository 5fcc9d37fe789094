"""Edit costs as whole numbers of a common tick, because the engine proves with integers only."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.costs import EditCosts

#: Costs are taken for simple fractions where this denominator suffices; 0.1 then means one tenth exactly.
LARGEST_DENOMINATOR = 10**6
#: Ticks that a whole query may cost at most, so that sums of scaled ticks stay within 64 bits.
MOST_TICKS = 2**50
#: Rounding may blur a proof by this share of the smallest cost and no more.
TOLERANCE = 1e-6
NO_LIMIT = 2**62


class Ticks(NamedTuple):
    """Integer costs and what a tick costs.

    If not `exact`, every cost was rounded down to a whole number of ticks, so bounds from below stay valid;
    `blur` is then the most that rounding can hide, or 0 if it could hide something that matters.
    """

    node_deletion: int
    node_relabel: int
    edge_deletion: int
    edge_relabel: int
    tick: Fraction
    exact: bool
    blur: float

    def settle(self, low: float, high: float, proven: bool) -> float:
        """The lower bound to report: if all costs are rounded down, a proof holds up to the rounding."""
        return high if proven and high - low <= self.blur else min(low, high)

    def to_cost(self, ticks: int) -> float:
        """What so many ticks cost."""
        if self.tick == 1:
            return float(ticks)
        return float(ticks * self.tick)

    def to_costs(self, ticks: NDArray[np.int64]) -> NDArray[np.float64]:
        """What so many ticks cost, for a whole column."""
        if self.tick == 1:
            return ticks.astype(np.float64)
        # The same few sums come up again and again, and a Fraction rounds each of them correctly.
        values, where = np.unique(ticks, return_inverse=True)
        return np.array([self.to_cost(value) for value in values.tolist()], dtype=np.float64)[where]

    def floor(self, cost: float) -> int:
        """The largest number of ticks that costs no more than ``cost``, give or take float noise."""
        if math.isinf(cost):
            return NO_LIMIT
        return min(NO_LIMIT, math.floor(Fraction(cost) * (1 + Fraction(1, 10**12)) / self.tick))


@lru_cache(maxsize=256)
def ticks_of(costs: EditCosts, edits: int = 128) -> Ticks:
    """Express costs in ticks, exactly where they are simple fractions.

    Parameters
    ----------
    costs : EditCosts
        What each edit costs.
    edits : int
        The most edits that a query can need: its nodes and edges together.

    Examples
    --------
    >>> ticks_of(EditCosts(node_relabel=0.5, edge_deletion=1.5))[:4]
    (2, 1, 3, 2)
    """
    values = (costs.node_deletion, costs.node_relabel, costs.edge_deletion, costs.edge_mismatch)
    parts = [Fraction(value).limit_denominator(LARGEST_DENOMINATOR) for value in values]
    if any(float(part) != value for part, value in zip(parts, values, strict=True)):
        parts = [Fraction(value) for value in values]
    tick = _common_step(parts)
    finest = max(parts) * edits / MOST_TICKS
    exact = tick >= finest
    if not exact:
        tick = finest
    a, b, c, d = (math.floor(part / tick) for part in parts)
    hidden = edits * tick
    smallest = min((part for part in parts if part > 0), default=Fraction(0))
    blur = 0.0 if exact or hidden > smallest * Fraction(TOLERANCE) else float(2 * hidden)
    return Ticks(a, b, c, d, tick, exact, blur)


def _common_step(parts: list[Fraction]) -> Fraction:
    """The largest number that divides all of them; 1 if all are 0."""
    denominator = math.lcm(*(part.denominator for part in parts))
    counts = [int(part * denominator) for part in parts]
    return Fraction(math.gcd(*counts) or denominator, denominator)
