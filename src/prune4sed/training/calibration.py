"""Batch norms whose mean and variance are those of many pairs, after weights were changed by other means."""

from __future__ import annotations

import numpy as np
import torch

from prune4sed.datasets.dataset import PairSet
from prune4sed.models.base import SedModel
from prune4sed.nn.batch import pair_batch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.training.subset import some_pairs

__all__ = ["calibrate"]


def calibrate(model: SedModel, pairs: PairSet, batches: int = 30, batch_size: int = 200) -> None:
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
    """
    norms = [part for part in model.modules() if isinstance(part, MaskedBatchNorm)]
    if not norms or not len(pairs.pairs):
        return
    part = some_pairs(pairs, min(batches * batch_size, len(pairs.pairs)))
    placed = model.place(part.queries), model.place(part.targets)
    # Neighbours in the set may share their graphs, which batches must not.
    index = np.random.default_rng(0).permutation(part.pairs.index)
    usual, was_training = [norm.momentum for norm in norms], model.training
    model.train()
    with torch.no_grad():
        for done, start in enumerate(range(0, len(index), batch_size)):
            for norm in norms:
                norm.momentum = 1 / (1 + done)  # so that the running mean is that of all batches
            rows = torch.from_numpy(index[start : start + batch_size]).to(model.device)
            model(pair_batch(*placed, rows[:, 0].contiguous(), rows[:, 1].contiguous()))
    for norm, momentum in zip(norms, usual, strict=True):
        norm.momentum = momentum
    model.train(was_training)
