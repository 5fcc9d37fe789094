"""Functional groups: the list in the package and lists of one's own, against RDKit and networkx."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest

from prune4sed.datasets.functional_groups import BUNDLED, functional_groups
from prune4sed.errors import FormatError

Chem = pytest.importorskip("rdkit.Chem")


def isomorphic(a: nx.Graph, b: nx.Graph) -> bool:
    same = nx.algorithms.isomorphism.categorical_node_match("label", None)
    return nx.faster_could_be_isomorphic(a, b) and nx.is_isomorphic(a, b, node_match=same)


def table(path: Path, *rows: tuple[str, str]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("name", "smiles"), *rows])
    return path


def test_the_list_of_the_package() -> None:
    groups, problems = functional_groups()
    assert problems == []
    assert set(groups.node_vocabulary) <= {"C", "N", "O", "S", "P", "F", "Cl", "Br", "I"}
    assert 5 <= groups.num_nodes.min() <= groups.num_nodes.max() <= 25
    assert 8 <= groups.num_nodes.mean() <= 10  # the paper's mean |V_q| is 9
    names = list(groups.ids)
    assert len(set(names)) == len(names) > 200
    assert {"benzene", "indole", "quinoline"} <= set(names)


def test_every_group_is_rdkits_molecule_of_that_name() -> None:
    groups, _ = functional_groups()
    with BUNDLED.open(newline="") as file:
        smiles: dict[str, list[str]] = {}
        for row in csv.DictReader(file):
            smiles.setdefault(row["name"].strip(), []).append(row["smiles"])
    for graph in groups:
        sizes = []
        for text in smiles[str(graph.id)]:
            molecule = Chem.MolFromSmiles(text)
            sizes.append((molecule.GetNumAtoms(), molecule.GetNumBonds()))
        assert (len(graph.labels), len(graph.edges)) in sizes


def test_all_groups_are_connected_and_no_two_alike() -> None:
    groups, _ = functional_groups()
    made = [graph.to_networkx() for graph in groups]
    assert all(nx.is_connected(graph) for graph in made)
    assert not any(isomorphic(a, b) for a, b in combinations(made, 2))


def test_no_shape_of_the_list_is_lost() -> None:
    made = [graph.to_networkx() for graph in functional_groups()[0]]
    with BUNDLED.open(newline="") as file:
        smiles = {row["smiles"] for row in csv.DictReader(file)}
    for text in sorted(smiles):
        molecule = Chem.MolFromSmiles(text)
        if "." in text or not 5 <= molecule.GetNumAtoms() <= 25:
            continue
        graph = nx.Graph()
        graph.add_nodes_from((atom.GetIdx(), {"label": atom.GetSymbol()}) for atom in molecule.GetAtoms())
        graph.add_edges_from((b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for b in molecule.GetBonds())
        assert sum(isomorphic(graph, other) for other in made) == 1, text


def test_a_list_of_ones_own(tmp_path: Path) -> None:
    path = table(
        tmp_path / "mine.csv",
        ("benzene", "c1ccccc1"),
        ("cyclohexane", "C1CCCCC1"),  # the same but for its bonds
        ("pyridine", "n1ccccc1"),
        ("broken", "C1CC("),
        ("small", "CCO"),
        ("wildcard", "*c1ccccc1"),
        ("salt", "CCCCC[NH3+].[Cl-]"),
        ("nonsense", "hello"),
    )
    groups, problems = functional_groups(path)
    assert list(groups.ids) == ["benzene", "pyridine"]
    assert [problem.split(": ")[0] for problem in problems] == [f"{path}:5", f"{path}:9"]
    assert "cannot parse SMILES 'hello'" in problems[1]
    assert all("\n" not in problem for problem in problems)


def test_sizes(tmp_path: Path) -> None:
    path = table(tmp_path / "mine.csv", ("three", "CCO"), ("six", "c1ccccc1"), ("ten", "CCCCCCCCCC"))
    assert list(functional_groups(path, smallest=3)[0].ids) == ["three", "six", "ten"]
    assert list(functional_groups(path, smallest=3, largest=6)[0].ids) == ["three", "six"]
    with pytest.raises(FormatError, match=r"mine.csv: no functional groups of 11 to 25 heavy atoms in it"):
        functional_groups(path, smallest=11)


def test_smiles_files_and_missing_ones(tmp_path: Path) -> None:
    (tmp_path / "a.smi").write_text("c1ccccc1 ring\n")
    assert list(functional_groups(tmp_path / "a.smi")[0].ids) == ["ring"]
    with pytest.raises(FormatError, match="no such file"):
        functional_groups(tmp_path / "b.smi")


def test_source_and_licence_lie_beside_the_list() -> None:
    assert "medchem" in BUNDLED.with_suffix(".md").read_text()
    assert "Apache License" in BUNDLED.with_suffix(".LICENSE").read_text()
