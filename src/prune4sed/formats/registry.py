"""Which formats there are, and which of them a file is in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from prune4sed.errors import FormatError

__all__ = ["COMPRESSED", "FORMATS", "Format", "by_name", "by_path", "sniff"]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


@dataclass(frozen=True, slots=True)
class Format:
    """One format: the module of the same room that reads it, and the suffixes of its files.

    Attributes
    ----------
    bonds_on_request : bool
        The format knows chemistry, and its readers label edges only when asked to.
    writable : bool
        Whether the module has a ``write``.
    """

    name: str
    suffixes: tuple[str, ...]
    module: str
    bonds_on_request: bool = False
    writable: bool = True

    def load(self) -> Any:
        """The module, imported when first needed."""
        return import_module(f"prune4sed.formats.{self.module}")


FORMATS = (
    Format("smiles", (".smi", ".smiles", ".txt"), "smiles", bonds_on_request=True, writable=False),
    Format("table", (".csv", ".tsv"), "table", bonds_on_request=True, writable=False),
    Format("sdf", (".sdf", ".sd", ".mol"), "sdf", bonds_on_request=True, writable=False),
    Format("tve", (".tve", ".gspan", ".lg"), "tve"),
    Format("jsonl", (".jsonl", ".json", ".ndjson"), "jsonl"),
    Format("graphml", (".graphml",), "graphml"),
    Format("arrow", (".arrow",), "arrow"),
    Format("tudataset", (".zip",), "tudataset"),
)


def by_name(name: str) -> Format:
    """The format of a name or suffix: "smiles", "csv", ".smi"."""
    wanted = str(name).lower().lstrip(".")
    for format in FORMATS:
        if wanted == format.name or f".{wanted}" in format.suffixes:
            return format
    raise FormatError(f"there is no format {name!r}; use one of: {', '.join(f.name for f in FORMATS)}")


def by_path(path: Path) -> Format:
    """The format that the suffix of a path stands for, compressed or not."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    for format in FORMATS:
        if suffixes and suffixes[-1] in format.suffixes:
            return format
    known = ", ".join(suffix for format in FORMATS for suffix in format.suffixes)
    raise FormatError(
        f"{path}: the suffix tells no format; rename it ({known}) or give format=, one of: "
        f"{', '.join(f.name for f in FORMATS)}"
    )


def sniff(head: bytes, name: str) -> Format:
    """The format of a stream without a suffix, from its first bytes; SMILES if nothing else."""
    if not head.strip():
        raise FormatError(f"{name}: it is empty; expected graphs")
    if head.startswith(b"ARROW1"):
        return by_name("arrow")
    text = head.decode(errors="replace").lstrip("\ufeff")
    first = text.lstrip().partition("\n")[0].strip()
    if first.startswith(("{", "[{")) or first == "[":
        return by_name("jsonl")
    if first.startswith("<"):
        return by_name("graphml")
    if re.match(r"t(\s|$)", first):
        return by_name("tve")
    if re.search(r"V[23]000\s*$|^M  END|^\$\$\$\$", text, re.MULTILINE):
        return by_name("sdf")
    if re.search(r"smiles", first, re.IGNORECASE) and re.search(r"[,;\t]", first):
        return by_name("table")
    return by_name("smiles")
