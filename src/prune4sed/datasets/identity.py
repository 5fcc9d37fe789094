"""What raw data is known by: how much it holds, and a hash of all of it."""

from __future__ import annotations

import hashlib

import numpy as np

from prune4sed.datasets.catalogue import Counts
from prune4sed.datasets.network import Network
from prune4sed.graphset import GraphSet

__all__ = ["counts_of", "digest"]


def counts_of(source: Network | GraphSet) -> Counts:
    """Count what was read."""
    if isinstance(source, Network):
        return Counts(len(source), source.num_edges, len(np.unique(source.labels)))
    nodes, edges = int(source.num_nodes.sum()), int(source.num_edges.sum())
    used = np.unique(source.node_labels[int(source.node_offsets[0]) : int(source.node_offsets[-1])])
    return Counts(nodes, edges, len(used), graphs=len(source))


def digest(source: Network | GraphSet) -> str:
    """A short hash of the graphs in their order; equal graphs have equal hashes on every machine.

    Two files with the same graphs in another numbering differ in it, and so do pairs sampled from them.
    """
    text = hashlib.sha256()
    if isinstance(source, Network):
        arrays = [source.starts, source.neighbours, source.labels]
    else:
        text.update("\n".join(map(str, source.node_vocabulary)).encode())
        arrays = [source.node_offsets, source.node_labels, source.edge_offsets, source.edges]
    for array in arrays:
        text.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return text.hexdigest()[:16]
