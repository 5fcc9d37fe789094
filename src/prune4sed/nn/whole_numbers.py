"""Distances are whole numbers: what an uncertain sum of costs says about the one it stands for."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.bend import Bend
from prune4sed.nn.neighbours import graph_sum

__all__ = ["PairDoubt", "expected_whole"]

# Beyond a variance of a half the result is the sum itself. With less than the second one, a sum halfway
# between two whole numbers would have too steep a gradient. So many on either side of the nearest can matter.
_MOST, _LEAST, _AROUND = 0.5, 0.03, 3
# What the doubt about a query node is before training, so that queries of ten have a deviation of a third.
_USUAL = 0.0145


def expected_whole(mean: Tensor, variance: Tensor) -> Tensor:
    """The expected value of a whole number that was seen with a normal error.

    Parameters
    ----------
    mean : Tensor, (B,)
        What was seen.
    variance : Tensor, (B,)
        Of the error, 0 or more; it is brought between 0.03 and 0.53. The larger it is, the closer the result
        is to `mean`.

    Returns
    -------
    Tensor, (B,)

    Examples
    --------
    >>> expected_whole(torch.tensor([3.2, 3.2, 3.5]), torch.tensor([0.0, 9.0, 0.0]))
    tensor([3.0000, 3.1997, 3.5000])
    """
    spread = _LEAST + variance * _MOST / (variance + _MOST)
    nearest = mean.detach().round()
    steps = torch.arange(-_AROUND, _AROUND + 1, device=mean.device, dtype=mean.dtype)
    off = nearest.unsqueeze(1) + steps - mean.unsqueeze(1)
    weights = (off.square() / (-2 * spread).unsqueeze(1)).softmax(1)
    return nearest + (weights * steps).sum(1)


class PairDoubt(nn.Module):
    """How far the cost of every query node may be off: a variance, by the candidates that it claims.

    Parameters
    ----------
    width : int
        Of the pair features.
    leak : float
        What is let through of negative numbers.
    """

    def __init__(self, width: int, leak: float = 0.0) -> None:
        super().__init__()
        self.hidden = nn.Linear(width + 1, width)
        self.bend = Bend(width, leak)
        self.out = nn.Linear(width, 1)
        nn.init.constant_(self.out.bias, math.log(math.expm1(_USUAL)))

    def forward(self, x: Tensor, logs: Tensor, queries: GraphBatch) -> Tensor:
        """Variances of the sums of costs of B pairs, (B,).

        Parameters
        ----------
        x : Tensor, (R, C, width)
            Pair features.
        logs : Tensor, (R, C)
            Log claims.
        queries : GraphBatch
            Of R rows.
        """
        claims = logs.exp()
        seen = (claims.unsqueeze(1) @ x.to(claims.dtype)).squeeze(1)
        unsure = -(claims * logs.clamp(min=-16)).sum(1, keepdim=True)
        out = self.out(self.bend(self.hidden(torch.cat([seen, unsure], 1)))).float()
        return graph_sum(queries, nn.functional.softplus(out) * queries.mask.unsqueeze(1)).squeeze(1)
