"""How many threads torch has: a batch each is faster than many on one batch, and one does for little work.

Threads within one operation wait for each other at its end, thousands of times a second, and all of them for
the slowest, which other work on the machine may hold up; threads that have a batch each wait once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import torch

__all__ = ["kept_threads", "map_threads", "one_thread"]

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

    with kept_threads():  # in threads yet to come, too
        pool = ThreadPoolExecutor(min(threads, len(items)), initializer=torch.set_num_threads, initargs=(1,))
        try:
            return list(pool.map(run, items))
        finally:
            pool.shutdown(cancel_futures=True)  # after an error or Ctrl-C, what has not begun need not


@contextmanager
def kept_threads() -> Iterator[None]:
    """Whatever the block does, there are as many threads after it as before."""
    before = torch.get_num_threads()
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for little work: it is done sooner than several can be brought together, and much sooner
    where other work has the cores.
    """
    with kept_threads():
        torch.set_num_threads(1)
        yield
