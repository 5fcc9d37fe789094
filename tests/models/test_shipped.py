"""The models that ship: all are there, say what they are, and are as accurate as they say."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

import prune4sed as ps  # noqa: E402
from prune4sed.cli import main  # noqa: E402
from prune4sed.datasets.catalogue import ALL  # noqa: E402
from prune4sed.models.bundled import bundled  # noqa: E402
from prune4sed.models.checkpoint import load_checkpoint, save_checkpoint  # noqa: E402
from prune4sed.models.header import read_header  # noqa: E402

NAMES = [name + suffix for name in ALL for suffix in ("", "-neurosed", "-plus")]
NAMES.remove("molecules-plus")  # not trained
MODELS = {"": "prune4sed", "neurosed": "neurosed", "plus": "prune4sed-plus"}


def test_all_are_there() -> None:
    assert set(NAMES) <= set(bundled())


@pytest.mark.parametrize("name", NAMES)
def test_headers_tell_model_data_and_figures(name: str) -> None:
    header = read_header(bundled()[name])
    dataset, _, model = name.partition("-")
    assert header.model == MODELS[model]
    assert header.info["dataset"]["name"] == dataset
    figures = header.info["metrics"]
    assert all(figures[which]["rmse"] > 0 for which in ("validation", "test", "strict_test", "sample"))
    assert header.info["recipe"]["steps"] > 0


@pytest.mark.parametrize("name", NAMES)
def test_all_load_and_know_that_a_graph_contains_itself(name: str) -> None:
    model = ps.load_model(name, device="cpu")
    labels = model.vocabulary.nodes
    label = "C" if "C" in labels else labels[0]  # the queries of AIDS have no other elements than C, N, O, S
    query = ps.Graph([label] * 6, [(i, i + 1) for i in range(5)])
    alone = ps.Graph([label])
    inside, outside = model.predict([query, query], [query, alone])
    assert inside < outside
    assert outside > 3  # five nodes and five edges too many


@pytest.mark.parametrize("label", ["As", "Cl", "F", "Hg"])
def test_plus_never_predicts_more_than_the_whole_query(label: str) -> None:
    """Elements that no query had in training: what they cost there is anybody's guess."""
    model = ps.load_model("aids-plus", device="cpu")
    chain, ring = ([(i, i + 1) for i in range(5)], [(i, (i + 1) % 6) for i in range(6)])
    queries = [ps.Graph([label] * 6, chain), ps.Graph([label] * 6, ring)]
    found = model.predict(queries, [ps.Graph([label]), ps.Graph(["C"])])
    assert (found <= np.array([11, 12]) + 1e-4).all()


def test_molecules_takes_any_element() -> None:
    model = ps.load_model("molecules", device="cpu")
    assert model.vocabulary.unknown
    query = ps.Graph(["C", "Ho"], [(0, 1)])
    assert model.predict(query, query).shape == (1,)


@pytest.mark.skipif(
    not os.environ.get("PRUNE4SED_MIRROR"), reason="PRUNE4SED_MIRROR names no folder of raw data"
)
@pytest.mark.parametrize("name", ["citeseer", "citeseer-neurosed", "citeseer-plus", "amazon"])
def test_verify_measures_what_was_recorded(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path))
    assert main(["models", "verify", name]) == 0
    assert "accuracy not checked: " in capsys.readouterr().out  # there is no data yet
    ps.datasets.build(name.partition("-")[0])
    assert main(["models", "verify", name]) == 0
    assert "on the sample as recorded" in capsys.readouterr().out


@pytest.mark.skipif(
    not os.environ.get("PRUNE4SED_MIRROR"), reason="PRUNE4SED_MIRROR names no folder of raw data"
)
def test_verify_finds_a_model_that_is_less_accurate_than_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PRUNE4SED_HOME", str(tmp_path))
    ps.datasets.build("citeseer")
    path = bundled()["citeseer-neurosed"]
    model, info = load_checkpoint(path, "cpu"), read_header(path).info
    info["metrics"]["sample"]["rmse"] -= 0.01
    save_checkpoint(model, tmp_path / "better.safetensors", info)
    assert main(["models", "verify", str(tmp_path / "better.safetensors")]) == 1
    assert "was recorded" in capsys.readouterr().out
