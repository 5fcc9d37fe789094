"""The learning rate as a function of the step."""

from __future__ import annotations

import math

__all__ = ["cosine", "cyclic"]


def cyclic(step: int, rise: int, fall: int, peak: float) -> float:
    """From 0 to the peak and back to 0 in straight lines, over and over.

    Parameters
    ----------
    step : int
        From 0.
    rise, fall : int
        Steps up, and steps down.
    peak : float
        The largest rate.

    Examples
    --------
    >>> [cyclic(step, 2, 2, 1.0) for step in range(6)]
    [0.0, 0.5, 1.0, 0.5, 0.0, 0.5]
    """
    place = step % (rise + fall)
    return peak * (place / rise if place < rise else (rise + fall - place) / fall)


def cosine(step: int, warm_up: int, total: int, peak: float) -> float:
    """Up to the peak in a straight line, then down to 0 along a cosine, which it reaches after the last step.

    Parameters
    ----------
    step : int
        From 0.
    warm_up : int
        Steps up.
    total : int
        All steps.
    peak : float
        The largest rate.

    Examples
    --------
    >>> [round(cosine(step, 2, 6, 1.0), 3) for step in range(7)]
    [0.0, 0.5, 1.0, 0.854, 0.5, 0.146, 0.0]
    """
    if step < warm_up:
        return peak * step / warm_up
    share = (step - warm_up) / max(1, total - warm_up)
    return peak * 0.5 * (1 + math.cos(math.pi * min(1.0, share)))
