"""Hyperedges: around every node, the nodes near it, by hops or by a random walk."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.neighbours import neighbour_sum
from prune4sed.nn.padding import pad_rows
from prune4sed.nn.pruning import reach

__all__ = ["HypergraphLayer", "hop_incidence", "walk_incidence"]


def hop_incidence(graphs: GraphBatch, hops: int) -> Tensor:
    """1 where a node (row) is within so many hops of a centre (column), (B, N, N)."""
    return pad_rows(graphs, reach(graphs, _centres(graphs), hops).to(torch.get_default_dtype()))


def walk_incidence(graphs: GraphBatch, steps: int) -> Tensor:
    """How often a random walk from a centre (column) is expected at a node (row) per step, (B, N, N).

    What sampled walks would give on average: no dice, so that the answer is the same every time and does not
    depend on the order of nodes.
    """
    here = total = _centres(graphs).to(torch.get_default_dtype())
    degree = neighbour_sum(graphs, graphs.mask.unsqueeze(-1).to(here.dtype)).clamp(min=1)
    for _ in range(steps):
        here = neighbour_sum(graphs, here / degree)
        total = total + here
    return pad_rows(graphs, total / (steps + 1))


def _centres(graphs: GraphBatch) -> Tensor:
    """Every node as the centre of the hyperedge of its own number, (R, N)."""
    numbers = torch.arange(graphs.width, device=graphs.mask.device)
    return (graphs.local().unsqueeze(1) == numbers) & graphs.mask.unsqueeze(1)


class HypergraphLayer(nn.Module):
    """Hypergraph convolution: nodes to hyperedges by the mean, and back by the mean.

    Parameters
    ----------
    width : int
        Of the features, before and after.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, incidence: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
        """New features of nodes, and features of hyperedges made of those.

        Parameters
        ----------
        incidence : Tensor, (B, N, N)
            Weight of every node (row) in every hyperedge (column).
        x : Tensor, (B, N, width)
            Features of nodes.

        Returns
        -------
        tuple of Tensor, (B, N, width) each
        """
        per_edge = incidence.sum(1).unsqueeze(-1).clamp(min=1e-12)
        per_node = incidence.sum(2).unsqueeze(-1).clamp(min=1e-12)
        x = torch.relu(incidence @ (incidence.mT @ self.linear(x) / per_edge) / per_node)
        return x, incidence.mT @ x / per_edge
