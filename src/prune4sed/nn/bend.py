"""The bend of a unit: ReLU, or one that lets a little of negative numbers through."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["LEAK", "Bend"]

# Enough of negative numbers for a unit that no input turns on to come back.
LEAK = 0.1


class Bend(nn.Module):
    """Leaky ReLU, ``max(x, slope * x)``, with a slope for each unit that is part of the model.

    All have the same at first; a unit that was trained as a plain ReLU may keep 0.

    Parameters
    ----------
    width : int
        How many units.
    leak : float
        Their slope below 0; 0 for a plain ReLU, which keeps nothing.
    """

    slope: Tensor | None

    def __init__(self, width: int, leak: float = 0.0) -> None:
        super().__init__()
        self.width = width
        self.register_buffer("slope", torch.full((width,), leak) if leak else None)

    @property
    def leaky(self) -> bool:
        """Whether units may let negative numbers through."""
        return self.slope is not None

    def slopes(self, like: Tensor) -> Tensor:
        """Of all units, (width,), of the kind of another tensor."""
        return like.new_zeros(self.width) if self.slope is None else self.slope.to(like.dtype)

    def forward(self, x: Tensor) -> Tensor:
        """The same shape, (..., width)."""
        if not self.leaky:
            return torch.relu(x)
        return nn.functional.prelu(x.reshape(-1, self.width), self.slopes(x)).view_as(x)
