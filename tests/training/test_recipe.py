"""Recipes and what may stand in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_runs import training_dataset

from prune4sed.errors import OptionError
from prune4sed.models.registry import model_names
from prune4sed.training.loop import new_model
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.recipe import PRESETS, Recipe, preset
from prune4sed.training.step import TrainingStep


def test_the_default_is_the_papers() -> None:
    paper = preset("paper")
    assert paper == Recipe()
    assert (paper.batch_size, paper.weight_decay, paper.clip, paper.patience) == (200, 1e-3, 0.1, 5)
    assert (paper.rise, paper.fall, paper.peak_rate, paper.round_length) == (2000, 2000, 1e-3, 4000)
    assert paper.total is None


@pytest.mark.parametrize("name", PRESETS)
def test_presets_survive_json(name: str) -> None:
    assert Recipe.of(PRESETS[name].to_dict()) == PRESETS[name]


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("batch_size", 0, "batch_size must be 1 or more"),
        ("batch_size", 2.5, "batch_size must be a whole number"),
        ("peak_rate", 0, "peak_rate must be more than 0"),
        ("peak_rate", float("nan"), "peak_rate must be a number"),
        ("warm_up", 1.5, "warm_up must be between 0 and 1"),
        ("minutes", -1, "minutes must be 0 or more"),
        ("thrift", 3.0, "thrift must be between 0 and 2"),
        ("schedule", "linear", "schedule must be one of cyclic, cosine"),
        ("speed", 1, "a recipe has no 'speed'"),
    ],
)
def test_bad_values(field: str, value: Any, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        preset("paper", **{field: value})


def test_no_such_preset() -> None:
    with pytest.raises(OptionError, match="no preset 'slow'; there are paper, fast, plus, smoke"):
        preset("slow")


@pytest.mark.parametrize("room", [0, 1, 2, 3, 999, 4000, 9000])
@pytest.mark.parametrize("schedule", ["cyclic", "cosine"])
def test_steps_that_fit_end_at_a_low_rate(room: int, schedule: str) -> None:
    recipe = Recipe(schedule=schedule).fit(room)
    assert 2 <= recipe.steps <= max(2, room)
    assert recipe.rate(recipe.steps) == pytest.approx(0)
    assert recipe.total == recipe.steps


@pytest.mark.parametrize("model", model_names())
@pytest.mark.parametrize("name", PRESETS)
def test_presets_suit_all_models(name: str, model: str) -> None:
    data = training_dataset()
    chosen = new_model(model, data)
    recipe = preset(name, model, batch_size=4)
    step = TrainingStep(chosen, PlacedPairs.of(data["train"], chosen, costs=recipe.cost_weight > 0), recipe)
    step()
    assert np.isfinite(step.take_losses())


def test_what_is_asked_for_is_not_left_out() -> None:
    assert preset("fast", "neurosed").thrift > 0
    assert preset("fast", "prune4sed-plus").thrift > 0
    assert preset("fast", "neurosed", head_weight=0.5).head_weight == 0.5
