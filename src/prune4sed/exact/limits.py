"""Time limits, checked once where they enter."""

from __future__ import annotations

import math
from numbers import Real
from time import perf_counter

from prune4sed.errors import OptionError


class Deadline:
    """A point in time that may lie infinitely far away.

    Parameters
    ----------
    seconds
        Time allowed from now; None means no limit, 0 means that the deadline has passed.

    Raises
    ------
    OptionError
        If ``seconds`` is not a number, is NaN or negative.
    """

    def __init__(self, seconds: float | None) -> None:
        allowed = math.inf if seconds is None else seconds
        if isinstance(allowed, bool) or not isinstance(allowed, Real) or not allowed >= 0:
            raise OptionError(f"time_limit must be a number of seconds, 0 or more, or None; got {seconds!r}")
        self._end: float = perf_counter() + float(allowed)

    def left(self) -> float:
        """Seconds left, 0 once it has passed."""
        return max(0.0, self._end - perf_counter())

    def sooner(self, seconds: float) -> Deadline:
        """One that passes so much before this one, for whoever has work left to do then."""
        return self if math.isinf(self._end) else Deadline(max(0.0, self.left() - seconds))

    def passed(self) -> bool:
        """Whether the time is up."""
        return self.left() <= 0.0
