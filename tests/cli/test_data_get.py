"""``prune4sed data get``: what it prints, what it leaves in the cache, and how it refuses."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from local_server import body, serving
from prune4sed.cli.data_get import get
from prune4sed.datasets.catalogue import DATASETS, Counts, Download, names
from prune4sed.errors import Prune4SEDError

REAL = os.environ.get("PRUNE4SED_MIRROR")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("PRUNE4SED_MIRROR", raising=False)
    for name in names():
        monkeypatch.setitem(DATASETS, name, replace(DATASETS[name], counts=(Counts(2, 1, 1),)))
    return tmp_path / "home" / "raw"


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "mirror"
    folder.mkdir()
    for name in ("citeseer", "cora_ml", "pubmed", "dblp"):
        np.savez(
            folder / f"{name}.npz",
            adj_data=np.ones(1),
            adj_indices=np.array([1]),
            adj_indptr=np.array([0, 1, 1]),
            adj_shape=np.array([2, 2]),
            labels=np.zeros(2, dtype=int),
        )
    (folder / "com-amazon.ungraph.txt").write_text("8 9\n")
    return folder


def test_from_a_mirror(mirror: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    get("CiteSeer", mirror)
    out = capsys.readouterr().out
    assert out.startswith(f"citeseer: 2 nodes, 1 edges, 1 label; {cache / 'citeseer.npz'}\n")
    assert "data build will compute its own" in out  # this is not the data the shipped labels are of
    assert (cache / "citeseer.npz").read_bytes() == (mirror / "citeseer.npz").read_bytes()


def test_from_the_web(
    mirror: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving() as server:
        server.answers["/x"] = [body((mirror / "dblp.npz").read_bytes())]
        entry = replace(DATASETS["dblp"], downloads=(Download(f"{server.url}/x", "dblp.npz"),))
        monkeypatch.setitem(DATASETS, "dblp", entry)
        get("dblp")
        get("dblp")
        assert server.asked == ["/x"]
    assert capsys.readouterr().out.count("dblp: 2 nodes") == 2


def test_all_goes_on_after_a_failure(mirror: Path, cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(
        Prune4SEDError, match=r"2 of 7 datasets could not be had: .*AIDS.*; .*Protein"
    ) as caught:
        get("ALL", mirror)
    assert "\n" not in str(caught.value)
    assert {path.name for path in cache.iterdir()} == {path.name for path in mirror.iterdir()}
    assert [
        line.split(":")[0] for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")
    ] == [
        "citeseer",
        "cora_ml",
        "pubmed",
        "dblp",
        "amazon",
    ]


@pytest.mark.parametrize("name", ["cora", "aids"])
def test_refusals(mirror: Path, name: str) -> None:
    with pytest.raises(Prune4SEDError, match=r"there is no dataset 'cora'|has no raw data of AIDS"):
        get(name, mirror)


def test_as_a_command(mirror: Path, cache: Path) -> None:
    app = typer.Typer()
    app.command()(get)
    result = CliRunner().invoke(app, ["amazon", "--mirror", str(mirror)])
    assert (result.exit_code, result.output.splitlines()[0][:16]) == (0, "amazon: 2 nodes,")
    assert (cache / "com-amazon.ungraph.txt").exists()


@pytest.mark.skipif(not REAL, reason="needs PRUNE4SED_MIRROR")
def test_the_real_data_is_what_the_shipped_labels_are_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(
        DATASETS, "citeseer", replace(DATASETS["citeseer"], counts=(Counts(4_230, 5_337, 6),))
    )
    folder = tmp_path / "own"
    folder.mkdir()
    shutil.copy(Path(REAL or "") / "citeseer.npz", folder)
    monkeypatch.setenv("PRUNE4SED_MIRROR", str(folder))
    get("citeseer")
    assert capsys.readouterr().out.splitlines() == [
        f"citeseer: 4,230 nodes, 5,337 edges, 6 labels; {tmp_path / 'home' / 'raw' / 'citeseer.npz'}"
    ]
