"""Graph convolution: a linear layer on the normalised sum of a node and its neighbours."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.neighbours import gather_sources, neighbour_sum, sum_at_ends

__all__ = ["GCNLayer"]


class GCNLayer(nn.Module):
    """Equal to PyG's ``GCNConv``; with edge labels, every arc adds its features to what it carries.

    Parameters
    ----------
    width : int
        Of the features, before and after.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, graphs: GraphBatch, x: Tensor, edges: Tensor | None = None) -> Tensor:
        """One round of messages.

        Parameters
        ----------
        graphs : GraphBatch
            Graphs of R rows.
        x : Tensor, (R, width)
            Features.
        edges : Tensor, (E, width), optional
            Features of arcs.

        Returns
        -------
        Tensor, (R, width)
        """
        ones = graphs.mask.unsqueeze(-1).to(x.dtype)
        scale = torch.rsqrt(1 + neighbour_sum(graphs, ones))
        x = self.linear(x) * scale
        received = x + neighbour_sum(graphs, x)
        if edges is not None:
            received = received + sum_at_ends(graphs, edges * gather_sources(graphs, scale))
        out: Tensor = received * scale + self.bias
        return out
