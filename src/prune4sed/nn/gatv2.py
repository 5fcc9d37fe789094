"""GATv2: every node takes a weighted mean of itself and its neighbours, by attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.neighbours import gather_sources, sum_at_ends, weighted_sum

__all__ = ["GATv2Layer"]

_SLOPE = 0.2


class GATv2Layer(nn.Module):
    """One head of GATv2 with self-loops; equal to PyG's ``GATv2Conv``.

    Parameters
    ----------
    width : int
        Of the features, before and after.
    edge_width : int, optional
        Of edge features, for graphs with edge labels. A self-loop has the mean of those of the arcs that end
        at its node.
    """

    def __init__(self, width: int, edge_width: int | None = None) -> None:
        super().__init__()
        self.source = nn.Linear(width, width)
        self.end = nn.Linear(width, width)
        self.edge = None if edge_width is None else nn.Linear(edge_width, width, bias=False)
        self.attention = nn.Parameter(torch.empty(1, width))
        self.bias = nn.Parameter(torch.zeros(width))
        for weight in (self.source.weight, self.end.weight, self.attention):
            nn.init.xavier_uniform_(weight)
        nn.init.zeros_(self.source.bias)
        nn.init.zeros_(self.end.bias)

    def forward(self, graphs: GraphBatch, x: Tensor, edges: Tensor | None = None) -> Tensor:
        """One round of attention.

        Parameters
        ----------
        graphs : GraphBatch
            The graphs.
        x : Tensor, (B, N, width)
            Features.
        edges : Tensor, (B, E, edge_width), optional
            Features of arcs.

        Returns
        -------
        Tensor, (B, N, width)
            Nodes that are not real have any finite value.
        """
        source, end = self.source(x), self.end(x)
        across, loop = gather_sources(graphs, source) + _gather_ends(graphs, end), source + end
        if self.edge is not None and edges is not None:
            extra = self.edge(edges)
            across, loop = across + extra, loop + _mean_at_ends(graphs, extra)
        own, other = self._softmax(graphs, self._score(loop), self._score(across))
        out: Tensor = own.unsqueeze(-1) * source + weighted_sum(graphs, other, source) + self.bias
        return out

    def _score(self, z: Tensor) -> Tensor:
        scores: Tensor = nn.functional.leaky_relu(z, _SLOPE) @ self.attention[0]
        return scores

    @staticmethod
    def _softmax(graphs: GraphBatch, loop: Tensor, across: Tensor) -> tuple[Tensor, Tensor]:
        """Weights of the self-loops (B, N) and of the arcs (B, E): they add up to 1 at every node."""
        across = across.masked_fill(~graphs.arc_mask, float("-inf"))
        # The largest score is taken off before exp, against overflow; a constant, as far as gradients go.
        peak = (
            loop.detach()
            .flatten()
            .scatter_reduce(0, graphs.ends.flatten(), across.detach().flatten(), "amax", include_self=True)
        )
        own = torch.exp(loop - peak.view_as(loop))
        other = torch.exp(across - peak[graphs.ends])
        total = own + sum_at_ends(graphs, other)
        return own / total, other / _gather_ends(graphs, total)


def _gather_ends(graphs: GraphBatch, x: Tensor) -> Tensor:
    rows = x.flatten(0, 1).index_select(0, graphs.ends.flatten())
    return rows.view(*graphs.ends.shape, *x.shape[2:])


def _mean_at_ends(graphs: GraphBatch, edges: Tensor) -> Tensor:
    """Mean over the real arcs that end at every node; 0 where there is none."""
    count = sum_at_ends(graphs, graphs.arc_mask.unsqueeze(-1).to(edges.dtype))
    return sum_at_ends(graphs, edges) / count.clamp(min=1)
