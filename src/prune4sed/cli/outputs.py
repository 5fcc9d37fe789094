"""Files that a command is to write."""

from __future__ import annotations

import os
from pathlib import Path

from prune4sed.errors import OptionError

__all__ = ["check_out"]


def check_out(out: Path, *inputs: str) -> None:
    """Refuse before the work begins what could not be written after it."""
    if not out.parent.is_dir():
        raise OptionError(f"cannot write {out}: the folder {out.parent} does not exist")
    if out.is_dir():
        raise OptionError(f"cannot write {out}: it is a folder")
    # A long SMILES string is no possible file name; exists of os.path says no, where that of Path raises.
    if any(out.exists() and os.path.exists(text) and out.samefile(text) for text in inputs):
        raise OptionError(f"{out} would overwrite an input")
