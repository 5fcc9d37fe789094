"""Mean and variance of batch norms, measured anew."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from made_runs import training_dataset

from prune4sed.nn.batch import pair_batch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.training.calibration import calibrate
from prune4sed.training.loop import new_model
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.recipe import Recipe
from prune4sed.training.step import TrainingStep


def test_one_batch_of_all_pairs_predicts_in_use_as_in_training() -> None:
    data = training_dataset()
    model = new_model("prune4sed", data, width=16, stages=2, heads=2, predictor_layers=2).eval()
    norms = [part for part in model.modules() if isinstance(part, MaskedBatchNorm)]
    momentum, weights = norms[0].momentum, [x.clone() for x in model.parameters()]
    calibrate(model, data.train, 1, len(data.train.pairs))
    assert not model.training
    assert norms[0].momentum == momentum
    assert all(torch.equal(x, y) for x, y in zip(model.parameters(), weights, strict=True))
    index = torch.from_numpy(data.train.pairs.index.copy())
    placed = model.place(data.train.queries), model.place(data.train.targets)
    in_use = model.predict(data.train.queries, data.train.targets, data.train.pairs.index)
    model.train()
    with torch.no_grad():
        training = model(pair_batch(*placed, index[:, 0].contiguous(), index[:, 1].contiguous()))
    # The running variance divides by one less than the batch's own.
    assert in_use == pytest.approx(training.numpy(), rel=0.02, abs=0.02)


def test_running_means_are_those_of_all_batches() -> None:
    data = training_dataset()
    model = new_model("prune4sed", data, width=16, stages=1, heads=1, predictor_layers=1).eval()
    calibrate(model, data.train, 1, len(data.train.pairs))
    norm = next(part for part in model.modules() if isinstance(part, MaskedBatchNorm))
    whole = norm.running_mean.clone()
    calibrate(model, data.train, 1000, len(data.train.pairs) // 4)
    assert torch.allclose(norm.running_mean, whole, atol=0.1)
    assert not torch.equal(norm.running_mean, whole)


@pytest.mark.parametrize("by", ["thrift", "focus"])
def test_draws_are_measured_as_training_saw_them(by: str) -> None:
    """At a rate of 0, a run's norms come to what calibration finds for the same draws, not for even ones."""
    data = training_dataset()
    model = new_model("prune4sed", data, width=16, stages=1, heads=1, predictor_layers=1)
    norm = next(part for part in model.modules() if isinstance(part, MaskedBatchNorm))
    pairs, errors = PlacedPairs.of(data.train, model), None
    if by == "focus":  # large targets are hard
        errors = torch.from_numpy(pairs.target_nodes.astype(np.float32)) ** 4
    drawn = {"thrift": 2.0} if by == "thrift" else {"focus": 0.01}
    step = TrainingStep(model, pairs, Recipe(batch_size=8, **drawn), errors=errors)
    step._rates.zero_()
    norm.momentum, means = 1.0, []
    for _ in range(2 * step.strata.steps):
        step._step()
        means.append(norm.running_mean.clone())
    seen = torch.stack(means).mean(0)
    found = {}
    for name, told in (("even", {}), ("as drawn", drawn)):
        wrong = errors.numpy() if told and errors is not None else None
        calibrate(model, data.train, 1000, 8, **told, errors=wrong)
        found[name] = float((norm.running_mean - seen).norm())
    assert found["as drawn"] < 0.5 * found["even"]


def test_a_model_without_batch_norms_is_left_alone() -> None:
    data = training_dataset()
    model = new_model("neurosed", data, width=16, layers=1)
    before = {name: x.clone() for name, x in model.state_dict().items()}
    calibrate(model, data.train)
    assert all(torch.equal(x, before[name]) for name, x in model.state_dict().items())
