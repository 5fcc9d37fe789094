"""The first features of pairs (query node, target node): what the two nodes and their neighbours tell."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from prune4sed.nn import kernels
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.bend import Bend
from prune4sed.nn.neighbours import neighbour_sum
from prune4sed.nn.padding import pad_rows, unpad_rows
from prune4sed.nn.relations import RelatedNodes

__all__ = ["NodeFacts", "PairStart", "node_facts"]

# Neighbours of one label are counted up to this many.
_MOST = 8


class NodeFacts(NamedTuple):
    """What is known about nodes without learning.

    Attributes
    ----------
    labels : Tensor of int64, (...)
        Label numbers; -1 where there is no node.
    degrees : Tensor, (...)
        Numbers of neighbours.
    around : Tensor, (..., labels * 8)
        For every label and number i up to 8, a 1 if at least i neighbours have it.
    features : Tensor, (..., width)
        Learnt ones.
    """

    labels: Tensor
    degrees: Tensor
    around: Tensor
    features: Tensor


def node_facts(graphs: GraphBatch, labels: int, features: Tensor) -> NodeFacts:
    """Facts of all rows of a batch."""
    with torch.no_grad():
        hot = nn.functional.one_hot(graphs.labels, max(1, labels)).to(features.dtype)
        counts = neighbour_sum(graphs, hot * graphs.mask.unsqueeze(1))
        steps = torch.arange(1, _MOST + 1, device=counts.device)
        around = (counts.unsqueeze(-1) >= steps - 0.5).to(features.dtype).flatten(1)
    return NodeFacts(graphs.labels.where(graphs.mask, -1), counts.sum(1), around, features)


class PairStart(nn.Module):
    """Pair features out of node features and of what can be counted: equal labels, degrees, like neighbours.

    Parameters
    ----------
    query_width, target_width : int
        Of the learnt node features.
    width : int
        Of the pair features.
    relations : int
        How many kinds of related nodes are counted beside neighbours.
    leak : float
        What is let through of negative numbers.
    """

    def __init__(
        self, query_width: int, target_width: int, width: int, relations: int = 0, leak: float = 0.0
    ) -> None:
        super().__init__()
        self.query = nn.Linear(query_width + 2 + relations, 2 * width)
        self.target = nn.Linear(target_width + 2 + relations, 2 * width, bias=False)
        self.both = nn.Linear(5 + 4 * relations, 2 * width, bias=False)
        self.deleted = nn.Parameter(torch.zeros(2 * width).uniform_(-0.1, 0.1))
        self.bend = Bend(2 * width, leak)
        self.out = nn.Linear(2 * width, width)

    def forward(
        self,
        queries: GraphBatch,
        query: NodeFacts,
        target: NodeFacts,
        log_keep: Tensor,
        sizes: Tensor,
        related: tuple[RelatedNodes, RelatedNodes] | None = None,
    ) -> Tensor:
        """Features of all pairs, those with "deleted" first.

        Parameters
        ----------
        queries : GraphBatch
            The queries of B pairs, in R rows.
        query, target : NodeFacts
            Of the R rows, and of (B, K) target nodes.
        log_keep : Tensor, (B, K)
            Logarithms of keep probabilities.
        sizes : Tensor of int64, (B,)
            Nodes of the whole targets.
        related : two RelatedNodes, optional
            Of the queries, and of the 1 + K candidates; to be given if there are relations.

        Returns
        -------
        Tensor, (R, 1 + K, width)
        """
        # How much larger the target is: whether anything must be deleted.
        room = ((sizes - queries.sizes) / (sizes + queries.sizes).clamp(min=1))[queries.graph_of]
        ours = [query.features, query.degrees.log1p().unsqueeze(1), room.unsqueeze(1)]
        theirs = [target.features, target.degrees.log1p().unsqueeze(-1), log_keep.unsqueeze(-1)]
        counted = _counted(queries, query, target)
        if related is not None:
            ours.append(_of_rows(queries, related[0].counts).log1p() / 2)
            theirs.append(related[1].counts[..., 1:].permute(1, 2, 0).log1p() / 2)
            counted = torch.cat([counted, _related(queries, *related)], -1)
        of_query = self.query(torch.cat(ours, -1))
        of_target = self.target(torch.cat(theirs, -1))
        of_target = torch.cat([self.deleted.to(of_target.dtype).expand(len(of_target), 1, -1), of_target], 1)
        if kernels.usable(of_query.device) and kernels.fits_pairs(of_query, self.out.out_features):
            layers = self.both.weight, self.out.weight, self.out.bias
            batch = queries.starts, queries.graph_of
            return kernels.pair_start(of_query, of_target, counted, layers, batch, self.bend.slopes(of_query))
        both = self.both(counted)
        whole = of_query.unsqueeze(1) + of_target.index_select(0, queries.graph_of) + both
        out: Tensor = self.out(self.bend(whole))
        return out


@torch.no_grad()
def _counted(queries: GraphBatch, query: NodeFacts, target: NodeFacts) -> Tensor:
    """What can be counted about each pair, (R, 1 + K, 5); nothing is like "deleted"."""
    labels, degrees = (x.index_select(0, queries.graph_of) for x in (target.labels, target.degrees))
    equal = (query.labels.unsqueeze(1) == labels).to(degrees.dtype)
    alike = unpad_rows(queries, pad_rows(queries, query.around) @ target.around.mT)
    ours = query.degrees.unsqueeze(1)
    equal, alike, common = (
        nn.functional.pad(x, (1, 0)) for x in (equal, alike.to(ours.dtype), torch.minimum(ours, degrees))
    )
    return torch.stack([equal, alike, common, ours - alike, ours - common], -1) / 4


@torch.no_grad()
def _related(queries: GraphBatch, query: RelatedNodes, candidates: RelatedNodes) -> Tensor:
    """The same about related nodes: for each relation what both have, and what the candidate lacks."""
    agreed = _of_rows(queries, query.in_common(candidates))
    wanted, ours = (_of_rows(queries, x).unsqueeze(-1) for x in (query.wanted, query.counts))
    common = torch.minimum(ours, candidates.counts.transpose(0, 1).index_select(0, queries.graph_of))
    return torch.cat([agreed, common, wanted - agreed, ours - common], 1).log1p().mT / 2


def _of_rows(queries: GraphBatch, x: Tensor) -> Tensor:
    """What is told by relation, (relations, B, N, ...), for every row, (R, relations, ...)."""
    return unpad_rows(queries, x.movedim(0, 2))
