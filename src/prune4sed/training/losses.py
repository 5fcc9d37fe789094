"""What training minimises."""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["interval_loss"]


def interval_loss(predicted: Tensor, lower: Tensor, upper: Tensor) -> Tensor:
    """Mean squared distance of predictions from their intervals; plain squared error where bounds agree.

    Parameters
    ----------
    predicted, lower, upper : Tensor, (B,)
        Predictions, and proven bounds.

    Returns
    -------
    Tensor, ()

    Examples
    --------
    >>> interval_loss(torch.tensor([3.0, 5.0]), torch.tensor([2.0, 1.0]), torch.tensor([4.0, 3.0]))
    tensor(2.)
    """
    below, above = torch.relu(lower - predicted), torch.relu(predicted - upper)
    return (below.square() + above.square()).mean()
