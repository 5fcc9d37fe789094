"""From pair features to a distance: the expected cost of every query node."""

from __future__ import annotations

from torch import Tensor, nn

from prune4sed.nn.pair_layer import PairGrid, PairScore

__all__ = ["PairHead"]

# How sharply costs bend to stay above 0.
_SHARP = 4.0


class PairHead(nn.Module):
    """The last claims, and what a query node costs at each candidate: what can be counted, and a correction.

    Counted is the node's own cost and half of every edge, less the part of it that the claims of its
    neighbours preserve. Were all claims certain and right, that would be the distance.

    Parameters
    ----------
    width : int
        Of the pair features.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.claim = PairScore(width, 1)
        self.correction = nn.Linear(width, 1)
        nn.init.normal_(self.correction.weight, std=0.02)
        nn.init.zeros_(self.correction.bias)

    def forward(self, x: Tensor, grid: PairGrid) -> tuple[Tensor, Tensor]:
        """Log claims and costs, both (R, C), from features (R, C, width)."""
        logs = self.claim(x, grid)
        claims = logs.exp() * grid.queries.mask[:, None, None]
        preserved = grid.over_edges(grid.near(claims)).squeeze(1)
        counted = grid.node_costs + (grid.degrees.unsqueeze(1) - preserved) / 2
        costs = counted + self.correction(x).squeeze(-1).float()
        return logs.squeeze(1), nn.functional.softplus(costs, _SHARP)
