"""Batches side by side, a thread each: on a CPU, faster than many threads on one batch.

Threads within one operation wait for each other at its end, thousands of times a second, and all of them for
the slowest; threads that have a batch each wait once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

__all__ = ["map_threads"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_threads(work: Callable[[Item], Result], items: Sequence[Item], threads: int) -> list[Result]:
    """``[work(item) for item in items]``, without gradients, in so many threads of one torch thread each.

    Examples
    --------
    >>> map_threads(len, ["a", "bcd", ""], threads=2)
    [1, 3, 0]
    """
    if min(threads, len(items)) <= 1:
        with torch.inference_mode():
            return [work(item) for item in items]

    def run(item: Item) -> Result:
        with torch.inference_mode():  # which, like the number of torch threads, is every thread's own affair
            return work(item)

    before = torch.get_num_threads()
    pool = ThreadPoolExecutor(min(threads, len(items)), initializer=torch.set_num_threads, initargs=(1,))
    try:
        return list(pool.map(run, items))
    finally:
        pool.shutdown(cancel_futures=True)  # after an error or Ctrl-C, what has not begun need not
        torch.set_num_threads(before)  # for threads yet to come
