"""A plain multilayer perceptron."""

from __future__ import annotations

from itertools import pairwise

from torch import nn

from prune4sed.nn.bend import Bend

__all__ = ["mlp"]


def mlp(*widths: int, leak: float = 0.0) -> nn.Sequential:
    """Linear layers with ReLU between them (leaky, if so told), and none after the last.

    Examples
    --------
    >>> [type(layer).__name__ for layer in mlp(8, 16, 1)]
    ['Linear', 'ReLU', 'Linear']
    """
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), Bend(after, leak) if leak else nn.ReLU()]
    return nn.Sequential(*layers[:-1])
