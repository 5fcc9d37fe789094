"""Labels as vectors."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

__all__ = ["LabelEmbedding"]

# Up to this many a product with one-hot vectors is cheap; labels of molecules by degree are some 300.
_FEW = 512


class LabelEmbedding(nn.Module):
    """A linear layer on one-hot labels, written as a look-up.

    Soft pruning scales the one-hot vector, so the bias stays as it is: a node that is pruned away becomes the
    bias alone, which is no label's vector.

    Parameters
    ----------
    labels : int
        How many there are.
    width : int
        Length of the vectors.
    """

    def __init__(self, labels: int, width: int) -> None:
        super().__init__()
        bound = 1 / math.sqrt(max(1, labels))
        self.weight = nn.Parameter(torch.empty(max(1, labels), width).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(width).uniform_(-bound, bound))

    def forward(self, labels: Tensor, scale: Tensor | None = None) -> Tensor:
        """Vectors of the labels.

        Parameters
        ----------
        labels : Tensor of int64, (R,)
            Label numbers.
        scale : Tensor, (R, M), optional
            Factors on the one-hot vectors, one for each of M heads.

        Returns
        -------
        Tensor, (R, width), or (R, M, width) with factors
        """
        rows = self.look_up(labels)
        if scale is not None:
            rows = rows.unsqueeze(1) * scale.unsqueeze(2)
        return rows + self.bias

    def look_up(self, labels: Tensor) -> Tensor:
        """Vectors of the labels before scale and bias, (R, width)."""
        if labels.is_cuda and self.training and len(self.weight) <= _FEW:
            # The gradient of a look-up is found by sorting all labels; that of a product is a product.
            return nn.functional.one_hot(labels, len(self.weight)).to(self.weight.dtype) @ self.weight
        return nn.functional.embedding(labels, self.weight)
