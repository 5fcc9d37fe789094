"""How many threads a CPU trains fastest with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

__all__ = ["kept_threads", "quickest"]


def quickest(seconds: Callable[[], float]) -> float:
    """Use one thread if it is faster than all of them: where others want the cores too, threads wait in vain.

    Parameters
    ----------
    seconds : callable
        Measures a step.

    Returns
    -------
    float
        What it takes.
    """
    several = torch.get_num_threads()
    together = seconds()
    if several == 1:
        return together
    torch.set_num_threads(1)
    alone = seconds()
    if alone <= together:
        return alone
    torch.set_num_threads(several)
    return together


@contextmanager
def kept_threads() -> Iterator[None]:
    """Whatever the block does, there are as many threads after it as before."""
    before = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(before)
