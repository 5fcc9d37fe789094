"""Molecules: from a SMILES string or an rdkit molecule to a Graph of heavy atoms labelled by element."""

from __future__ import annotations

import re
from typing import Any

from prune4sed.errors import FormatError, GraphTypeError, require
from prune4sed.graph import Graph

__all__ = ["from_mol", "parse_smiles"]


def parse_smiles(text: str, edge_labels: bool = False, id: str | None = None) -> Graph:
    """Make a Graph from one SMILES string.

    Hydrogens are left out unless rdkit keeps them, as in ``[H][H]``.

    Parameters
    ----------
    text : str
        A SMILES string, without a name after it.
    edge_labels : bool
        Label edges by bond: "single", "double", "triple", "aromatic", or rdkit's name of a rarer one in lower
        case.
    id : str, optional
        A name for the graph.

    Returns
    -------
    Graph

    Raises
    ------
    FormatError
        If rdkit cannot make a molecule of it; the text says why.

    Examples
    --------
    >>> parse_smiles("CCO").labels
    ('C', 'C', 'O')
    """
    chem = require("rdkit.Chem", "chem", "to read SMILES")
    from rdkit.rdBase import BlockLogs

    if not isinstance(text, str):
        raise GraphTypeError(f"a SMILES string was expected, not {text!r}")
    smiles = text.strip()
    if not smiles:
        raise FormatError("the SMILES string is empty")
    if len(smiles.split()) > 1:
        raise FormatError(f"cannot parse SMILES {_short(smiles)} (there is a space in it)")
    with BlockLogs():
        molecule = chem.MolFromSmiles(smiles)
        if molecule is None:
            raise FormatError(f"cannot parse SMILES {_short(smiles)} ({_why(smiles, chem)})")
    return from_mol(molecule, edge_labels, id)


def from_mol(molecule: Any, edge_labels: bool = False, id: str | None = None) -> Graph:
    """Make a Graph from an rdkit molecule, atoms and bonds in its order.

    Parameters
    ----------
    molecule : rdkit.Chem.Mol
        Its explicit hydrogens, if any, become nodes.
    edge_labels : bool
        Label edges by bond.
    id : str, optional
        A name for the graph.

    Returns
    -------
    Graph

    Examples
    --------
    >>> from rdkit import Chem
    >>> from_mol(Chem.MolFromSmiles("C=O"), edge_labels=True).edge_labels
    ('double',)
    """
    bonds = list(molecule.GetBonds())
    return Graph(
        [atom.GetSymbol() for atom in molecule.GetAtoms()],
        [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in bonds],
        [bond.GetBondType().name.lower() for bond in bonds] if edge_labels else None,
        id,
    )


def _why(smiles: str, chem: Any) -> str:
    """The likeliest reason, in words a chemist uses."""
    loose = chem.MolFromSmiles(smiles, sanitize=False)
    if loose is not None:
        problems = chem.DetectChemistryProblems(loose)
        return problems[0].Message() if problems else "not a valid molecule"
    bare = re.sub(r"\[[^\]]*\]", "X", smiles)
    if "[" in bare or "]" in bare:
        return "unclosed bracket?"
    if bare.count("(") != bare.count(")"):
        return "unbalanced parentheses?"
    rings = re.findall(r"%\d\d|\d", bare)
    if any(rings.count(ring) % 2 for ring in rings):
        return "unclosed ring?"
    return "not SMILES?"


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
