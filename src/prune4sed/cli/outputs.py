"""Files that a command is to write."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from prune4sed.errors import OptionError

__all__ = ["check_out", "check_suffix"]


# Suffixes that promise a kind of file.
_KINDS = {".csv", ".html", ".json", ".jsonl", ".ndjson", ".parquet", ".tsv", ".txt", ".xlsx"}


def check_suffix(out: Path, written: Collection[str], what: str) -> None:
    """Refuse a name that promises another kind of file than what is written."""
    suffix = out.suffix.lower()
    if suffix in _KINDS and suffix not in written:
        raise OptionError(f"cannot write {out}: {what}; choose a name that ends in {' or '.join(written)}")


def check_out(out: Path, *inputs: str) -> None:
    """Refuse before the work begins what could not be written after it."""
    if not out.parent.is_dir():
        raise OptionError(f"cannot write {out}: the folder {out.parent} does not exist")
    if out.is_dir():
        raise OptionError(f"cannot write {out}: it is a folder")
    # A long SMILES string is no possible file name; exists of os.path says no, where that of Path raises.
    if any(out.exists() and os.path.exists(text) and out.samefile(text) for text in inputs):
        raise OptionError(f"{out} would overwrite an input")
