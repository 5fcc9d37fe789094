"""Places of the atoms of a molecule, as a chemist draws it, from its graph alone."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import require

if TYPE_CHECKING:
    from prune4sed.graph import Graph
    from prune4sed.report.marks import Edge

__all__ = ["are_molecules", "molecule_layout"]

Points = NDArray[np.float64]
BOND = 1.5  # rdkit's length of a bond


def are_molecules(graphs: Iterable[Graph]) -> bool:
    """Whether all labels are elements, and rdkit is there to draw them.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> are_molecules([Graph(["C", "Cl"])]), are_molecules([Graph(["C", "A"])]), are_molecules([Graph([6])])
    (True, False, False)
    """
    if find_spec("rdkit") is None:
        return False
    return all(label in _elements() for graph in graphs for label in set(graph.labels))


def molecule_layout(graph: Graph) -> tuple[Points, dict[Edge, tuple[int, ...]]]:
    """Places of the atoms, and for every bond in a ring the atoms of the smallest ring it is in.

    Bond orders are not needed: where the graph has none, all bonds count as single.

    Returns
    -------
    points : numpy.ndarray
        (atoms, 2); bonds are 1 long.
    rings : dict of bond to atoms

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> xy, rings = molecule_layout(Graph(["C", "C", "O"], [(0, 1), (1, 2), (0, 2)]))
    >>> bool(np.allclose(np.linalg.norm(xy - np.roll(xy, 1, axis=0), axis=1), 1)), rings[1, 2]
    (True, (0, 1, 2))
    """
    chem = require("rdkit.Chem", "chem", "to draw molecules")
    depict = require("rdkit.Chem.rdDepictor", "chem", "to draw molecules")
    molecule = chem.RWMol()
    for label in graph.labels:
        atom = chem.Atom(str(label))
        atom.SetNoImplicit(True)
        molecule.AddAtom(atom)
    for (a, b), order in zip(graph.edges, _orders(graph, chem), strict=True):
        molecule.AddBond(int(a), int(b), order)
    molecule.UpdatePropertyCache(strict=False)
    chem.GetSymmSSSR(molecule)
    chem.SetHybridization(molecule)  # so that a triple bond lies straight
    depict.SetPreferCoordGen(False)
    depict.Compute2DCoords(molecule)
    if len(graph):
        depict.StraightenDepiction(molecule)
    points = np.array(molecule.GetConformer().GetPositions()).reshape(-1, 3)[:, :2] / BOND
    return points, _rings(molecule)


@cache
def _elements() -> frozenset[str]:
    table = require("rdkit.Chem", "chem", "to draw molecules").GetPeriodicTable()
    return frozenset(table.GetElementSymbol(number) for number in range(1, 119))


def _orders(graph: Graph, chem: Any) -> list[Any]:
    """The bond orders in rdkit's terms; a label that is none of them counts as single."""
    names = graph.edge_labels or [""] * len(graph.edges)
    known = {name.lower(): order for name, order in chem.BondType.names.items()}
    return [known.get(str(name), chem.BondType.SINGLE) for name in names]


def _rings(molecule: Any) -> dict[Edge, tuple[int, ...]]:
    """The smallest ring of every bond that is in one."""
    found: dict[Edge, tuple[int, ...]] = {}
    for ring in sorted(molecule.GetRingInfo().AtomRings(), key=len, reverse=True):
        for a, b in zip(ring, (*ring[1:], ring[0]), strict=True):
            found[min(a, b), max(a, b)] = tuple(sorted(ring))
    return found
