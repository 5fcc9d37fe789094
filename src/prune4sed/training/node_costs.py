"""What every query node costs in a known match: the node itself, and half of each of its edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.nn.device_set import DeviceSet

__all__ = ["node_costs"]

Longs = NDArray[np.int64]

# Pairs that are looked at together.
_AT_ONCE = 10_000


def node_costs(queries: DeviceSet, targets: DeviceSet, index: Longs, mapping: Longs) -> NDArray[np.float32]:
    """Unit costs of all query nodes under given mappings; those of a pair add up to the cost of its mapping.

    Parameters
    ----------
    queries, targets : DeviceSet
        The graphs.
    index : array of int64, (pairs, 2)
        Positions of query and target.
    mapping : array of int64, (pairs, most query nodes)
        Target node of every query node; -1 for none.

    Returns
    -------
    array of float32, (pairs, most query nodes)
        0 where there is no node.
    """
    ours, theirs = _Arrays(queries), _Arrays(targets)
    parts = [
        _some(ours, theirs, index[i : i + _AT_ONCE], mapping[i : i + _AT_ONCE])
        for i in range(0, len(index), _AT_ONCE)
    ]
    return np.concatenate(parts) if parts else np.zeros(mapping.shape, np.float32)


class _Arrays:
    """The arrays of a set on the host, with a number for every arc that rises along the list."""

    def __init__(self, graphs: DeviceSet) -> None:
        names = ("node_starts", "labels", "arc_starts", "sources")
        self.node_starts, self.labels, self.arc_starts, self.sources = (
            getattr(graphs, name).cpu().numpy() for name in names
        )
        self.bonds = None if graphs.arc_labels is None else graphs.arc_labels.cpu().numpy()
        ends = np.repeat(np.arange(len(self.labels)), np.diff(self.arc_starts))
        self.step = graphs.largest
        self.keys = ends * self.step + self.sources

    def find(self, ends: Longs, sources: Longs) -> tuple[NDArray[np.bool_], Longs]:
        """Whether there is an arc to a node from a node of its graph, and where in the list."""
        if not len(self.keys):
            return np.zeros(len(ends), np.bool_), np.zeros(len(ends), np.int64)
        keys = ends * self.step + sources
        at = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        return self.keys[at] == keys, at


def _some(ours: _Arrays, theirs: _Arrays, index: Longs, mapping: Longs) -> NDArray[np.float32]:
    costs = np.zeros(mapping.shape, np.float32)
    pair, node = _ranges(ours.node_starts[index[:, 0]], ours.node_starts[index[:, 0] + 1])
    local = node - ours.node_starts[index[pair, 0]]
    image = mapping[pair, local]
    base = theirs.node_starts[index[pair, 1]]
    there = image >= 0
    same = there.copy()
    same[there] = theirs.labels[(base + image)[there]] == ours.labels[node[there]]
    costs[pair, local] = ~same
    row, arc = _ranges(ours.arc_starts[node], ours.arc_starts[node + 1])
    other = mapping[pair[row], ours.sources[arc]]
    both = there[row] & (other >= 0)
    found, at = theirs.find(np.where(both, base[row] + image[row], 0), np.where(both, other, 0))
    found &= both
    if ours.bonds is not None and theirs.bonds is not None:
        found[found] = theirs.bonds[at[found]] == ours.bonds[arc[found]]
    np.add.at(costs, (pair[row], local[row]), np.where(found, 0.0, 0.5).astype(np.float32))
    return costs


def _ranges(first: Longs, last: Longs) -> tuple[Longs, Longs]:
    """All numbers of several ranges, and which range each is of."""
    sizes = last - first
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return owner, np.arange(len(owner)) + (first - (np.cumsum(sizes) - sizes))[owner]
