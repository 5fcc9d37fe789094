"""SMILES, table and SD files, against rdkit's own reading of molecules that come with it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

pytest.importorskip("rdkit")

from rdkit import Chem, RDConfig
from rdkit.rdBase import BlockLogs

from prune4sed import GraphSet, read_graphs
from prune4sed.errors import FormatError, OptionError

NCI = Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi"


@pytest.fixture(scope="module")
def molecules() -> list[tuple[str, Chem.Mol]]:
    with BlockLogs():
        rows = [line.split() for line in NCI.read_text().splitlines()[:1500]]
        return [(name, mol) for smiles, name in rows if (mol := Chem.MolFromSmiles(smiles)) is not None]


def check(lib: GraphSet, molecules: list[tuple[str, Chem.Mol]]) -> None:
    assert list(lib.ids) == [name for name, _ in molecules]
    for graph, (_, mol) in zip(lib, molecules, strict=True):
        assert list(graph.labels) == [atom.GetSymbol() for atom in mol.GetAtoms()]
        bonds = {
            (frozenset((b.GetBeginAtomIdx(), b.GetEndAtomIdx())), str(b.GetBondType()).lower())
            for b in mol.GetBonds()
        }
        assert {(frozenset(e), n) for e, n in zip(graph.edges, graph.edge_labels or (), strict=True)} == bonds


def test_real_smiles_file(molecules: list[tuple[str, Chem.Mol]]) -> None:
    lib = read_graphs(
        io.StringIO("\n".join(NCI.read_text().splitlines()[:1500])), on_error="skip", edge_labels=True
    )
    check(lib, molecules)
    assert len(lib.problems) == 1500 - len(molecules)
    assert all(problem.startswith("<input>:") for problem in lib.problems)


def test_real_table(tmp_path: Path, molecules: list[tuple[str, Chem.Mol]]) -> None:
    path = tmp_path / "x.csv"
    rows = [f'{name},"a, b",{Chem.MolToSmiles(mol, canonical=False)}' for name, mol in molecules[:200]]
    path.write_text("\n".join(["Name,Note,Smiles", *rows]))
    assert list(read_graphs(path).ids) == [name for name, _ in molecules[:200]]
    check(
        read_graphs(path, edge_labels=True),
        [
            (name, Chem.MolFromSmiles(row.split(",")[-1]))
            for (name, _), row in zip(molecules, rows, strict=False)
        ],
    )


def test_real_sdf(tmp_path: Path, molecules: list[tuple[str, Chem.Mol]]) -> None:
    path = tmp_path / "x.sdf"
    with Chem.SDWriter(str(path)) as writer:
        for i, (name, mol) in enumerate(molecules[:200]):
            mol = Chem.Mol(mol)
            mol.SetProp("_Name", name)
            mol.SetProp("note", "some data")
            writer.SetForceV3000(i % 2 == 1)
            writer.write(mol)
    supplier = Chem.SDMolSupplier(str(path))
    check(read_graphs(path, edge_labels=True), [(mol.GetProp("_Name"), mol) for mol in supplier])


def test_mol_file(tmp_path: Path) -> None:
    path = tmp_path / "x.mol"
    path.write_text(Chem.MolToMolBlock(Chem.MolFromSmiles("CC=O")))
    assert read_graphs(path)[0].labels == ("C", "C", "O")


def test_smiles_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.smi"
    path.write_text("smiles name\n# a comment\n\nCCO ethanol, pure\nCC\r\n  C\tmethane  \n")
    lib = read_graphs(path)
    assert [g.id for g in lib] == ["ethanol, pure", None, "methane"]
    assert lib.num_nodes.tolist() == [3, 2, 1]


def test_bad_smiles_line(tmp_path: Path) -> None:
    path = tmp_path / "library.smi"
    path.write_text("CCO\n\nC1CC ring\nCC(C\n")
    with pytest.raises(FormatError) as caught:
        read_graphs(path)
    assert (
        str(caught.value)
        == f"{path}:3: cannot parse SMILES 'C1CC' (unclosed ring?); expected 'SMILES [name]'"
    )
    lib = read_graphs(path, on_error="skip")
    assert len(lib) == 1
    assert [problem.split(": ")[0] for problem in lib.problems] == [f"{path}:3", f"{path}:4"]
    path.write_text("X Y\nQ R\n")
    with pytest.raises(FormatError, match="none of 2 records can be read; the first: "):
        read_graphs(path, on_error="skip")


def test_table_columns(tmp_path: Path) -> None:
    path = tmp_path / "x.tsv"
    path.write_text("key\tmol1\tSMILES\nk1\tC\tCC\n\nk2\tCCC\tCCCC\n")
    assert read_graphs(path).num_nodes.tolist() == [2, 4]
    lib = read_graphs(path, column="mol1", id_column="key")
    assert (list(lib.ids), lib.num_nodes.tolist()) == (["k1", "k2"], [1, 3])
    assert read_graphs(io.StringIO("smiles\nCC\n"), "csv").num_nodes.tolist() == [2]
    quoted = 'name;smiles\n"two\nlines";CCO\nlast;X\n'
    with pytest.raises(FormatError, match=r"<input>:4: cannot parse SMILES 'X'"):
        read_graphs(io.StringIO(quoted), "csv")


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("a,b\n1,2\n", {}, ":1: expected a column of SMILES, found 'a', 'b'; name it with column="),
        ("a,b\n1,2\n", {"column": "c"}, ":1: there is no column 'c' among 'a', 'b'"),
        ("id,smiles\n1\n", {}, ":2: expected 2 columns, found 1"),
        ("id,smiles\n1,\n", {}, ":2: the SMILES string is empty; expected SMILES in column 'smiles'"),
        ("id,smiles\n", {}, "there are no graphs in it; expected table records"),
        ("", {}, "there are no graphs in it"),
    ],
)
def test_bad_tables(text: str, options: dict[str, str], words: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_graphs(io.StringIO(text), "csv", **options)
    assert words in str(caught.value)


def test_unknown_option() -> None:
    with pytest.raises(
        OptionError, match="the table format has no option 'colum'; it has: column, id_column"
    ):
        read_graphs(io.StringIO("smiles\nC"), "csv", colum="x")


def test_bad_sdf(tmp_path: Path) -> None:
    good = Chem.MolToMolBlock(Chem.MolFromSmiles("CCO"))
    carbon = Chem.MolFromSmiles("C(C)(C)(C)(C)C", sanitize=False)
    path = tmp_path / "x.sdf"
    five = "five\n" + Chem.MolToMolBlock(carbon, kekulize=False)[1:]
    path.write_text(f"{good}$$$$\nnonsense\nmore\n$$$$\n{five}$$$$\n{good}")
    lib = read_graphs(path, on_error="skip")
    assert len(lib) == 2
    line = good.count("\n") + 2
    assert lib.problems[0].startswith(
        f"{path}:{line}: molecule 1 (nonsense) cannot be read (there is no 'M  END' line)"
    )
    assert "molecule 2 (five) cannot be read (Explicit valence" in lib.problems[1]
