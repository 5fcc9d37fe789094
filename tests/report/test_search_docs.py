"""The snippets of docs/search.md run, and say what their comments say."""

from __future__ import annotations

from pathlib import Path

import pytest

import prune4sed as ps
from exhaustive import Index
from snippets import run_snippets

MOLECULES = "Oc1ccccc1 phenol\nCC(=O)Oc1ccccc1C(=O)O aspirin\nNC(=O)c1ccccc1 benzamide\nCCO ethanol\n"


def test_snippets_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rdkit")
    if not hasattr(ps, "Index"):
        monkeypatch.setattr(ps, "Index", Index, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("molecules.smi").write_text(MOLECULES, encoding="ascii")
    assert run_snippets("search.md") == 4
    assert "Benzoic acid, nearly" in Path("hits.html").read_text(encoding="utf-8")
