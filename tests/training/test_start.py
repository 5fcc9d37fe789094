"""Training that starts from trained weights."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_runs import quick, small_model, training_dataset

from prune4sed.errors import OptionError
from prune4sed.models.checkpoint import read_header
from prune4sed.training.loop import train
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.start import check_start, trained_model


def test_it_goes_on_from_the_weights_and_says_so(tmp_path: Path) -> None:
    data = training_dataset()
    first = train(small_model(data), data, quick(), tmp_path / "one", device="cpu")
    best = tmp_path / "one" / "model.safetensors"
    model, told = trained_model(best)
    assert PlacedPairs.of(data["validation"], model).rmse(
        PlacedPairs.of(data["validation"], model).predict(model)
    ) == pytest.approx(first.rmse, abs=1e-6)
    # A rate so small that nothing is learnt: what comes out is what went in.
    still = quick(schedule="cosine", peak_rate=1e-12)
    second = train(model, data, still, tmp_path / "two", device="cpu", told=told)
    assert second.rmse == pytest.approx(first.rmse, rel=0.05)
    start = read_header(tmp_path / "two" / "model.safetensors").info["start"]
    assert start["digest"] == read_header(best).digest
    assert start["steps"] == first.best_step
    assert start["start"] is None
    _, told = trained_model(tmp_path / "two" / "model.safetensors")
    assert told["start"]["start"]["digest"] == start["digest"]


def test_what_a_trained_model_cannot_become(tmp_path: Path) -> None:
    data = training_dataset()
    train(small_model(data), data, quick(), tmp_path, device="cpu")
    name = str(tmp_path / "model.safetensors")
    assert check_start(name, None, {}, False) == "neurosed"
    with pytest.raises(OptionError, match="is a neurosed, not a simgnn"):
        check_start(name, "simgnn", {}, False)
    with pytest.raises(OptionError, match="--option is for new models"):
        check_start(name, None, {"width": 8}, False)
    with pytest.raises(OptionError, match="--unknown is for new models"):
        check_start(name, None, {}, True)
