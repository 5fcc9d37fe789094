"""SDF and MOL files (V2000 and V3000), read by rdkit one record at a time so that a bad one can be named."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prune4sed.convert.smiles import from_mol
from prune4sed.errors import FormatError, require
from prune4sed.formats.source import Source
from prune4sed.graph import Graph

__all__ = ["read"]


def read(source: Source, edge_labels: bool = False) -> Iterator[Graph | FormatError]:
    """Molecules of an SD file, hydrogens left out; the title of a record is its id."""
    chem = require("rdkit.Chem", "chem", "to read SDF")
    for count, (number, block) in enumerate(_records(source)):
        title = block[0].strip()
        where = f"{source.name}:{number}: molecule {count}{f' ({title})' if title else ''}"
        molecule, reason = _parse(block, chem)
        if molecule is None:
            yield FormatError(f"{where} cannot be read ({reason}); expected a V2000 or V3000 mol block")
        else:
            yield from_mol(molecule, edge_labels, title or None)


def _records(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Mol blocks with the line each starts on; the data fields after ``M  END`` are left out."""
    block: list[str] = []
    start, ended = 1, False
    for number, line in source.lines():
        if line.startswith("$$$$"):
            if block:
                yield start, block
            block, start, ended = [], number + 1, False
        elif not ended:
            block.append(line)
            ended = line.startswith("M  END")
    if any(line.strip() for line in block):
        yield start, block


def _parse(block: list[str], chem: Any) -> tuple[Any, str]:
    from rdkit.rdBase import BlockLogs

    if not block[-1].startswith("M  END"):
        return None, "there is no 'M  END' line"
    text = "\n".join(block) + "\n"
    with BlockLogs():
        try:
            molecule = chem.MolFromMolBlock(text)
            if molecule is not None:
                return molecule, ""
            loose = chem.MolFromMolBlock(text, sanitize=False)
        except (RuntimeError, ValueError) as error:
            return None, str(error).strip().splitlines()[0]
        problems = chem.DetectChemistryProblems(loose) if loose is not None else ()
    return None, problems[0].Message() if problems else "rdkit does not understand it"
