"""Batches with one pair out of every size class: unbiased, and all of nearly the same number of nodes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from prune4sed.errors import OptionError

__all__ = ["Strata", "by_size", "like_sizes"]

Longs = NDArray[np.int64]

# Rows of a batch come in multiples of this, which suits the matrix units of a GPU.
_MULTIPLE = 64
# A batch is worked on in two parts if that leaves no more than this share of the work.
_WORTHWHILE = 0.85


@dataclass(frozen=True, eq=False)
class Strata:
    """Pairs in the order of their size, cut into as many strata as a batch has pairs.

    Every epoch shuffles each stratum, and a step takes one pair of each. So no batch holds many large graphs
    by chance, and the number of nodes in a batch has a bound that is little over what it needs: shapes are
    the same at every step, as a captured CUDA graph demands.

    If the pairs do not divide evenly, an epoch leaves a few out, other ones every time: after any number of
    epochs no pair was drawn more than once more often than another.

    Attributes
    ----------
    order : array of int64, (pairs,)
        Rows of the pairs, by the sizes of their graphs.
    batch_size : int
        Number of strata.

    Examples
    --------
    >>> targets = np.array([90, 5, 80, 6])
    >>> strata = Strata.of(np.array([3, 3, 4, 4]), targets, batch_size=2)
    >>> strata.epoch(seed=0, epoch=0).sort(1).values
    tensor([[1, 3],
            [0, 2]])
    >>> strata.steps, strata.bound(targets)
    (2, 128)
    """

    order: Longs
    batch_size: int

    # Every use of random numbers has a stream of its own; this one orders an epoch.
    STREAM: ClassVar[int] = 1_000_003

    @classmethod
    def of(cls, query_nodes: Longs, target_nodes: Longs, batch_size: int, both: bool = False) -> Strata:
        """Sort pairs by the sizes of their graphs and cut them.

        Parameters
        ----------
        query_nodes, target_nodes : array of int64, (pairs,)
            Sizes of the two graphs of every pair.
        batch_size : int
            How many strata; fewer if there are not as many pairs.
        both : bool
            Whether queries of a stratum are to be of like size too, for models whose work grows with them.
        """
        return cls(*by_size(query_nodes, target_nodes, batch_size, np.ones(len(query_nodes)), both))

    def bound(self, counts: Longs, part: tuple[int, int] = (0, 1), among: slice = slice(None)) -> int:
        """The most that any batch adds up to, rounded up a little.

        Parameters
        ----------
        counts : array of int64, (pairs,)
            Nodes, or anything else that every pair has a number of.
        part : (int, int)
            ``(rank, world)``: count only every `world`-th stratum, from the `rank`-th on.
        among : slice
            Count only some of these.
        """
        most = sum(self.largest(counts, part)[among])
        return max(1, -(-most // _MULTIPLE)) * _MULTIPLE

    def largest(self, counts: Longs, part: tuple[int, int] = (0, 1)) -> list[int]:
        """The most that each stratum has; parameters as for `bound`."""
        return [int(counts[self.order[a:b]].max()) for a, b in self._ranges()[part[0] :: part[1]]]

    def _ranges(self) -> list[tuple[int, int]]:
        """From where to where the pairs lie that each stratum may have."""
        left_out = len(self.order) % self.batch_size
        return [(i * self.steps, (i + 1) * self.steps + left_out) for i in range(self.batch_size)]

    @property
    def steps(self) -> int:
        """Steps of an epoch."""
        return len(self.order) // self.batch_size

    def epoch(self, seed: int, epoch: int) -> Tensor:
        """Rows of pairs in the order in which an epoch takes them.

        Parameters
        ----------
        seed, epoch : int
            The same two give the same order on every machine.

        Returns
        -------
        Tensor of int64, (batch_size, steps)
            Column i is the batch of step i.
        """
        kept = torch.from_numpy(self.order[self._kept(seed, epoch)]).view(self.batch_size, self.steps)
        generator = torch.Generator().manual_seed(seed * self.STREAM + epoch + 1)
        return kept.gather(1, torch.rand(kept.shape, generator=generator).argsort(dim=1, stable=True))

    def _kept(self, seed: int, epoch: int) -> NDArray[np.bool_]:
        """All places but those left out: the next few of one fixed shuffle of all of them."""
        total, left_out = len(self.order), len(self.order) % self.batch_size
        kept = np.ones(total, dtype=np.bool_)
        if left_out:
            generator = torch.Generator().manual_seed(seed * self.STREAM)
            shuffled = torch.randperm(total, generator=generator).numpy()
            kept[shuffled[np.arange(epoch * left_out, (epoch + 1) * left_out) % total]] = False
        return kept


def by_size(
    query_nodes: Longs, target_nodes: Longs, batch_size: int, often: NDArray[np.float64], both: bool
) -> tuple[Longs, int]:
    """The order in which pairs are cut into strata, and how many of those.

    Parameters
    ----------
    query_nodes, target_nodes, batch_size, both
        As for `Strata.of`.
    often : array of float64, (pairs,)
        How often each pair is to be drawn: strata are alike in the sum of it.
    """
    if len(query_nodes) == 0:
        raise OptionError("there are no pairs to train on")
    order, size = np.lexsort((query_nodes, target_nodes)), min(batch_size, len(query_nodes))
    if both:
        # Strata in groups: by target from group to group, and by query within a group.
        middles = np.cumsum(often[order]) - often[order] / 2
        group = middles * (size / often.sum()) // math.isqrt(size)
        order = order[np.lexsort((target_nodes[order], query_nodes[order], group))]
    return order, size


def like_sizes(sizes: list[int], most: int) -> list[int]:
    """Where to cut a rising list of sizes in two so that the work on both, padded to their largest, is least.

    Two parts and not more, for each has kernels of its own to start, which small parts do not pay for.

    Parameters
    ----------
    sizes : list of int
        The largest sizes of strata.
    most : int
        What goes beyond it is cut off anyway.

    Returns
    -------
    list of int
        Ends of the parts; one part alone if a second would save little.

    Examples
    --------
    >>> like_sizes([5, 6, 9, 20, 31, 70, 90, 400], 127)
    [5, 8]
    >>> like_sizes([9, 10, 10, 10], 127)
    [4]
    """
    count, work = len(sizes), []
    for i in range(1, count + 1):
        first, rest = max(sizes[:i]), max(sizes[i:], default=0)
        work.append(i * min(first, most) + (count - i) * min(rest, most))
    best = min(range(count), key=work.__getitem__)
    return [best + 1, count] if work[best] < _WORTHWHILE * work[-1] else [count]
