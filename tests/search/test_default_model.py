"""The bundled model for molecules: used where it fits, never missed where it is not there."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("rdkit")

import torch
from molecules import smiles

from prune4sed.cli import main
from prune4sed.cli.prunings import prunings_of
from prune4sed.errors import OptionError
from prune4sed.graph import Graph
from prune4sed.models import bundled, loading
from prune4sed.models.checkpoint import save_checkpoint
from prune4sed.models.registry import create_model
from prune4sed.nn.vocabulary import Vocabulary
from prune4sed.search.building import build_index
from prune4sed.search.index import Index
from prune4sed.search.index_models import AUTO, default_model

WORDS = Vocabulary(("C", "N", "O"), unknown=True)
QUERY = Graph.from_smiles("Nc1ccccc1")


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "library.smi"
    path.write_text("".join(f"{text} m{i}\n" for i, text in enumerate(smiles(60))))
    return path


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "weights"
    folder.mkdir()
    monkeypatch.setattr(bundled, "FOLDER", folder)
    return folder


def ship(folder: Path) -> None:
    torch.manual_seed(0)
    small = {"neurosed": {"width": 8, "layers": 2}, "prune4sed": {"width": 8, "stages": 2, "heads": 2}}
    for model, file in (("neurosed", "molecules-neurosed"), ("prune4sed", "molecules")):
        save_checkpoint(create_model(model, WORDS, **small[model]), folder / f"{file}.safetensors")


def test_without_weights_there_is_no_model(source: Path, weights: Path, tmp_path: Path) -> None:
    assert default_model(source, None, None) is None
    meta = build_index(source, tmp_path / "out", model=AUTO)
    assert not meta.models
    assert meta.info["request"]["model"] is None
    with pytest.raises(OptionError, match="there is no model 'molecules'"):
        build_index(source, tmp_path / "out", model="molecules")


def test_it_is_for_molecules_without_bonds(source: Path, weights: Path, tmp_path: Path) -> None:
    ship(weights)
    (tmp_path / "graphs.jsonl").write_text("")
    assert default_model(source, None, edge_labels=False) == "molecules"
    assert default_model(source, None, edge_labels=True) is None
    assert default_model(tmp_path / "graphs.jsonl", None, edge_labels=None) is None
    assert default_model("-", None, edge_labels=None) is None


def test_index_build_takes_it(
    source: Path, weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ship(weights)
    assert main(["index", "build", str(source), str(tmp_path / "with")]) == 0
    assert main(["index", "build", str(source), str(tmp_path / "without"), "--model", "none"]) == 0
    ours, plain = Index.open(tmp_path / "with"), Index.open(tmp_path / "without")
    assert ours.meta is not None
    assert set(ours.meta.models) == {"model", "embedder"}
    assert not plain.models
    found, expected = (index.search(QUERY, time_limit=None) for index in (ours, plain))
    assert [hit.upper for hit in found] == [hit.upper for hit in expected]
    assert all(hit.predicted is not None for hit in ours.search(QUERY, certify=False))
    # An element that nobody has seen is no error, and still costs an edit.
    strange = ours.search(Graph(["C", "Xx"], [(0, 1)]), k=1)
    assert (strange.proven, strange[0].upper, strange.notes) == (True, 1, ())


def test_a_model_is_loaded_when_it_is_asked(
    source: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(weights)
    build_index(source, tmp_path / "out", model=AUTO)

    def load_model(path: Path) -> None:
        raise OptionError(f"{path} was loaded")

    monkeypatch.setattr(loading, "load_model", load_model)
    index = Index.open(tmp_path / "out")
    contained = index.search(Graph.from_smiles("C"), k=2, time_limit=None)
    assert (contained.proven, [hit.upper for hit in contained]) == (True, [0, 0])
    assert index.range_search(QUERY, 1, time_limit=None).proven
    with pytest.raises(OptionError, match="was loaded"):
        index.search(QUERY, certify=False)


def test_the_report_shows_what_it_keeps(
    source: Path, weights: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert main(["search", "Nc1ccccc1", str(source), "-k", "3", "--report", str(page)]) == 0
    assert "data-keep=" not in page.read_text()
    ship(weights)
    for more in ([], ["--edge-labels"]):
        assert main(["search", "Nc1ccccc1", str(source), "-k", "3", "--report", str(page), *more]) == 0
        assert "data-keep=" in page.read_text()


def test_prunings_of_the_first_hits(weights: Path) -> None:
    ship(weights)
    target = Graph.from_smiles("CCc1ccccc1[Au]", edge_labels=True)
    found = prunings_of("molecules", QUERY, [target], hits=3)
    assert found is not None
    assert found[0].keep.shape == (2, len(target))
    assert found[1:] == [None, None]
    assert prunings_of("molecules-neurosed", QUERY, [target], hits=1) is None
    assert prunings_of(None, QUERY, [target], hits=1) is None
    narrow = create_model("prune4sed", Vocabulary(("C",)), width=8, stages=2, heads=2)
    assert prunings_of(narrow, QUERY, [target], hits=1) is None
