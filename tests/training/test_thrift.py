"""Pairs come as often as they should, losses stay unbiased, and batches keep their bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_runs import training_dataset

from prune4sed.errors import OptionError
from prune4sed.training.loop import new_model
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.ranks import Ranks
from prune4sed.training.recipe import Recipe
from prune4sed.training.step import TrainingStep
from prune4sed.training.strata import Strata
from prune4sed.training.thrift import ThriftyStrata


def _sizes(pairs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 25, pairs), rng.geometric(0.02, pairs) - 1


@given(st.integers(1, 60), st.integers(1, 70), st.integers(0, 5), st.floats(0, 2))
def test_batches_keep_their_bounds(pairs: int, batch: int, seed: int, thrift: float) -> None:
    queries, targets = _sizes(pairs, seed)
    strata = ThriftyStrata.cut(queries, targets, batch, thrift)
    for epoch in range(3):
        order = strata.epoch(seed, epoch).numpy()
        assert order.shape == (min(batch, pairs), strata.steps)
        assert (queries[order].sum(0) <= strata.bound(queries)).all()
        assert (targets[order].sum(0) <= strata.bound(targets)).all()
        assert (targets[order].max(1) <= strata.largest(targets)).all()


def test_pairs_come_in_proportion_and_losses_stay_unbiased() -> None:
    queries, targets = _sizes(200, 0)
    strata, power = ThriftyStrata.cut(queries, targets, 20, 0.4), 0.4
    drawn = sum(np.bincount(strata.epoch(0, i).numpy().ravel(), minlength=200) for i in range(4000))
    query, target = np.maximum(queries, 1), np.maximum(targets, 1)
    expected = (query**2 / (query + target)) ** power
    np.testing.assert_allclose(drawn / drawn.sum(), expected / expected.sum(), rtol=0.1, atol=2e-4)
    values = np.random.default_rng(1).random(200)
    assert (drawn * strata.weights * values).sum() / drawn.sum() == pytest.approx(values.mean(), rel=0.005)


def test_batches_are_cheaper() -> None:
    queries, targets = _sizes(20_000, 0)
    even, thrifty = Strata.of(queries, targets, 200), ThriftyStrata.cut(queries, targets, 200, 0.4)
    assert thrifty.bound(targets) < 0.85 * even.bound(targets)


def test_the_order_is_the_seeds_and_the_epochs() -> None:
    strata = ThriftyStrata.cut(*_sizes(100, 1), 10, 0.4)
    one = strata.epoch(0, 0)
    assert one.equal(strata.epoch(0, 0))
    assert not one.equal(strata.epoch(0, 1))
    assert not one.equal(strata.epoch(1, 0))


def test_the_loss_of_a_step_is_weighted() -> None:
    data = training_dataset()
    model = new_model("neurosed", data)
    pairs = PlacedPairs.of(data["train"], model)
    step = TrainingStep(model, pairs, Recipe(batch_size=8, thrift=0.5))
    assert isinstance(step.strata, ThriftyStrata)
    rows = step.strata.epoch(0, 0)[:, 0]
    predicted = pairs.predict(model)[rows]
    step.model.train()
    step()
    wrong = np.maximum(pairs.lower.numpy()[rows] - predicted, 0) + np.maximum(
        predicted - pairs.upper.numpy()[rows], 0
    )
    expected = (step.strata.weights[rows] * wrong**2).mean()
    assert step.take_losses() == pytest.approx(expected, rel=1e-4)


def test_processes_share_what_one_would_draw() -> None:
    data = training_dataset()
    model = new_model("neurosed", data)
    pairs, recipe = PlacedPairs.of(data["train"], model), Recipe(batch_size=8, thrift=0.4)
    whole = TrainingStep(model, pairs, recipe)._order
    parts = [TrainingStep(model, pairs, recipe, Ranks(rank, 2))._order for rank in range(2)]
    assert whole[0::2].equal(parts[0])
    assert whole[1::2].equal(parts[1])


def test_fewer_pairs_than_processes() -> None:
    data = training_dataset(1)
    model = new_model("neurosed", data)
    with pytest.raises(OptionError, match="1 pairs are too few for 2 processes"):
        TrainingStep(model, PlacedPairs.of(data["train"], model), Recipe(), Ranks(0, 2))


def test_not_for_plus() -> None:
    data = training_dataset()
    model = new_model("prune4sed-plus", data)
    pairs = PlacedPairs.of(data["train"], model)
    with pytest.raises(OptionError, match="thrift"):
        TrainingStep(model, pairs, Recipe(thrift=0.5))
