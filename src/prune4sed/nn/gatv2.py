"""GATv2: every node takes a weighted mean of itself and its neighbours, by attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from prune4sed.nn import kernels
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.bend import Bend
from prune4sed.nn.neighbours import gather_sources, listed, sum_at_ends
from prune4sed.nn.on_cpu import LANES, engine_teaches
from prune4sed.nn.taught_on_cpu import graph_means

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

    def forward(
        self, graphs: GraphBatch, x: Tensor, edges: Tensor | None = None, bend: Bend | None = None
    ) -> Tensor:
        """One round of attention.

        Parameters
        ----------
        graphs : GraphBatch
            Graphs of R rows.
        x : Tensor, (R, width)
            Features.
        edges : Tensor, (E, edge_width), optional
            Features of arcs.
        bend : Bend, optional
            What follows the layer.

        Returns
        -------
        Tensor, (R, width)
            Rows that are no nodes have any finite value.
        """
        if edges is None and kernels.usable(x.device):
            return self._fused(graphs, x, bend)
        source, end = self.source(x), self.end(x)
        if edges is None and engine_teaches(source) and source.shape[1] % LANES == 0:
            out = graph_means(graphs, source, end, self.attention[0]) + self.bias
        else:
            out = self._over_arcs(graphs, source, end, edges) + self.bias
        return out if bend is None else bend(out)

    def _fused(self, graphs: GraphBatch, x: Tensor, bend: Bend | None) -> Tensor:
        """The same by one linear layer and a kernel."""
        both = nn.functional.linear(x, torch.cat([self.source.weight, self.end.weight]))
        biases = self.source.bias, self.end.bias, self.bias
        slopes = torch.ones_like(self.bias.detach()) if bend is None else bend.slopes(self.bias.detach())
        return kernels.gatv2(graphs.links, both, self.attention[0], biases, _SLOPE, slopes)

    def _over_arcs(self, graphs: GraphBatch, source: Tensor, end: Tensor, edges: Tensor | None) -> Tensor:
        sent = gather_sources(graphs, source)
        across, loop = sent + end.index_select(0, listed(graphs).ends), source + end
        if self.edge is not None and edges is not None:
            extra = self.edge(edges)
            across, loop = across + extra, loop + _mean_at_ends(graphs, extra)
        own, other = self._softmax(graphs, self._score(loop), self._score(across))
        pattern = listed(graphs).pattern
        if pattern is not None:
            return torch.addcmul(pattern.times(source, other), own.unsqueeze(-1), source)
        return own.unsqueeze(-1) * source + sum_at_ends(graphs, other.unsqueeze(-1) * sent)

    def _score(self, z: Tensor) -> Tensor:
        scores: Tensor = nn.functional.leaky_relu(z, _SLOPE) @ self.attention[0]
        return scores

    @staticmethod
    def _softmax(graphs: GraphBatch, loop: Tensor, across: Tensor) -> tuple[Tensor, Tensor]:
        """Weights of the self-loops (R,) and of the arcs (E,): they add up to 1 at every node."""
        arcs = listed(graphs)
        across = across.masked_fill(~arcs.mask, float("-inf"))
        # The largest score is taken off before exp, against overflow; a constant, as far as gradients go.
        peak = loop.detach().scatter_reduce(0, arcs.ends, across.detach(), "amax", include_self=True)
        own, other = torch.exp(loop - peak), torch.exp(across - peak[arcs.ends])
        total = own + sum_at_ends(graphs, other)
        return own / total, other / total[arcs.ends]


def _mean_at_ends(graphs: GraphBatch, edges: Tensor) -> Tensor:
    """Mean over the real arcs that end at every node; 0 where there is none."""
    count = sum_at_ends(graphs, listed(graphs).mask.unsqueeze(-1).to(edges.dtype))
    return sum_at_ends(graphs, edges) / count.clamp(min=1)
