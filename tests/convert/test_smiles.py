"""SMILES strings against rdkit."""

from __future__ import annotations

import pytest

pytest.importorskip("rdkit")

from rdkit import Chem, RDLogger

from prune4sed import Graph, parse_smiles
from prune4sed.errors import FormatError, GraphTypeError, MissingExtraError


def test_elements_and_bonds() -> None:
    g = Graph.from_smiles("C#CC(=O)c1ccc[nH]1", edge_labels=True)
    assert g.labels == ("C", "C", "C", "O", "C", "C", "C", "C", "N")
    assert g.edge_labels is not None
    assert sorted(g.edge_labels) == ["aromatic"] * 5 + ["double"] + ["single"] * 2 + ["triple"]
    assert Graph.from_smiles("CCO").edge_labels is None


def test_hydrogens_stay_out() -> None:
    assert Graph.from_smiles("[H]C([H])([H])O[H]").labels == ("C", "O")
    assert Graph.from_smiles("[2H]C").num_nodes == Chem.MolFromSmiles("[2H]C").GetNumAtoms()


def test_parts_and_rare_bonds() -> None:
    assert Graph.from_smiles("[Na+].[Cl-]") == Graph(["Na", "Cl"])
    assert Graph.from_smiles("N->[Fe]", edge_labels=True).edge_labels == ("dative",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("C1CC", "(unclosed ring?)"),
        ("C(C", "(unbalanced parentheses?)"),
        ("[C", "(unclosed bracket?)"),
        ("hello", "(not SMILES?)"),
        ("CC O", "(there is a space in it)"),
        ("C(C)(C)(C)(C)C", "(Explicit valence for atom # 0 C, 5, is greater than permitted)"),
        ("c1cccc1", "kekulize"),
        ("", "empty"),
        ("  ", "empty"),
    ],
)
def test_bad_strings_say_why_and_nothing_else(
    text: str, reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(FormatError) as caught:
        parse_smiles(text)
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_rdkit_keeps_its_voice_elsewhere(capfd: pytest.CaptureFixture[str]) -> None:
    RDLogger.EnableLog("rdApp.error")
    with pytest.raises(FormatError):
        parse_smiles("C1CC")
    Chem.MolFromSmiles("C1CC")
    assert "unclosed ring" in capfd.readouterr().err


def test_not_a_string() -> None:
    with pytest.raises(GraphTypeError, match="a SMILES string was expected, not 5"):
        Graph.from_smiles(5)  # type: ignore[arg-type]


def test_without_rdkit(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "rdkit", None)
    monkeypatch.setitem(sys.modules, "rdkit.Chem", None)
    with pytest.raises(MissingExtraError, match=r"rdkit is needed to read SMILES; .*prune4sed\[chem\]"):
        Graph.from_smiles("CCO")
