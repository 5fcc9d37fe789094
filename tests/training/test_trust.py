"""Bounds that are moved towards the upper one while training."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from made_runs import training_dataset

from prune4sed.nn.batch import pair_batch
from prune4sed.training.loop import new_model
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.recipe import Recipe
from prune4sed.training.step import TrainingStep


@pytest.mark.parametrize("name", ["neurosed", "prune4sed", "prune4sed-plus"])
@pytest.mark.parametrize("trust", [0.0, 0.75])
def test_the_loss_asks_for_the_upper_part_of_an_open_interval(name: str, trust: float) -> None:
    data = training_dataset()
    options = {} if name == "neurosed" else {"stages": 1}
    model = new_model(name, data, **options)
    pairs = PlacedPairs.of(data["train"], model)
    pairs = replace(pairs, upper=pairs.lower + (pairs.upper % 3) * 8)  # some of them open
    step = TrainingStep(model, pairs, Recipe(batch_size=8, trust=trust))
    rows = step.strata.epoch(0, 0)[:, 0]
    lower, upper = pairs.lower.numpy()[rows], pairs.upper.numpy()[rows]
    assert (lower < upper).any()
    assert (lower == upper).any()
    step.model.train()
    step()
    loss = step.take_losses()
    model.load_state_dict(new_model(name, data, **options).state_dict())  # as it was before the step
    model.train()
    batch = pair_batch(pairs.queries, pairs.targets, pairs.query_at[rows], pairs.target_at[rows], None)
    predicted = model(batch).detach().numpy()
    least = lower + trust * (upper - lower)
    wrong = np.maximum(least - predicted, 0) + np.maximum(predicted - upper, 0)
    assert loss == pytest.approx((wrong**2).mean(), rel=1e-3)


@pytest.mark.parametrize("trust", [0.7, 1.0])
def test_the_match_of_an_open_pair_is_taught_if_it_is_trusted_in_full(trust: float) -> None:
    data = training_dataset()
    model = new_model("prune4sed-plus", data, stages=1)
    pairs = PlacedPairs.of(data["train"], model, costs=True)
    pairs = replace(pairs, upper=pairs.lower + 4)  # all of them open
    recipe = Recipe(batch_size=8, trust=trust, map_weight=1.0, cost_weight=1.0)
    step = TrainingStep(model, pairs, recipe)
    rows = step.strata.epoch(0, 0)[:, 0]
    batch = pair_batch(pairs.queries, pairs.targets, pairs.query_at[rows], pairs.target_at[rows], None)
    loss, whole = step._loss(batch, rows)
    assert bool(whole > loss) == (trust == 1)
