"""Where graphs are written to: a file that appears whole or not at all, compressed if its suffix says so."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from prune4sed.atomic import replacing

__all__ = ["open_target"]


@contextmanager
def open_target(path: Path) -> Iterator[IO[str]]:
    """A text file to write to; it takes its place when the block ends well."""
    with replacing(path) as temporary, temporary.open("wb") as raw:
        packed = _packed(raw, path.suffix.lower())
        with io.TextIOWrapper(packed, encoding="utf-8", newline="\n") as out:
            yield out


def _packed(raw: IO[bytes], suffix: str) -> Any:
    if suffix == ".gz":
        # No name and no date inside: the same graphs always give the same file.
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
    if suffix == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if suffix == ".xz":
        return lzma.LZMAFile(raw, "wb")
    if suffix == ".zst":
        import pyarrow as pa

        return io.BufferedWriter(pa.CompressedOutputStream(pa.PythonFile(raw, mode="w"), "zstd"))
    return raw
