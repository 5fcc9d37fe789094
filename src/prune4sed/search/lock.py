"""One writer at a time: a lock on a file, which the system takes back however a process ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prune4sed.atomic import reason
from prune4sed.errors import FormatError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["LOCK", "writing"]

LOCK = ".lock"


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Keep other writers out of a folder, which is made if need be, while the block lasts.

    Raises
    ------
    FormatError
        If somebody else is writing there, or nobody can.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        number = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise FormatError(f"cannot write {folder}: {reason(error)}") from None
    try:
        if fcntl is not None:
            try:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FormatError(
                    f"{folder}: somebody else is writing to this index; try again later"
                ) from None
        yield
    finally:
        os.close(number)
