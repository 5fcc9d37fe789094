"""How many threads to use, checked once where the number enters."""

from __future__ import annotations

import os
from numbers import Integral

from prune4sed.errors import OptionError

__all__ = ["thread_count"]


def thread_count(threads: int | None) -> int:
    """The number as given, or that of the cores this process may use.

    Raises
    ------
    OptionError
        If it is not a whole number, 1 or more.

    Examples
    --------
    >>> thread_count(3), thread_count(None) >= 1
    (3, True)
    """
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if isinstance(threads, bool) or not isinstance(threads, Integral) or threads < 1:
        raise OptionError(f"threads must be a whole number, 1 or more, or None; got {threads!r}")
    return min(int(threads), 1024)
