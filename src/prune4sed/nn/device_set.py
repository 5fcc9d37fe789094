"""A set of graphs as arrays on a device, put there once and batched from there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from prune4sed.graphset import GraphSet
from prune4sed.nn.vocabulary import Vocabulary

__all__ = ["DeviceSet"]

Longs = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class DeviceSet:
    """Flat arrays of many graphs on one device, and their sizes on the host.

    An undirected edge is two arcs, one each way. Arcs are sorted by where they end, so that a node finds the
    arcs into it side by side.

    Attributes
    ----------
    node_starts : Tensor of int64, (graphs + 1,)
        Graph ``i`` owns nodes ``node_starts[i]:node_starts[i + 1]``.
    labels : Tensor of int64, (nodes,)
        Numbers in the model's vocabulary.
    arc_starts : Tensor of int64, (nodes + 1,)
        Node ``v`` is where arcs ``arc_starts[v]:arc_starts[v + 1]`` end.
    sources : Tensor of int64, (arcs,)
        Where each arc starts: a node number within the graph.
    arc_labels : Tensor of int64, (arcs,), or None
        Numbers in the model's edge vocabulary.
    num_nodes, num_arcs : array of int64, (graphs,)
        Sizes on the host: shapes are chosen by them without waiting for the device.
    """

    node_starts: Tensor
    labels: Tensor
    arc_starts: Tensor
    sources: Tensor
    arc_labels: Tensor | None
    num_nodes: Longs
    num_arcs: Longs

    @classmethod
    def of(cls, graphs: GraphSet, vocabulary: Vocabulary, device: torch.device | str = "cpu") -> DeviceSet:
        """Recode the labels of a set and move it to the device.

        Raises
        ------
        GraphError
            If a graph has a label that the vocabulary lacks.
        """
        graphs.validate()
        labels, bonds = vocabulary.node_codes(graphs), vocabulary.edge_codes(graphs)
        node_starts = np.asarray(graphs.node_offsets - graphs.node_offsets[0], dtype=np.int64)
        sources, ends, order = _arcs(graphs, node_starts)

        def put(array: NDArray[np.int64]) -> Tensor:
            return torch.tensor(array, dtype=torch.int64, device=device)

        return cls(
            node_starts=put(node_starts),
            labels=put(labels),
            arc_starts=put(np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=node_starts[-1]))])),
            sources=put(sources),
            arc_labels=None if bonds is None else put(np.concatenate([bonds, bonds])[order]),
            num_nodes=graphs.num_nodes,
            num_arcs=2 * graphs.num_edges,
        )

    def __len__(self) -> int:
        return len(self.num_nodes)

    @property
    def device(self) -> torch.device:
        """Where the arrays are."""
        return self.labels.device

    @property
    def largest(self) -> int:
        """Nodes of the largest graph, and at least 1."""
        return max(1, int(self.num_nodes.max(initial=1)))


def _arcs(graphs: GraphSet, node_starts: Longs) -> tuple[Longs, Longs, Longs]:
    """Sources (within the graph) and ends (of all nodes) of all arcs, and which edge every arc comes from."""
    first, last = int(graphs.edge_offsets[0]), int(graphs.edge_offsets[-1])
    edges = graphs.edges[first:last].astype(np.int64)
    shift = np.tile(np.repeat(node_starts[:-1], graphs.num_edges), 2)
    sources = np.concatenate([edges[:, 0], edges[:, 1]])
    ends = np.concatenate([edges[:, 1], edges[:, 0]]) + shift
    # By end, then by source: as one number each, for that is sorted several times as fast as two.
    order = np.argsort(ends * (1 + sources.max(initial=0)) + sources)
    return sources[order], ends[order], order
