"""What a study has found so far: one JSON file, which grows cell by cell."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from prune4sed.atomic import reason, replacing
from prune4sed.errors import FormatError, OptionError
from prune4sed.studies.provenance import provenance
from prune4sed.studies.study import Cell

__all__ = ["Record", "pairs_of"]

FORMAT, VERSION = "prune4sed.study", 1
_Key = frozenset[tuple[str, str]]
_LISTS, _BREAKS = re.compile(r"\[\n([^][{}]*)\n *]"), re.compile(r"\n *")
_Entry = dict[str, Any]


class Record:
    """Cells of a study, on disk as they come.

    A cell is known by its key. It holds ``figures``, or else ``missing`` with the reason.

    Parameters
    ----------
    path : Path
        The file; what it holds is read.
    study : str
        Whose it is.
    config : mapping
        How the study is run. Small samples never go into the file of a full run, nor the other way round.
    command : str
        What makes it.
    advice : str
        What to do if the file is of something else.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     record = Record(Path(folder) / "sums.json", "sums", {"quick": True})
    ...     cell = Cell({"method": "by hand"}, {"numbers": [1, 2]})
    ...     record.store(cell, {"sum": 3}, 0.1)
    ...     again = Record(Path(folder) / "sums.json", "sums", {"quick": True})
    >>> again.figures(method="by hand"), again.has(cell), again.figures(method="abacus")
    ({'sum': 3}, True, None)
    """

    def __init__(
        self,
        path: Path,
        study: str,
        config: Mapping[str, Any],
        command: str = "",
        advice: str = "choose another --out, or move it away",
    ) -> None:
        self.path, self.study, self.config, self.command = path, study, dict(config), command
        self._advice = advice
        self._cells: dict[_Key, _Entry] = {}
        self._read()

    @property
    def quick(self) -> bool:
        """Whether it holds the figures of small samples."""
        return bool(self.config.get("quick"))

    def has(self, cell: Cell) -> bool:
        """Whether the figures of a cell are known, made from the very same."""
        entry = self._cells.get(_key(cell.key))
        return entry is not None and "figures" in entry and entry["from"] == _plain(cell.made_from)

    def knows(self, cell: Cell) -> bool:
        """Whether there are figures at all, whatever they were made from."""
        return "figures" in self._cells.get(_key(cell.key), {})

    def figures(self, **key: str) -> dict[str, Any] | None:
        """What was found for a cell; None if it is missing."""
        found: dict[str, Any] | None = self._cells.get(_key(key), {}).get("figures")
        return found

    def entry(self, **key: str) -> dict[str, Any] | None:
        """All that is stored of a cell: key, from, figures, seconds, date and so on."""
        return self._cells.get(_key(key))

    def entries(self, **some: str) -> Iterator[dict[str, Any]]:
        """All cells whose keys hold these values, in the order of their first making."""
        wanted = set(some.items())
        return (entry for key, entry in self._cells.items() if wanted <= key)

    def why(self, **key: str) -> str:
        """Why a cell is missing."""
        entry = self._cells.get(_key(key))
        return "not computed" if entry is None else str(entry.get("missing", ""))

    def store(self, cell: Cell, figures: Mapping[str, Any], seconds: float) -> None:
        """Keep what was found, at once on disk."""
        made = {"from": dict(cell.made_from), "seconds": round(seconds, 3), "command": self.command}
        self._put(cell, {"figures": dict(figures), **made, **provenance()})

    def miss(self, cell: Cell, why: str) -> None:
        """Keep that there is nothing, and the reason; what was found earlier is forgotten."""
        self._put(cell, {"missing": why})

    def take(self, path: Path) -> int:
        """Take over the figures of a run elsewhere that are not known here, or are newer; how many it were.

        Raises
        ------
        FormatError, OptionError
            If it is no such file, or one of another study or kind of run.
        """
        if not path.is_file():
            raise FormatError(f"there is no file {path}")
        other = Record(path, self.study, self.config, advice="give another file to --merge")
        newer = {
            key: entry
            for key, entry in other._cells.items()
            if "figures" in entry and entry["date"] > self._cells.get(key, {}).get("date", "")
        }
        self._read()
        self._cells |= newer
        return len(newer)

    def _put(self, cell: Cell, entry: _Entry) -> None:
        # Somebody else may have written other cells since: on another device, or other methods.
        self._read()
        self._cells[_key(cell.key)] = _plain({"key": dict(cell.key), **entry})
        self.save()

    def save(self) -> None:
        """Write the file, whole or not at all."""
        head = {"format": FORMAT, "version": VERSION, "study": self.study, "config": self.config}
        whole = {**head, "command": self.command, "cells": list(self._cells.values())}
        with replacing(self.path) as temporary:
            temporary.write_text(
                _dense(json.dumps(whole, indent=1, allow_nan=False)) + "\n", encoding="utf-8"
            )

    def _read(self) -> None:
        told = _read_json(self.path, self._advice)
        if told is None:
            return
        if told.get("study") != self.study:
            raise OptionError(f"{self.path} is of the study {told.get('study')!r}; {self._advice}")
        before, now = told["config"].get("quick"), self.config.get("quick")
        if before != now:
            kind = {True: "quick", False: "full"}.get(before, "other")
            raise OptionError(f"{self.path} holds the figures of a {kind} run; {self._advice}")
        self._cells |= {_key(entry["key"]): entry for entry in told["cells"]}


def pairs_of(record: Record, made_from: str) -> str:
    """Over how many pairs the cells are that were made from such a thing, in words."""
    sizes = {entry["from"]["pairs"] for entry in record.entries() if made_from in entry.get("from", {})}
    kind = "random pairs" if record.quick else "pairs"
    return f"{max(sizes):,} {kind}" if sizes else "none measured yet"


def _read_json(path: Path, advice: str) -> dict[str, Any] | None:
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        right = told["format"] == FORMAT and told["version"] == VERSION
        right = right and isinstance(told["config"], dict) and all(map(_is_entry, told["cells"]))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FormatError(f"cannot read {path}: {reason(error)}") from None
    except (ValueError, KeyError, TypeError):
        right = False
    if not right:
        raise FormatError(f"{path} does not hold figures of a study; {advice}")
    found: dict[str, Any] = told
    return found


def _is_entry(cell: Any) -> bool:
    """Whether a cell is of a form that can be shown: a key, and figures with their making or a reason."""
    known = isinstance(cell, dict) and isinstance(cell.get("key"), dict)
    known = known and all(isinstance(value, str) for value in cell["key"].values())
    if not known or isinstance(cell.get("missing"), str):
        return known
    kinds = {"figures": dict, "from": dict, "machine": dict, "date": str}
    return all(isinstance(cell.get(name), kind) for name, kind in kinds.items())


def _dense(text: str) -> str:
    """JSON with every innermost list on one line; no string of JSON holds a line break, so none changes."""
    return _LISTS.sub(lambda found: f"[{_BREAKS.sub(' ', found[1].strip())}]", text)


def _key(key: Mapping[str, str]) -> _Key:
    return frozenset(key.items())


def _plain(value: Any) -> Any:
    """The same as JSON would give it back: floats to seven digits, None for what is no number."""
    if isinstance(value, Mapping):
        return {str(name): _plain(x) for name, x in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(x) for x in value]
    if isinstance(value, bool) or value is None or isinstance(value, (str, int)):
        return value
    number = float(value)
    return float(f"{number:.7g}") if math.isfinite(number) else None
