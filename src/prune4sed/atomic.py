"""Write a file whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from prune4sed.errors import FormatError

__all__ = ["reason", "replacing"]


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path` that takes its place when the block ends well, and vanishes when it does
    not.

    Parameters
    ----------
    path : path
        The file to make or replace.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacing(Path(folder) / "a.txt") as temporary:
    ...         _ = temporary.write_text("hello")
    ...     (Path(folder) / "a.txt").read_text()
    'hello'
    """
    target = Path(path)
    if target.is_dir():
        raise FormatError(f"cannot write {target}: it is a folder")
    try:
        number, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
        os.close(number)
    except OSError as error:
        raise FormatError(f"cannot write {target}: {error.strerror}") from None
    temporary = Path(name)
    try:
        yield temporary
        # mkstemp makes private files; give the result the permissions any new file would have.
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        os.replace(temporary, target)
    except OSError as error:
        raise FormatError(f"cannot write {target}: {reason(error)}") from None
    finally:
        with suppress(OSError):
            temporary.unlink()


def reason(error: OSError) -> str:
    """What the system says about a failure, without what a library adds to it.

    Examples
    --------
    >>> import errno
    >>> reason(OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28]"))
    'No space left on device'
    """
    return os.strerror(error.errno) if error.errno else error.strerror or str(error)
