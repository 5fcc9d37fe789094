"""tools/pack_dataset.py: what was packed comes back to the byte, and nothing else does."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made import made_graphs, made_network

import prune4sed as ps
from prune4sed.datasets import building
from prune4sed.datasets.limits import LIMITS, NodeLimits

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    """The tool, with a small network in the place of PubMed's raw data."""
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "home"))
    monkeypatch.syspath_prepend(str(TOOLS))
    import pack_dataset

    monkeypatch.setitem(LIMITS, "pubmed", NodeLimits(60, 80, 20))
    for module in (building, pack_dataset):
        monkeypatch.setattr(module, "raw_file", lambda name, mirror=None: Path(f"/raw/{name}.npz"))
        monkeypatch.setattr(module, "read_raw", lambda name, path: made_network())
    yield pack_dataset
    sys.modules.pop("pack_dataset", None)


def _run(tool: Any, monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    monkeypatch.setattr(sys, "argv", ["pack_dataset.py", *map(str, words)])
    tool.main()


@pytest.mark.parametrize("extras", [False, True])
def test_back_to_the_byte(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, extras: bool) -> None:
    built = tmp_path / "built"
    ps.datasets.build("pubmed", (20, 4, 4), seed=3, out=built, extras=extras)
    _run(tool, monkeypatch, "pack", built, "--out", tmp_path / "small")
    _run(tool, monkeypatch, "unpack", tmp_path / "small" / "pubmed-3.labels", "--out", tmp_path / "again")
    files = {file.name: file.read_bytes() for file in built.iterdir()}
    assert {file.name: file.read_bytes() for file in (tmp_path / "again" / "pubmed-3").iterdir()} == files


def test_labels_of_other_pairs(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ps.datasets.build("pubmed", (20, 4, 4), seed=3, out=tmp_path / "built", extras=False)
    _run(tool, monkeypatch, "pack", tmp_path / "built", "--out", tmp_path)
    monkeypatch.setattr(tool, "read_raw", lambda name, path: made_network(labels=8))
    with pytest.raises(SystemExit, match="has labels of other pairs than seed 3 gives here"):
        _run(tool, monkeypatch, "unpack", tmp_path / "pubmed-3.labels", "--out", tmp_path / "again")


@pytest.mark.parametrize(("data", "said"), [(None, "No such file"), (b"labels", "these are no labels")])
def test_files_that_will_not_do(
    tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, data: bytes | None, said: str
) -> None:
    path = tmp_path / "x.labels"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(SystemExit, match=said):
        _run(tool, monkeypatch, "unpack", path, "--out", tmp_path / "again")


def test_a_dataset_of_ones_own(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ps.datasets.build_own(made_graphs(0, 20, (4, 9)), name="mine", pairs=(20, 4, 4), out=tmp_path / "mine")
    with pytest.raises(SystemExit, match="mine"):
        _run(tool, monkeypatch, "pack", tmp_path / "mine", "--out", tmp_path)
