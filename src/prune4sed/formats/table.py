"""CSV and TSV files with a column of SMILES."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

from prune4sed.errors import FormatError, require
from prune4sed.formats.smiles_row import SmilesRow
from prune4sed.formats.source import Source
from prune4sed.graph import Graph

__all__ = ["read", "rows"]

_SMILES = ("smiles", "canonical_smiles", "isomeric_smiles", "smi", "mol", "structure")
_IDS = ("id", "name", "mol_id", "molecule_id", "compound_id", "chembl_id", "zinc_id", "title")


def read(
    source: Source, column: str | None = None, id_column: str | None = None, edge_labels: bool = False
) -> Iterator[Graph | FormatError]:
    """Molecules of a table with a header line; the columns are found by name unless named."""
    require("rdkit.Chem", "chem", "to read SMILES")
    for row in rows(source, column, id_column):
        yield row if isinstance(row, FormatError) else row.parse(edge_labels)


def rows(
    source: Source, column: str | None = None, id_column: str | None = None
) -> Iterator[SmilesRow | FormatError]:
    """The rows of the table, not parsed yet."""
    header: list[str] = []
    for number, row in _rows(source):
        if not header:
            header = [name.strip() for name in row]
            at = _find(header, column, _SMILES, f"{source.name}:{number}", "column", "SMILES")
            id_at = _find(header, id_column, _IDS, f"{source.name}:{number}", "id_column", None)
            continue
        where = f"{source.name}:{number}"
        if at is None or len(row) <= at:
            yield FormatError(f"{where}: expected {len(header)} columns, found {len(row)}")
            continue
        name = row[id_at].strip() if id_at is not None and len(row) > id_at else None
        yield SmilesRow(where, row[at], name or None, f"SMILES in column {header[at]!r}")


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, with the number of the line each ends on."""
    lines = (f"{line}\n" for _, line in source.lines())
    first = next(lines, "")
    delimiter = max(",\t;|", key=first.count)
    number = 1
    try:
        if first.strip():
            yield 1, next(csv.reader([first], delimiter=delimiter))
        reader = csv.reader(lines, delimiter=delimiter)
        for row in reader:
            number = 1 + reader.line_num
            if any(cell.strip() for cell in row):
                yield number, row
    except csv.Error as error:
        raise FormatError(f"{source.name}:{number + 1}: not a table row ({error})") from None


def _find(
    header: list[str], wanted: str | None, usual: Sequence[str], where: str, option: str, what: str | None
) -> int | None:
    shown = ", ".join(map(repr, header[:12]))
    if wanted is not None:
        if wanted not in header:
            raise FormatError(f"{where}: there is no column {wanted!r} among {shown}")
        return header.index(wanted)
    lower = [name.lower() for name in header]
    for name in usual:
        if name in lower:
            return lower.index(name)
    if what is not None:
        named = f"name it with {option}= (--{option.replace('_', '-')} on the command line)"
        raise FormatError(f"{where}: expected a column of {what}, found {shown}; {named}")
    return None
