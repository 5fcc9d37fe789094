"""Batches in which pairs that teach more for their cost come more often, and count less in return."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from prune4sed.training.strata import Longs, Strata, by_size

__all__ = ["WeightedStrata", "new_strata", "often_if_hard", "often_if_thrifty"]

Doubles = NDArray[np.float64]


def often_if_thrifty(query_nodes: Longs, target_nodes: Longs, thrift: float) -> Doubles:
    """How often to draw pairs by the sizes of their graphs alone.

    The mean of a batch's losses has the least variance for the time it takes if a pair is drawn in proportion
    to its usual error over the square root of its cost. The error grows about as the query does, the cost as
    both graphs do, so a pair is drawn in proportion to a power of ``query nodes^2 / all nodes``.
    """
    query, target = np.maximum(query_nodes, 1), np.maximum(target_nodes, 1)
    often: Doubles = (query**2 / (query + target)) ** thrift
    return often


def often_if_hard(errors: NDArray[np.floating], focus: float) -> Doubles:
    """How often to draw pairs by what the model gets wrong about them before training goes on.

    A good model errs on few pairs: drawn alike, most of a batch teaches it nothing. `focus` times the usual
    error is added to all, for errors change in training.

    Examples
    --------
    >>> often_if_hard(np.array([0.0, 3.0, 0.0, -4.0]), 0.4).tolist()
    [1.0, 3.1622776601683795, 1.0, 4.123105625617661]
    """
    squares = np.square(errors, dtype=np.float64)
    # Where there is no error at all, every pair is as good as any other.
    often: Doubles = np.sqrt(squares + max(focus**2 * squares.mean(), np.finfo(np.float64).tiny))
    return often


@dataclass(frozen=True, eq=False)
class WeightedStrata(Strata):
    """Strata that are drawn equally often, but have unlike numbers of pairs.

    The loss of a pair is divided by how often it is drawn, so a batch's loss is, on average, the mean loss of
    all pairs as ever.

    Pairs lie in the order of their size on a line, each as long as it is drawn often; the line is cut into as
    many pieces of one length as a batch has pairs, and a step takes a point of each.

    Attributes
    ----------
    ends : array of float64, (pairs,)
        Where each pair of the order ends on a line of the length `batch_size`.
    weights : array of float64, (pairs,)
        How much the loss of every pair counts, in the order in which the pairs were given.

    Examples
    --------
    >>> queries, targets = np.array([3, 3, 3, 3]), np.array([6, 6, 6, 78])
    >>> often = often_if_thrifty(queries, targets, thrift=0.5)
    >>> strata = WeightedStrata.cut(queries, targets, batch_size=2, often=often)
    >>> strata.ends.round(2).tolist(), strata.weights.round(2).tolist()
    ([0.6, 1.2, 1.8, 2.0], [0.83, 0.83, 0.83, 2.5])
    """

    ends: Doubles
    weights: Doubles

    @classmethod
    def cut(
        cls, query_nodes: Longs, target_nodes: Longs, batch_size: int, often: Doubles, both: bool = False
    ) -> WeightedStrata:
        """Lay pairs on the line.

        Parameters
        ----------
        query_nodes, target_nodes : array of int64, (pairs,)
            Sizes of the two graphs of every pair.
        batch_size : int
            How many pieces; fewer if there are not as many pairs.
        often : array of float64, (pairs,)
            To be drawn in proportion to it.
        both : bool
            Whether queries of a stratum are to be of like size too, as for `Strata.of`.
        """
        order, size = by_size(query_nodes, target_nodes, batch_size, often, both)
        often = often / often.mean()
        ends = np.cumsum(often[order])
        return cls(order, size, ends * (size / ends[-1]), 1 / often)

    def epoch(self, seed: int, epoch: int) -> Tensor:
        """Rows of pairs in the order in which an epoch takes them; as for `Strata`."""
        generator = torch.Generator().manual_seed(seed * self.STREAM + epoch + 1)
        shape = self.batch_size, self.steps
        points = torch.rand(shape, generator=generator, dtype=torch.float64).numpy()
        points += np.arange(self.batch_size)[:, None]
        return torch.from_numpy(self.order[self._at(points)])

    def _at(self, points: Doubles) -> Longs:
        """Which pairs of the order lie at points of the line."""
        found = np.searchsorted(self.ends, points, side="right")
        return np.minimum(found, len(self.order) - 1).astype(np.int64)

    def _ranges(self) -> list[tuple[int, int]]:
        cuts = np.arange(self.batch_size + 1, dtype=np.float64)
        first, last = self._at(cuts[:-1]), self._at(cuts[1:])
        return [(int(a), int(b) + 1) for a, b in zip(first, last, strict=True)]


def new_strata(
    query_nodes: Longs,
    target_nodes: Longs,
    batch_size: int,
    thrift: float = 0.0,
    errors: NDArray[np.floating] | None = None,
    focus: float = 0.0,
    both: bool = False,
) -> Strata:
    """Strata of pairs that are all drawn alike, or as often as their sizes and the errors on them say."""
    sizes = query_nodes, target_nodes
    if not thrift and errors is None:
        return Strata.of(*sizes, batch_size, both)
    often = often_if_thrifty(*sizes, thrift)
    if errors is not None:
        often *= often_if_hard(errors, focus)
    return WeightedStrata.cut(*sizes, batch_size, often, both)
