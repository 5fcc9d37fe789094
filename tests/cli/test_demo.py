"""``prune4sed demo`` on a small library, with a search by brute force."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from exhaustive import Index
from prune4sed.cli import demo, main
from prune4sed.cli.demo_data import FRAGMENTS, bundled_molecules

pytest.importorskip("rdkit")


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo on a few molecules, and without what the search takes over from brute force."""
    module = ModuleType("prune4sed.search.index")
    module.Index = Index  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(demo, "LIBRARY_SIZE", 220)


@pytest.mark.usefixtures("small_demo")
def test_demo_prints_hits_and_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in FRAGMENTS)
    assert "220 molecules" in out
    assert "all proven" in " ".join(out.split())
    # RDKit says that NSC 215 is the only one of the first 220 molecules that contains aspirin.
    aspirin = next(line for line in out.splitlines() if line.startswith("aspirin"))
    assert aspirin.split() == ["aspirin", "0", "proven", "NSC", "215", "contained", "as", "it", "is"]
    assert [path.name for path in tmp_path.iterdir()] == ["demo-report.html"]
    page = (tmp_path / "demo-report.html").read_text(encoding="utf-8")
    assert page.count('<li class="card proven"') == 3 * demo.WRITTEN


def test_the_molecule_that_the_demo_finds_is_rdkits_too() -> None:
    from rdkit import Chem, RDConfig

    pattern = Chem.MolFromSmiles(FRAGMENTS["aspirin"])
    lines = (Path(RDConfig.RDDataDir) / "NCI" / "first_5K.smi").read_text(encoding="ascii").splitlines()
    names = {f"NSC {line.split()[1]}": Chem.MolFromSmiles(line.split()[0]) for line in lines[:230]}
    found = [name for name in bundled_molecules(220).ids if names[name].HasSubstructMatch(pattern)]
    assert found == ["NSC 215"]


@pytest.mark.usefixtures("small_demo")
def test_demo_refuses_a_folder_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--out", str(tmp_path / "nowhere")]) == 2
    assert "there is no such folder" in capsys.readouterr().err
