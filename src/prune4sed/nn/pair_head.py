"""From pair features to a distance: the expected cost of every query node."""

from __future__ import annotations

from torch import Tensor, nn

from prune4sed.nn import kernels
from prune4sed.nn.pair_layer import PairGrid, PairScore

__all__ = ["PairHead"]


class PairHead(nn.Module):
    """The last claims, and what a query node costs at each candidate: itself, and half of each of its edges.

    Parameters
    ----------
    width : int
        Of the pair features.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.claim = PairScore(width, 1)
        self.cost = nn.Linear(width, 1)

    def forward(self, x: Tensor, grid: PairGrid) -> tuple[Tensor, Tensor]:
        """Log claims and costs, both (R, C), from features (R, C, width)."""
        few = x.shape[1] <= kernels.MOST_CANDIDATES
        if few and kernels.usable(x.device) and kernels.fits_pairs(x, x.shape[2]):
            weights = self.claim.score.weight, self.claim.trust, self.cost.weight, self.cost.bias
            batch = grid.queries.starts, grid.queries.graph_of
            return kernels.pair_head(x, weights, (grid.log_keep, grid.there), batch)
        costs = self.cost(x).squeeze(-1).float()
        return self.claim(x, grid).squeeze(1), nn.functional.softplus(costs)
