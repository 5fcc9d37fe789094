"""Graphs of several parts, such as salts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.graphset import GraphSet

__all__ = ["in_pieces"]


def in_pieces(graphs: GraphSet) -> NDArray[np.int64]:
    """Positions of the graphs that are not connected.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> in_pieces(GraphSet([Graph(["Na", "Cl"]), Graph(["C", "O"], [(0, 1)]), Graph(["C"])])).tolist()
    [0]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    offsets = graphs.node_offsets - graphs.node_offsets[0]
    edges = graphs.edges[int(graphs.edge_offsets[0]) : int(graphs.edge_offsets[-1])]
    base = np.repeat(offsets[:-1], graphs.num_edges)
    ends = base + edges[:, 0], base + edges[:, 1]
    nodes = int(offsets[-1])
    table = coo_array((np.ones(len(edges), dtype=np.int8), ends), shape=(nodes, nodes))
    _, piece = connected_components(table, directed=False)
    owner = np.repeat(np.arange(len(graphs)), graphs.num_nodes)
    first = np.unique(piece, return_index=True)[1]  # a node of every piece
    return np.flatnonzero(np.bincount(owner[first], minlength=len(graphs)) > 1)
