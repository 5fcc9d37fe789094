"""Training that starts from trained weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from made_runs import quick, small_model, training_dataset

from prune4sed import Graph, GraphSet
from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.table import PairTable
from prune4sed.errors import GraphError, OptionError
from prune4sed.models.base import SedModel
from prune4sed.models.checkpoint import load_checkpoint, read_header, save_checkpoint
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.training.loop import new_model, train
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.start import check_start, trained_model
from prune4sed.training.state import load_state


def test_it_goes_on_from_the_weights_and_says_so(tmp_path: Path) -> None:
    data = training_dataset()
    first = train(small_model(data), data, quick(), tmp_path / "one", device="cpu")
    best = tmp_path / "one" / "model.safetensors"
    model, told = trained_model(best)
    assert PlacedPairs.of(data["validation"], model).rmse(
        PlacedPairs.of(data["validation"], model).predict(model)
    ) == pytest.approx(first.rmse, abs=1e-6)
    # A rate so large that all is lost: the best is what it started from.
    wild = quick(schedule="cosine", peak_rate=3.0, clip=0.0)
    second = train(model, data, wild, tmp_path / "two", device="cpu", told=told)
    assert second.rmse == pytest.approx(first.rmse, abs=1e-6)
    assert second.best_step == 0
    start = read_header(tmp_path / "two" / "model.safetensors").info["start"]
    assert start["digest"] == read_header(best).digest
    assert start["steps"] == first.best_step
    assert start["fingerprint"] == read_header(best).info["dataset"]["fingerprints"]["train"]
    assert start["start"] is None
    _, told = trained_model(tmp_path / "two" / "model.safetensors")
    assert told["start"]["start"]["digest"] == start["digest"]


def test_prune4sed_is_trained_with_the_k_it_was_trained_with(tmp_path: Path) -> None:
    model = small_model(training_dataset(), "prune4sed")
    assert isinstance(model, Prune4SED)
    before = model.options.k
    model.choose_k(before + 3)
    save_checkpoint(model, tmp_path / "x.safetensors", {"keep": {"trained_with": before}})
    again, _ = trained_model(tmp_path / "x.safetensors")
    assert isinstance(again, Prune4SED)
    assert again.options.k == again.pruning.k == before
    other, _ = trained_model(tmp_path / "x.safetensors", {"k": 7})
    assert isinstance(other, Prune4SED)
    assert other.options.k == other.pruning.k == 7
    plain = load_checkpoint(tmp_path / "x.safetensors", "cpu")
    assert isinstance(plain, Prune4SED)
    assert plain.options.k == plain.pruning.k == before + 3


def test_plus_is_trained_with_as_many_nodes_as_it_was_trained_with(tmp_path: Path) -> None:
    model = new_model("prune4sed-plus", training_dataset(), pair_layers=1)
    assert isinstance(model, Prune4SEDPlus)
    before = model.options.keep
    model.choose_keep(before + 3)
    save_checkpoint(model, tmp_path / "x.safetensors", {"keep": {"trained_with": before}})
    again, _ = trained_model(tmp_path / "x.safetensors")
    assert isinstance(again, Prune4SEDPlus)
    assert again.options.keep == before
    assert check_start(str(tmp_path / "x.safetensors"), None, {"keep": 7}, False) == "prune4sed-plus"
    other, _ = trained_model(tmp_path / "x.safetensors", {"keep": 7})
    assert isinstance(other, Prune4SEDPlus)
    assert other.options.keep == 7
    with pytest.raises(OptionError, match="keep must be 1 or more"):
        trained_model(tmp_path / "x.safetensors", {"keep": 0})
    plain = load_checkpoint(tmp_path / "x.safetensors", "cpu")
    assert isinstance(plain, Prune4SEDPlus)
    assert plain.options.keep == before + 3


def test_a_run_goes_on_only_with_what_it_started_from(tmp_path: Path) -> None:
    data = training_dataset()
    train(small_model(data), data, quick(), tmp_path / "one", device="cpu")
    model, told = trained_model(tmp_path / "one" / "model.safetensors")
    train(model, data, quick(), tmp_path / "two", device="cpu", told=told)
    with pytest.raises(OptionError, match="has another start"):
        train(small_model(data), data, quick(), tmp_path / "two", device="cpu", resume=True)
    model, itself = trained_model(tmp_path / "two" / "model.safetensors")
    with pytest.raises(OptionError, match="has another start"):
        train(model, data, quick(), tmp_path / "two", device="cpu", resume=True, told=itself)
    train(model, data, quick(), tmp_path / "two", device="cpu", resume=True, told=told)
    header = read_header(tmp_path / "two" / "model.safetensors")
    assert header.info["start"]["digest"] == told["start"]["digest"]


def small_noise(model: SedModel) -> None:
    for weight in model.parameters():
        weight.data.add_(0.1 * torch.randn_like(weight))


def test_focus_wants_trained_weights_and_is_resumed_to_the_bit(tmp_path: Path) -> None:
    data = training_dataset()
    with pytest.raises(OptionError, match="focus is for a start from trained weights"):
        train(small_model(data), data, quick(focus=0.5), tmp_path / "none", device="cpu")
    assert not (tmp_path / "none").exists()
    train(small_model(data), data, quick(), tmp_path / "one", device="cpu")
    for folder, steps in (("whole", 14), ("parts", 7), ("parts", 14)):
        model, told = trained_model(tmp_path / "one" / "model.safetensors")
        recipe = quick(focus=0.5, steps=steps)
        if steps == 14 and (tmp_path / "parts").exists():
            small_noise(model)  # what was wrong at the start is known, whatever the weights are now
        train(model, data, recipe, tmp_path / folder, device="cpu", resume=True, told=told)
    states = [load_state(tmp_path / name / "state.safetensors").tensors for name in ("whole", "parts")]
    assert all(x.equal(states[1][name]) for name, x in states[0].items())


def test_labels_that_the_model_does_not_know_leave_no_folder(tmp_path: Path) -> None:
    data = training_dataset()
    train(small_model(data), data, quick(), tmp_path / "one", device="cpu")
    model, told = trained_model(tmp_path / "one" / "model.safetensors")
    odd = GraphSet([Graph([77, 78], [(0, 1)])])
    pairs = PairTable(np.array([[0, 0]]), np.zeros(1), np.zeros(1), np.array([[0, 1]], dtype=np.int32))
    other = Dataset("odd", 0, dict.fromkeys(("train", "validation"), PairSet(odd, odd, pairs)))
    with pytest.raises(GraphError, match="77, which the model has never seen"):
        train(model, other, quick(), tmp_path / "two", device="cpu", told=told)
    assert not (tmp_path / "two").exists()


def test_what_a_trained_model_cannot_become(tmp_path: Path) -> None:
    data = training_dataset()
    train(small_model(data), data, quick(), tmp_path, device="cpu")
    name = str(tmp_path / "model.safetensors")
    assert check_start(name, None, {}, False) == "neurosed"
    with pytest.raises(OptionError, match="exact is a solver and has no file of weights"):
        check_start("exact", None, {}, False)
    with pytest.raises(OptionError, match="is a neurosed, not a simgnn"):
        check_start(name, "simgnn", {}, False)
    for options in ({"width": 8}, {"k": 8}):
        with pytest.raises(OptionError, match=r"--option (width|k) is for new models"):
            check_start(name, None, options, False)
    with pytest.raises(OptionError, match="--unknown is for new models"):
        check_start(name, None, {}, True)
