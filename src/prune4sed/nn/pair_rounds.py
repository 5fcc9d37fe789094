"""Rounds of messages between pairs, one after the other."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from prune4sed.nn.on_cpu import engine_serves, pair_rounds
from prune4sed.nn.pair_layer import PairGrid, PairLayer

__all__ = ["PairRounds"]


class PairRounds(nn.ModuleList):
    """Several rounds, each with weights of its own.

    Parameters
    ----------
    rounds : int
        How many, at least one.
    width, heads, leak, bound
        Of each `PairLayer`.
    """

    def __init__(self, rounds: int, width: int, heads: int, leak: float = 0.0, bound: float = 0.0) -> None:
        super().__init__(PairLayer(width, heads, leak, bound) for _ in range(rounds))

    def forward(self, x: Tensor, grid: PairGrid) -> Tensor:
        """New pair features, (R, C, width)."""
        if len(grid.edges) == 1 and engine_serves(x):
            layers: list[Any] = list(self)
            return pair_rounds(layers, x, grid)
        for layer in self:
            x = layer(x, grid)
        return x
