"""Ctrl-C that waits until a step is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["Stop", "stopping"]


class Stop:
    """Whether Ctrl-C was pressed; a second time it stops at once."""

    def __init__(self) -> None:
        self.asked = False
        self._at_once = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked or self._at_once:
            raise KeyboardInterrupt
        self.asked = True

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Work that may be broken off anywhere."""
        if self.asked:
            raise KeyboardInterrupt
        self._at_once = True
        try:
            yield
        finally:
            self._at_once = False


@contextmanager
def stopping(stop: Stop | None = None) -> Iterator[Stop]:
    """Take Ctrl-C over while the block lasts; outside the main thread nothing can, and nothing is."""
    stop = stop or Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)
