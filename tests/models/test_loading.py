"""Models by name and by path."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

import prune4sed as ps
from prune4sed.errors import FormatError, MissingExtraError, OptionError
from prune4sed.models import bundled as shipped
from prune4sed.models.base import SedModel
from prune4sed.models.bundled import bundled, spelt
from prune4sed.models.checkpoint import read_header, save_checkpoint
from prune4sed.models.loading import find_model, load_model, solver_name
from prune4sed.models.registry import create_model
from prune4sed.models.solvers import Branch, Exact, MipF2


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of bundled models: one of Prune4SED and one of a rival."""
    torch.manual_seed(0)
    folder = tmp_path / "weights"
    folder.mkdir()
    save_checkpoint(create_model("prune4sed", words(), width=16), folder / "cora_ml.safetensors")
    save_checkpoint(create_model("neurosed", words(), width=16), folder / "cora_ml-neurosed.safetensors")
    monkeypatch.setattr(shipped, "FOLDER", folder)
    return folder


@pytest.mark.parametrize("name", ["cora_ml", "Cora-ML", "coraml", " CORA_ML ", "cora-ml-prune4sed"])
def test_bundled_names_are_spelt_in_many_ways(weights: Path, name: str) -> None:
    model = ps.load_model(name, device="cpu")
    assert (model.name, model.device.type) == ("prune4sed", "cpu")
    assert load_model(f"{name.strip().removesuffix('-prune4sed')}-NeuroSED").name == "neurosed"


def test_plus_has_a_short_name(weights: Path) -> None:
    model = create_model("prune4sed-plus", words(), width=16, stages=1, pair_layers=1, pair_width=8)
    save_checkpoint(model, weights / "cora_ml-plus.safetensors")
    for name in ("cora-ml-plus", "Cora_ML prune4sed-plus", "coraml_Prune4SED_plus"):
        assert load_model(name, device="cpu").name == "prune4sed-plus"
    assert (spelt("plus"), spelt("my-own-plus"), spelt("x-plus-neurosed")) == (
        "plus",
        "my-own-plus",
        "x-plus-neurosed",
    )


def test_a_path_may_be_anything_that_is_one(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = weights / "cora_ml.safetensors"
    graphs = some_graphs(0, 4)
    expected = load_model("cora_ml").predict(graphs, graphs)
    for name in (path, str(path)):
        assert np.array_equal(load_model(name).predict(graphs, graphs), expected)
    monkeypatch.chdir(weights)
    (weights / "cora_ml").write_text("not this one")  # a bundled name goes before a file of that name
    assert load_model("cora_ml").name == "prune4sed"
    with pytest.raises(FormatError, match="not a model file"):
        load_model(f".{os.sep}cora_ml")


def test_solvers_by_name() -> None:
    kinds = {"exact": Exact, "Branch": Branch, "mip-f2": MipF2, "MIP_F2": MipF2, "engine": Exact}
    for name, kind in kinds.items():
        assert type(load_model(name)) is kind
    assert solver_name(Path("exact")) is None
    assert solver_name("citeseer") is None


def test_an_unknown_name_lists_what_there_is(weights: Path, tmp_path: Path) -> None:
    for name in ("no-such", str(tmp_path), "", tmp_path / "none.safetensors"):
        with pytest.raises(OptionError) as caught:
            find_model(name)
        assert "bundled: cora_ml, cora_ml-neurosed; solvers: branch, mip-f2, exact" in str(caught.value)
    with pytest.raises(OptionError, match="a name or a path, not int"):
        load_model(3)
    with pytest.raises(OptionError, match="device 'nowhere' cannot be used"):
        load_model("cora_ml", device="nowhere")


@pytest.mark.usefixtures("weights")
def test_the_nearest_name_is_told() -> None:
    for name, near in (("cora_lm", "cora_ml"), ("Cora-ML neurose", "cora_ml-neurosed"), ("exat", "exact")):
        with pytest.raises(OptionError) as caught:
            load_model(name)
        assert f"there is no model {name!r} (did you mean {near}?); bundled: " in str(caught.value)


@pytest.mark.usefixtures("weights")
def test_a_solver_has_no_file() -> None:
    with pytest.raises(OptionError, match="exact is a solver and has no file of weights"):
        find_model("exact")


def test_a_missing_package_names_its_extra(weights: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("torch", "safetensors"):
        with monkeypatch.context() as hidden:
            hidden.setitem(sys.modules, package, None)
            with pytest.raises(MissingExtraError, match=rf"{package} is needed.*prune4sed\[nn\]"):
                load_model("cora_ml")
            assert load_model("exact").name == "exact"


def test_what_ships_is_whole() -> None:
    for name, path in bundled().items():
        assert spelt(name) == name
        assert isinstance(load_model(name, device="cpu"), SedModel)
        assert {"dataset", "metrics"} <= read_header(path, verify=True).info.keys()
