"""How many threads a CPU trains fastest with."""

from __future__ import annotations

from collections.abc import Callable

import torch

__all__ = ["quickest"]


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
