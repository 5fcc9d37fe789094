"""The log of a run: one JSON object per line, readable while it grows."""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from prune4sed.atomic import reason, replacing
from prune4sed.errors import FormatError

__all__ = ["Log", "read_log"]

Entry = dict[str, Any]


class Log:
    """Appends lines, each of them at once on disk.

    Parameters
    ----------
    path : path
        The file.
    keep : callable, optional
        Which lines of an earlier run to keep; by default none.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Log(Path(folder) / "log.jsonl")
    ...     log.write(step=20, loss=1.5)
    ...     read_log(log.path)
    [{'step': 20, 'loss': 1.5}]
    """

    def __init__(self, path: str | PathLike[str], keep: Callable[[Entry], bool] | None = None) -> None:
        self.path = Path(path)
        old = read_log(self.path) if keep is not None and self.path.is_file() else []
        with replacing(self.path) as temporary:
            temporary.write_text("".join(_line(entry) for entry in old if keep and keep(entry)))

    def write(self, **entry: Any) -> None:
        """Append one line."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(entry))
        except OSError as error:
            raise FormatError(f"cannot write {self.path}: {reason(error)}") from None


def read_log(path: str | PathLike[str]) -> list[Entry]:
    """The lines of a log; a last one that was cut off while being written is left out.

    Raises
    ------
    FormatError
        If there is no such file, or a line in it is no JSON object with a number as its step.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot read the log {path}: {error}") from None
    found = []
    for number, line in enumerate(lines, 1):
        if not line.endswith("\n"):
            break
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if not isinstance(entry, dict) or type(entry.get("step")) is not int:
            raise FormatError(f"{path}, line {number}: not a JSON object with a step")
        found.append(entry)
    return found


def _line(entry: Entry) -> str:
    return json.dumps(entry, allow_nan=False) + "\n"
