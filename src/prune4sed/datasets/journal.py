"""Journal: the rows a long labelling run has finished, safe on disk as they come.

A file starts with a line that says what it is, the length of a JSON object, and the object itself: the key
of the run. Records follow, each with its length and CRC-32 in front. A run that was killed leaves at most one
torn record at the end, which the next opening cuts off.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from prune4sed.atomic import replacing
from prune4sed.errors import FormatError, OptionError

__all__ = ["Journal", "row_type"]

MAGIC = b"prune4sed journal 1\n"
LENGTH = struct.Struct("<I")
RECORD = struct.Struct("<II")  # length and CRC-32 of the rows that follow
SYNC_EVERY = 1.0  # seconds between calls that wait for the disk


def row_type(width: int) -> np.dtype[np.void]:
    """One finished pair: its position, bounds and the images of up to `width` query nodes."""
    return np.dtype([("row", "<i8"), ("lower", "<i4"), ("upper", "<i4"), ("mapping", "<i4", (width,))])


class Journal:
    """An append-only file of finished rows; a context manager that closes it.

    Parameters
    ----------
    path : Path
        The file.
    key : mapping
        What the rows belong to, as JSON values. A journal with another key is refused.
    width : int
        Query nodes per row.
    resume : bool
        Go on with an existing file, which is refused otherwise. Where there is none, one is begun in either
        case.

    Attributes
    ----------
    rows : structured array of `row_type`
        What was finished when the file was opened.

    Raises
    ------
    OptionError
        If the file exists and `resume` is false, belongs to another run, or is in use.
    FormatError
        If it is no journal, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "run.journal")
    >>> with Journal(path, {"pairs": 2}, width=1) as journal:
    ...     journal.append(np.array([(1, 0, 0, [4])], dtype=row_type(1)))
    >>> with Journal(path, {"pairs": 2}, width=1, resume=True) as journal:
    ...     journal.rows["row"].tolist(), journal.rows["mapping"].tolist()
    ([1], [[4]])
    >>> folder.cleanup()
    """

    def __init__(self, path: Path, key: Mapping[str, Any], width: int, resume: bool = False) -> None:
        self.path = path
        self._type = row_type(width)
        self._synced = monotonic()
        wanted = json.loads(json.dumps({**key, "width": width}))  # as it will read from the file
        existed = path.exists()
        if not existed:
            _begin(path, wanted)
        try:
            self._file: BinaryIO = path.open("r+b", buffering=0)
        except OSError as error:
            raise FormatError(f"cannot open {path}: {error.strerror}") from None
        try:
            _lock(self._file, path)  # first: nobody should be told to delete the file of a run that goes on
            if existed and not resume:
                raise OptionError(
                    f"{path} holds a run that was not finished; go on with --resume, or delete it"
                )
            self.rows: NDArray[np.void] = self._recover(wanted)
            self._holds_rows = len(self.rows) > 0
        except BaseException:
            self._file.close()
            raise

    def append(self, rows: NDArray[np.void]) -> None:
        """Record finished rows; when this returns, the operating system has them."""
        data = np.ascontiguousarray(rows, dtype=self._type).tobytes()
        if not data:
            return
        self._holds_rows = True
        self._write(RECORD.pack(len(data), zlib.crc32(data)) + data)
        if monotonic() - self._synced >= SYNC_EVERY:
            self._sync()

    def delete(self) -> None:
        """Close and remove the file: its rows are safe elsewhere."""
        self._file.close()
        with suppress(OSError):
            self.path.unlink()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file.closed:
            return
        if error is not None and not self._holds_rows:
            self.delete()  # nobody should have to resume a run that had not begun
            return
        with suppress(OSError):  # the rows are with the operating system in any case
            self._sync()
        self._file.close()

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[self._file.write(left) :]
        except OSError as error:
            raise FormatError(f"cannot write {self.path}: {error.strerror}") from None

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced = monotonic()

    def _recover(self, wanted: dict[str, Any]) -> NDArray[np.void]:
        """All whole records; what follows them is cut off, and writing goes on from there."""
        data = self.path.read_bytes()
        start = _check_key(data, wanted, self.path)
        parts: list[NDArray[np.void]] = []
        while (record := _record(data, start)) is not None:
            if len(record) % self._type.itemsize:
                raise FormatError(f"{self.path} is damaged; delete it and label anew")
            parts.append(np.frombuffer(record, dtype=self._type))
            start += RECORD.size + len(record)
        self._file.truncate(start)
        self._file.seek(start)
        return np.concatenate(parts) if parts else np.zeros(0, dtype=self._type)


def _begin(path: Path, key: dict[str, Any]) -> None:
    """A journal without rows, put in place whole so that its head can never be torn."""
    text = json.dumps(key).encode()
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.write(MAGIC + LENGTH.pack(len(text)) + text)
        file.flush()
        os.fsync(file.fileno())


def _check_key(data: bytes, wanted: dict[str, Any], path: Path) -> int:
    """Where the records begin, once it is sure that they belong to this run."""
    start = len(MAGIC) + LENGTH.size
    try:
        stop = start + int(LENGTH.unpack_from(data, len(MAGIC))[0])
        if not data.startswith(MAGIC) or stop > len(data):
            raise ValueError
        found = dict(json.loads(data[start:stop]))
    except (ValueError, struct.error, TypeError):
        raise FormatError(f"{path} is not a journal that this version reads; delete it") from None
    for name in sorted({*wanted, *found}):
        if wanted.get(name) != found.get(name):
            raise OptionError(
                f"{path} belongs to another run: its {name.replace('_', ' ')} is {found.get(name)}, "
                f"not {wanted.get(name)}; run that one, or delete the file"
            )
    return stop


def _record(data: bytes, start: int) -> bytes | None:
    """The record at a position, or None if there is no whole one."""
    if len(data) < start + RECORD.size:
        return None
    length, check = RECORD.unpack_from(data, start)
    record = data[start + RECORD.size : start + RECORD.size + length]
    # A power cut may leave zeros at the end, which would read as a record of no rows.
    return record if len(record) == length > 0 and zlib.crc32(record) == check else None


def _lock(file: BinaryIO, path: Path) -> None:
    """Keep a second run from writing between our records, where the system can; a dead run holds no lock."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise OptionError(f"{path} is in use by another run that labels the same pairs") from None
    except OSError:  # a file system without locks
        return
