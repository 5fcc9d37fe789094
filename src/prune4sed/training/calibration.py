"""Batch norms whose mean and variance are those of many pairs, after weights were changed by other means."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet
from prune4sed.models.base import SedModel
from prune4sed.nn.batch import pair_batch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.training.placed import PlacedPairs
from prune4sed.training.thrift import new_strata

__all__ = ["calibrate"]


def calibrate(
    model: SedModel,
    pairs: PairSet,
    batches: int = 30,
    batch_size: int = 200,
    thrift: float = 0.0,
    focus: float = 0.0,
    errors: NDArray[np.floating] | None = None,
) -> None:
    """Measure mean and variance anew for every batch norm of a model; its weights stay as they are.

    Where all nodes have one label, variances are so small that weights rounded to half precision are far from
    the mean that was measured before.

    Parameters
    ----------
    model : SedModel
        Changed in place.
    pairs : PairSet
        What to measure on: so many batches of random pairs, or as many as there are.
    batches, batch_size : int
        How many.
    thrift, focus : float
        As in the recipe that the model was trained by, for a norm must see what it saw then.
    errors : array, (pairs,), optional
        What such a model gets wrong, for a `focus`; about the same as when its training began.
    """
    norms = [part for part in model.modules() if isinstance(part, MaskedBatchNorm)]
    if not norms or not len(pairs.pairs):
        return
    placed = PlacedPairs.of(pairs, model)
    strata = new_strata(placed.query_nodes, placed.target_nodes, batch_size, thrift, errors, focus)
    columns = strata.epoch(0, 0)[:, :batches].T.to(model.device)
    usual, was_training = [norm.momentum for norm in norms], model.training
    model.train()
    with torch.no_grad():
        for done, rows in enumerate(columns):
            for norm in norms:
                norm.momentum = 1 / (1 + done)  # so that the running mean is that of all batches
            model(pair_batch(placed.queries, placed.targets, placed.query_at[rows], placed.target_at[rows]))
    for norm, momentum in zip(norms, usual, strict=True):
        norm.momentum = momentum
    model.train(was_training)
