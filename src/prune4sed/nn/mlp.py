"""A plain multilayer perceptron."""

from __future__ import annotations

from itertools import pairwise

from torch import nn

__all__ = ["mlp"]


def mlp(*widths: int) -> nn.Sequential:
    """Linear layers with ReLU between them, and none after the last.

    Examples
    --------
    >>> [type(layer).__name__ for layer in mlp(8, 16, 1)]
    ['Linear', 'ReLU', 'Linear']
    """
    layers: list[nn.Module] = []
    for before, after in pairwise(widths):
        layers += [nn.Linear(before, after), nn.ReLU()]
    return nn.Sequential(*layers[:-1])
