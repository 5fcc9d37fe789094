"""Relations between nodes that outlive a match: if all edges of the query find a partner, so do these pairs.

Messages along edges cannot tell two triangles from a ring of six. Common neighbours can: an edge that lies in
a triangle of the query needs one that lies in a triangle of the target. So do other shapes, and all that is
asked of a target node is that it has no fewer related nodes, label by label, than the query node has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

__all__ = ["KINDS", "RelatedNodes", "only_labels_of", "related_nodes", "related_size"]

#: How many relations there are.
KINDS = 10
# Related nodes of one label are told apart up to the last of these numbers; each is worth what it adds.
_STEPS = (1, 2, 3, 4, 6, 8, 12, 16)
_WORTH = tuple(b - a for a, b in zip((0, *_STEPS), _STEPS, strict=False))


class RelatedNodes(NamedTuple):
    """How many related nodes there are, of each kind of relation, for the N nodes of B graphs.

    Attributes
    ----------
    counts : Tensor, (KINDS, B, N)
        Of any label.
    reached : Tensor, (KINDS, B, N, labels * 8)
        For every label and step, a 1 if at least so many have it.
    """

    counts: Tensor
    reached: Tensor

    def in_common(self, other: RelatedNodes) -> Tensor:
        """For nodes of these and of other graphs, how many related nodes agree, label by label.

        Returns
        -------
        Tensor, (KINDS, B, N, M)
        """
        with _exact(self.reached):
            return self._worths @ other.reached.mT

    @property
    def wanted(self) -> Tensor:
        """The most that `in_common` can be, (KINDS, B, N)."""
        return self._worths.sum(-1)

    @property
    def _worths(self) -> Tensor:
        worth = _vector(_WORTH, self.reached)
        return self.reached * worth.repeat(self.reached.shape[-1] // len(_WORTH))


@torch.no_grad()
def related_nodes(edges: Tensor, labels: Tensor, count: int) -> RelatedNodes:
    """Count them.

    Parameters
    ----------
    edges : Tensor, (B, N, N)
        A 1 for every edge.
    labels : Tensor of int64, (B, N)
        Label numbers; -1 where there is no node.
    count : int
        How many labels there are.

    Returns
    -------
    RelatedNodes

    Examples
    --------
    >>> square = torch.tensor([[[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0.0]]])
    >>> found = related_nodes(square, torch.zeros(1, 4, dtype=torch.int64), 1)
    >>> found.counts[:, 0, 0].int().tolist()  # no triangle; one node is two steps away, in two ways
    [0, 0, 0, 0, 1, 1, 2, 2, 0, 0]
    """
    hot = nn.functional.one_hot(labels + 1, max(1, count) + 1)[..., 1:].to(edges.dtype)
    with _exact(edges):
        relations = _relations(edges)
        found = relations @ hot
    reached = found.unsqueeze(-1) > _vector(_STEPS, edges) - 0.5
    return RelatedNodes(relations.sum(-1), reached.to(edges.dtype).flatten(-2))


def related_size(nodes: NDArray[np.int64], labels: int) -> NDArray[np.int64]:
    """How many numbers it takes for graphs of so many nodes, more or less."""
    return KINDS * nodes * (nodes + len(_STEPS) * labels)


def only_labels_of(query: Tensor, target: Tensor, count: int) -> tuple[Tensor, Tensor, int]:
    """Numbers, and how many, for the labels of queries alone; others have nothing to agree with.

    Examples
    --------
    >>> only_labels_of(torch.tensor([[7, 2, -1]]), torch.tensor([[2, 3, 7]]), 9)
    (tensor([[ 1,  0, -1]]), tensor([[ 0, -1,  1]]), 2)
    """
    there = torch.zeros(count + 1, dtype=torch.bool).index_fill_(0, query.flatten() + 1, True)
    there[0] = False
    number = (there.cumsum(0) - 1).where(there, -1)
    return number[query + 1], number[target + 1], int(there.sum())


def _relations(edges: Tensor) -> Tensor:
    """Which nodes are related, (KINDS, B, N, N).

    Neighbours with one, two and three common neighbours or more; neighbours in a triangle whose other sides
    have two common neighbours each; nodes two steps apart, in one way and in two or more; neighbours on a
    square; nodes three steps apart, in one way (no step back) and in two or more, as across a ring of six;
    nodes both two and three steps apart, as in a ring of five. Factors are whole numbers below 2,048, which
    TF32 has exactly.
    """
    twos = edges @ edges  # common neighbours of any two nodes
    degrees = edges.sum(-1)
    back = edges * (degrees.unsqueeze(1) + degrees.unsqueeze(2) - 1)
    threes = twos @ edges - back
    for ways in (twos, threes):
        ways.diagonal(dim1=1, dim2=2).zero_()
    beside, square = edges * twos, edges * threes
    double = (beside > 1.5).to(edges.dtype)
    found = [beside, beside - 1, beside - 2, edges * (double @ double), twos, twos - 1]
    found += [square, threes, threes - 1, torch.minimum(twos, threes)]
    return (torch.stack(found) > 0.5).to(edges.dtype)


def _exact(x: Tensor) -> torch.autocast:
    """No bfloat16, which has whole numbers up to 256 only."""
    return torch.autocast(x.device.type, enabled=False)


def _vector(values: tuple[int, ...], like: Tensor) -> Tensor:
    """Numbers made where they are wanted: within a captured CUDA graph nothing can be copied there."""
    return torch.cat([torch.full((1,), float(x), device=like.device, dtype=like.dtype) for x in values])
