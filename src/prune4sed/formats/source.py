"""Source: where graphs are read from, be it a path, standard input or an open file, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import IO, Any, TypeVar, cast

from prune4sed.errors import FormatError

__all__ = ["Source"]

T = TypeVar("T")

# Compression is told by content, so that standard input and misnamed files work too.
_MAGIC = ((b"\x1f\x8b", "gzip"), (b"BZh", "bz2"), (b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"))


class Source:
    """Bytes or lines of an input, with errors that name it.

    Parameters
    ----------
    source : path, "-" or file object
        "-" is standard input.
    """

    def __init__(self, source: str | PathLike[str] | IO[Any]) -> None:
        self.path: Path | None = None
        self.compressed = False
        self._opened: list[Any] = []
        if hasattr(source, "read"):
            stream = cast("IO[Any]", source)
            name = getattr(stream, "name", None)
            self.name = name if isinstance(name, str) else "<input>"
            self._raw = self._buffered(stream)
        elif isinstance(source, (str, PathLike)):
            if str(source) == "-":
                self.name = "<stdin>"
                self._raw = self._buffered(getattr(sys.stdin, "buffer", sys.stdin))
            else:
                self.path = Path(source)
                self.name = str(source)
                self._raw = self._open(self.path)
        else:
            raise FormatError(f"graphs are read from a path, '-' or an open file, not from {source!r}")
        self._stream = self._decompressed()

    def _open(self, path: Path) -> io.BufferedReader:
        try:
            opened = path.open("rb")
        except FileNotFoundError:
            raise FormatError(f"{path}: no such file") from None
        except (OSError, ValueError) as error:
            raise FormatError(
                f"{path}: cannot be opened ({getattr(error, 'strerror', None) or error})"
            ) from None
        self._opened.append(opened)
        return opened

    def _buffered(self, stream: IO[Any]) -> io.BufferedReader:
        if isinstance(stream, io.BufferedReader):
            return stream
        data = self._guard(stream.read)
        raw = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else bytes(data)
        return io.BufferedReader(cast(io.RawIOBase, io.BytesIO(raw)))

    def _decompressed(self) -> io.BufferedReader:
        head = self._guard(lambda: self._raw.peek(8))
        kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), None)
        if kind is None:
            return self._raw
        self.compressed = True
        inner: Any
        if kind == "gzip":
            inner = gzip.GzipFile(fileobj=self._raw)
        elif kind == "bz2":
            inner = bz2.BZ2File(self._raw)
        elif kind == "xz":
            inner = lzma.LZMAFile(self._raw)  # noqa: SIM115 - reads a stream that is closed elsewhere
        else:
            import pyarrow as pa

            inner = pa.CompressedInputStream(pa.PythonFile(self._raw, mode="r"), "zstd")
        return io.BufferedReader(inner)

    def _guard(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except UnicodeDecodeError:
            raise FormatError(f"{self.name}: it is not UTF-8 text") from None
        except (EOFError, OSError, zlib.error, lzma.LZMAError, ValueError) as error:
            what = "the compressed data is damaged or cut short" if self.compressed else "it cannot be read"
            raise FormatError(f"{self.name}: {what} ({error or type(error).__name__})") from None

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        for opened in self._opened:
            opened.close()

    def head(self) -> bytes:
        """The first few thousand bytes, without consuming them."""
        return self._guard(lambda: self._stream.peek(4096))

    def read(self) -> bytes:
        """All bytes, decompressed."""
        return self._guard(self._stream.read)

    def text(self) -> str:
        """All of it as text."""
        return "".join(line + "\n" for _, line in self.lines())

    def lines(self) -> Iterator[tuple[int, str]]:
        """Line numbers from 1 and lines without their ends; blank lines are included."""
        number = 0
        while raw := self._guard(self._stream.readline):
            number += 1
            if b"\0" in raw:
                raise FormatError(f"{self.name}:{number}: this is binary data; expected text")
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError:
                raise FormatError(f"{self.name}:{number}: this line is not UTF-8 text") from None
            yield number, line.rstrip("\r\n")
