"""SMILES files: one molecule a line, ``SMILES`` or ``SMILES name``; lines that start with # are comments."""

from __future__ import annotations

from collections.abc import Iterator

from prune4sed.convert.smiles import from_mol, parse_smiles
from prune4sed.errors import FormatError, require
from prune4sed.formats.smiles_row import SmilesRow
from prune4sed.formats.source import Source
from prune4sed.graph import Graph

__all__ = ["from_mol", "parse_smiles", "read", "rows"]

_HEADERS = {"smiles", "smi", "canonical_smiles", "isomeric_smiles"}


def read(source: Source, edge_labels: bool = False) -> Iterator[Graph | FormatError]:
    """Molecules of a SMILES file; a bad line comes out as an error, so that the caller may skip it."""
    require("rdkit.Chem", "chem", "to read SMILES")
    for row in rows(source):
        yield row.parse(edge_labels)


def rows(source: Source) -> Iterator[SmilesRow]:
    """The lines that are to be molecules, not parsed yet."""
    first = True
    for number, line in source.lines():
        fields = line.split(None, 1)
        if not fields or fields[0].startswith("#"):
            continue
        header = first and fields[0].lower() in _HEADERS
        first = False
        if header:
            continue
        name = fields[1].strip() if len(fields) > 1 else None
        yield SmilesRow(f"{source.name}:{number}", fields[0], name, "'SMILES [name]'")
