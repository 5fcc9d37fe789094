"""Pairs come as often as they should, losses stay unbiased, and batches keep their bounds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from made_runs import training_dataset

from prune4sed.errors import OptionError
from prune4sed.training.loop import new_model
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.ranks import Ranks
from prune4sed.training.recipe import Recipe
from prune4sed.training.step import TrainingStep
from prune4sed.training.strata import Strata, by_size
from prune4sed.training.thrift import WeightedStrata, new_strata, often_if_hard, often_if_thrifty


def _sizes(pairs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, 25, pairs), rng.geometric(0.02, pairs) - 1


def _thrifty(queries: np.ndarray, targets: np.ndarray, batch: int, thrift: float) -> WeightedStrata:
    return WeightedStrata.cut(queries, targets, batch, often_if_thrifty(queries, targets, thrift))


@given(
    st.integers(1, 60), st.integers(1, 70), st.integers(0, 5), st.floats(0, 2), st.booleans(), st.booleans()
)
def test_batches_keep_their_bounds(
    pairs: int, batch: int, seed: int, thrift: float, hard: bool, both: bool
) -> None:
    queries, targets = _sizes(pairs, seed)
    errors = np.random.default_rng(seed).exponential(size=pairs) if hard else None
    strata = new_strata(queries, targets, batch, thrift, errors, 0.3, both)
    for epoch in range(3):
        order = strata.epoch(seed, epoch).numpy()
        assert order.shape == (min(batch, pairs), strata.steps)
        assert (queries[order].sum(0) <= strata.bound(queries)).all()
        assert (targets[order].sum(0) <= strata.bound(targets)).all()
        assert (targets[order].max(1) <= strata.largest(targets)).all()


def test_pairs_come_in_proportion_and_losses_stay_unbiased() -> None:
    queries, targets = _sizes(200, 0)
    strata, power = _thrifty(queries, targets, 20, 0.4), 0.4
    drawn = sum(np.bincount(strata.epoch(0, i).numpy().ravel(), minlength=200) for i in range(4000))
    query, target = np.maximum(queries, 1), np.maximum(targets, 1)
    expected = (query**2 / (query + target)) ** power
    np.testing.assert_allclose(drawn / drawn.sum(), expected / expected.sum(), rtol=0.1, atol=2e-4)
    values = np.random.default_rng(1).random(200)
    assert (drawn * strata.weights * values).sum() / drawn.sum() == pytest.approx(values.mean(), rel=0.005)


def test_batches_are_cheaper() -> None:
    queries, targets = _sizes(20_000, 0)
    even, thrifty = Strata.of(queries, targets, 200), _thrifty(queries, targets, 200, 0.4)
    assert thrifty.bound(targets) < 0.85 * even.bound(targets)


def test_the_order_is_the_seeds_and_the_epochs() -> None:
    strata = _thrifty(*_sizes(100, 1), 10, 0.4)
    one = strata.epoch(0, 0)
    assert one.equal(strata.epoch(0, 0))
    assert not one.equal(strata.epoch(0, 1))
    assert not one.equal(strata.epoch(1, 0))


def test_the_loss_of_a_step_is_weighted() -> None:
    data = training_dataset()
    model = new_model("neurosed", data)
    pairs = PlacedPairs.of(data["train"], model)
    step = TrainingStep(model, pairs, Recipe(batch_size=8, thrift=0.5))
    assert isinstance(step.strata, WeightedStrata)
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


@pytest.mark.parametrize("name", ["neurosed", "prune4sed-plus"])
def test_what_is_wrong_at_the_start_comes_more_often_and_counts_less(name: str) -> None:
    data = training_dataset()
    model = new_model(name, data)
    pairs = PlacedPairs.of(data["train"], model)
    wrong = np.abs(pairs.predict(model) - pairs.upper.numpy())
    step = TrainingStep(model, pairs, Recipe(batch_size=8, focus=0.5), errors=pairs.errors(model))
    assert isinstance(step.strata, WeightedStrata)
    often = np.sqrt(wrong**2 + 0.25 * (wrong**2).mean())
    np.testing.assert_allclose(1 / step.strata.weights, often / often.mean(), rtol=1e-4)
    sizes = pairs.query_nodes, pairs.target_nodes
    same = new_strata(*sizes, 8, errors=wrong, focus=0.5, both=name == "prune4sed-plus")
    assert (step.strata.order == same.order).all()


def test_focus_wants_to_know_the_errors() -> None:
    data = training_dataset()
    model = new_model("neurosed", data)
    with pytest.raises(OptionError, match="whose errors are known"):
        TrainingStep(model, PlacedPairs.of(data["train"], model), Recipe(focus=0.5))


def test_errors_are_those_that_training_sees() -> None:
    """Pairs that are not proven: nothing is wrong within what is left of their bounds."""
    data = training_dataset()
    model = new_model("neurosed", data)
    pairs = PlacedPairs.of(data["train"], model)
    middle = float(np.median(pairs.predict(model)))
    upper = torch.full((len(pairs),), middle)
    pairs = replace(pairs, lower=upper - 4, upper=upper)
    predicted = pairs.predict(model)
    for trust, lowest in ((0.0, middle - 4), (0.75, middle - 1), (1.0, middle)):
        expected = np.maximum(lowest - predicted, 0) + np.maximum(predicted - middle, 0)
        np.testing.assert_allclose(pairs.errors(model, trust), expected, atol=1e-4)
    assert pairs.errors(model).sum() < pairs.errors(model, 1.0).sum()


def test_groups_are_alike_in_how_often_they_are_drawn() -> None:
    """The smallest target is drawn as often as all others together: it is a group of its own."""
    targets = np.arange(1, 9)
    queries, often = targets[::-1].copy(), np.array([7.0, 1, 1, 1, 1, 1, 1, 1])
    assert by_size(queries, targets, 4, np.ones(8), True)[0].tolist() == [3, 2, 1, 0, 7, 6, 5, 4]
    assert by_size(queries, targets, 4, often, True)[0].tolist() == [0, 7, 6, 5, 4, 3, 2, 1]


def test_few_hard_pairs_are_seen_with_less_variance() -> None:
    """One pair in twenty is wrong by 1, the others by a tenth: the mean loss of batches varies far less."""
    queries, targets = _sizes(4000, 0)
    errors = np.where(np.arange(4000) % 20 == 0, 1.0, 0.1)
    spread = {}
    for focus in (0.0, 0.3):
        strata = new_strata(queries, targets, 64, 0.0, errors if focus else None, focus)
        weights = getattr(strata, "weights", np.ones(4000))
        losses = [(weights * errors**2)[strata.epoch(0, i).numpy()].mean(0) for i in range(20)]
        assert np.mean(losses) == pytest.approx((errors**2).mean(), rel=0.02)
        spread[focus] = np.var(losses)
    assert spread[0.3] < 0.25 * spread[0.0]


def test_a_model_without_errors_draws_all_alike() -> None:
    assert np.ptp(often_if_hard(np.zeros(5), 0.5)) == 0
    strata = new_strata(*_sizes(5, 0), 2, 0.0, np.zeros(5), 0.5)
    assert isinstance(strata, WeightedStrata)
    np.testing.assert_allclose(strata.weights, 1.0)
