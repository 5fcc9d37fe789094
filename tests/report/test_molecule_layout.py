"""Places of atoms from bare graphs: bonds of one length, no atom on another, rings as RDKit sees them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from prune4sed.graph import Graph
from prune4sed.report.molecule_layout import are_molecules, molecule_layout

chem = pytest.importorskip("rdkit.Chem")

MOLECULES = [
    "CC(=O)Oc1ccccc1C(=O)O",
    "Cn1c(=O)c2c(ncn2C)n(C)c1=O",
    "C1CC2(C1)CCCC2",
    "CC#N.[Na+].[Cl-]",
    "[Fe]",
    "FS(F)(F)(F)(F)F",
]


@pytest.mark.parametrize("bonds", [False, True])
@pytest.mark.parametrize("smiles", MOLECULES)
def test_atoms_keep_apart_and_bonds_are_of_one_length(smiles: str, bonds: bool) -> None:
    graph = Graph.from_smiles(smiles, edge_labels=bonds)
    points, rings = molecule_layout(graph)
    assert points.shape == (len(graph), 2)
    lengths = [np.hypot(*(points[a] - points[b])) for a, b in graph.edges]
    assert np.allclose(lengths, 1, atol=0.1)
    assert pdist(points).min(initial=9) > 0.4
    molecule = chem.MolFromSmiles(smiles)
    info = molecule.GetRingInfo()
    assert {(min(a, b), max(a, b)) for a, b in graph.edges if info.AreAtomsInSameRing(a, b)} == set(rings)
    for (a, b), ring in rings.items():
        bond = molecule.GetBondBetweenAtoms(a, b)
        assert {a, b} < set(ring)
        assert len(ring) == info.MinBondRingSize(bond.GetIdx())


def test_a_triple_bond_lies_straight() -> None:
    points, _ = molecule_layout(Graph.from_smiles("CC#N", edge_labels=True))
    assert np.hypot(*(points[0] - points[2])) == pytest.approx(2, abs=0.01)


def test_no_atoms() -> None:
    points, rings = molecule_layout(Graph([]))
    assert (points.shape, rings) == ((0, 2), {})


def test_only_elements_make_molecules() -> None:
    assert are_molecules([Graph(["C", "Og"]), Graph([])])
    assert not are_molecules([Graph(["C"]), Graph(["c"])])
    assert not are_molecules([Graph([6])])
