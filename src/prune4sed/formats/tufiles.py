"""The text files of one TUDataset, in a folder or a zip, as arrays of integers."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import FormatError

__all__ = ["TUFiles"]

_ENDING = "_A.txt"


class TUFiles:
    """The files ``DS_A.txt``, ``DS_graph_indicator.txt`` and so on, found by the first of them.

    Parameters
    ----------
    path : Path
        A folder or a zip.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._path = path
        self._zip = None if path.is_dir() else self._open(path)
        names = self._zip.namelist() if self._zip else [file.name for file in path.iterdir()]
        found = sorted(name for name in names if name.endswith(_ENDING))
        if len(found) != 1:
            kind = "no" if not found else f"{len(found)}"
            raise FormatError(f"{self.name}: {kind} files DS_A.txt in it; expected one TUDataset")
        self._prefix = found[0].removesuffix(_ENDING)
        self._names = set(names)

    def _open(self, path: Path) -> zipfile.ZipFile:
        try:
            return zipfile.ZipFile(path)
        except FileNotFoundError:
            raise FormatError(f"{path}: no such file") from None
        except (OSError, zipfile.BadZipFile) as error:
            raise FormatError(f"{path}: not a readable zip ({error})") from None

    def has(self, part: str) -> bool:
        """Whether there is a file ``DS_part.txt``."""
        return self._file(part) in self._names

    def _file(self, part: str) -> str:
        return f"{self._prefix}_{part}.txt"

    def _where(self, part: str) -> str:
        return f"{self.name}/{self._file(part)}"

    def _bytes(self, part: str) -> bytes:
        name = self._file(part)
        try:
            return self._zip.read(name) if self._zip else (self._path / name).read_bytes()
        except (KeyError, FileNotFoundError):
            raise FormatError(f"{self.name}: there is no {name} in it") from None
        except (
            OSError,
            RuntimeError,
            NotImplementedError,
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
        ) as error:
            raise FormatError(f"{self._where(part)}: it cannot be read ({error})") from None

    def numbers(self, part: str, width: int) -> NDArray[np.int64]:
        """The integers of a file, `width` on every line."""
        lines = self._bytes(part).replace(b",", b" ").splitlines()
        while lines and not lines[-1].strip():
            lines.pop()
        try:
            values = (
                np.array(b" ".join(lines).split(), dtype=np.int64) if lines else np.zeros(0, dtype=np.int64)
            )
            fits = len(values) == width * len(lines) and all(len(line.split()) == width for line in lines)
        except (ValueError, OverflowError):
            fits = False
        if not fits:
            self._refuse_line(part, lines, width)
        return values.reshape(-1, width)

    def _refuse_line(self, part: str, lines: list[bytes], width: int) -> None:
        for number, line in enumerate(lines, 1):
            words = line.split()
            if len(words) != width or not all(
                word.lstrip(b"-").isdigit() and len(word) < 19 for word in words
            ):
                expected = "two integers" if width == 2 else "one integer"
                text = line.decode(errors="replace").strip()[:60]
                raise FormatError(f"{self._where(part)}:{number}: expected {expected}, found {text!r}")
        raise FormatError(f"{self._where(part)}: expected integers")

    def expect(self, fine: bool, part: str, message: str) -> None:
        """Raise about a file unless all is fine."""
        if not fine:
            raise FormatError(f"{self._where(part)}: {message}")

    def refuse(self, part: str, wrong: NDArray[np.bool_], message: str) -> None:
        """Raise about the first line that is wrong."""
        if wrong.any():
            raise FormatError(f"{self._where(part)}:{int(wrong.argmax()) + 1}: {message}")
