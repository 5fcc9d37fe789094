"""The snippets of docs/search.md run, and say what their comments say."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

import pytest

import prune4sed as ps
from exhaustive import Index

DOCS = Path(__file__).parents[2] / "docs" / "search.md"
MOLECULES = "Oc1ccccc1 phenol\nCC(=O)Oc1ccccc1C(=O)O aspirin\nNC(=O)c1ccccc1 benzamide\nCCO ethanol\n"


def test_snippets_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rdkit")
    if not hasattr(ps, "Index"):
        monkeypatch.setattr(ps, "Index", Index, raising=False)
    monkeypatch.chdir(tmp_path)
    Path("molecules.smi").write_text(MOLECULES, encoding="ascii")
    names: dict[str, Any] = {}
    promises = 0
    for snippet in re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL):
        exec(snippet, names)  # one after the other, as a reader would
        for line in snippet.splitlines():
            code, _, promised = line.partition("  # ")
            if promised[:1] in ("[", "("):
                assert eval(code, names) == ast.literal_eval(promised), line
                promises += 1
    assert promises == 4
    assert "Benzoic acid, nearly" in Path("hits.html").read_text(encoding="utf-8")
