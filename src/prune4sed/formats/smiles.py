"""SMILES files: one molecule a line, ``SMILES`` or ``SMILES name``; lines that start with # are comments."""

from __future__ import annotations

from collections.abc import Iterator

from prune4sed.convert.smiles import from_mol, parse_smiles
from prune4sed.errors import FormatError, require
from prune4sed.formats.source import Source
from prune4sed.graph import Graph

__all__ = ["from_mol", "parse_smiles", "read"]

_HEADERS = {"smiles", "smi", "canonical_smiles", "isomeric_smiles"}


def read(source: Source, edge_labels: bool = False) -> Iterator[Graph | FormatError]:
    """Molecules of a SMILES file; a bad line comes out as an error, so that the caller may skip it."""
    require("rdkit.Chem", "chem", "to read SMILES")
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
        try:
            yield parse_smiles(fields[0], edge_labels, name)
        except FormatError as error:
            yield FormatError(f"{source.name}:{number}: {error}; expected 'SMILES [name]'")
