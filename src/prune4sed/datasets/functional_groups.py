"""Functional groups and ring systems: the queries of the AIDS dataset, from a list of names and SMILES.

``functional_groups.md`` names the source and licence of the list that comes with the package.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from prune4sed.errors import FormatError, require
from prune4sed.formats import read_graphs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.labels import Label

__all__ = ["BUNDLED", "functional_groups"]

#: The list that comes with the package.
BUNDLED = Path(__file__).with_name("functional_groups.csv")


def functional_groups(
    path: str | PathLike[str] | None = None, smallest: int = 5, largest: int = 25
) -> tuple[GraphSet, list[str]]:
    """Functional groups as graphs of heavy atoms labelled by element, in the order of the list.

    Bonds carry no label, so groups that differ in their bonds alone are one graph; it goes by the name that
    comes first. Groups with wildcard atoms, or of several parts, are left out.

    Parameters
    ----------
    path : path, optional
        A file of names and SMILES, a table or any other that `read_graphs` makes molecules of. By default the
        list that comes with the package.
    smallest, largest : int
        Fewest and most heavy atoms.

    Returns
    -------
    groups, problems
        The graphs, whose ids are the names, and a line about each record that cannot be read.

    Raises
    ------
    FormatError
        If there is no such file, or no group of the right size in it.

    Examples
    --------
    >>> groups, problems = functional_groups()
    >>> groups.ids[0], groups[0].labels, problems
    ('benzene', ('C', 'C', 'C', 'C', 'C', 'C'), [])
    """
    chem = require("rdkit.Chem", "chem", "to read functional groups")
    source = BUNDLED if path is None else Path(path)
    read = read_graphs(source, edge_labels=False, on_error="skip")
    kept: dict[tuple[tuple[Label, ...], str], Graph] = {}
    for graph in read:
        if smallest <= len(graph.labels) <= largest and "*" not in graph.labels:
            shape = _shape(graph, chem)
            if "." not in shape[1]:  # one part only
                kept.setdefault(shape, graph)
    if not kept:
        raise FormatError(f"{source}: no functional groups of {smallest} to {largest} heavy atoms in it")
    return GraphSet(kept.values()), list(read.problems)


def _shape(graph: Graph, chem: Any) -> tuple[tuple[Label, ...], str]:
    """Labels and a text that two graphs share if they are the same but for the order of their nodes.

    The text is rdkit's canonical SMILES of atoms without chemistry: a label is an isotope of the dummy atom.
    """
    names = tuple(sorted(set(graph.labels)))
    codes = {label: code for code, label in enumerate(names, 1)}
    molecule = chem.RWMol()
    for label in graph.labels:
        atom = chem.Atom(0)
        atom.SetIsotope(codes[label])
        molecule.AddAtom(atom)
    for u, v in graph.edges:
        molecule.AddBond(u, v, chem.BondType.SINGLE)
    return names, chem.MolToSmiles(molecule)
