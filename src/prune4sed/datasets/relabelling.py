"""Change the labels of a few nodes at random: queries that are nearly, but not quite, part of a molecule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets import draws
from prune4sed.datasets.draws import Stream
from prune4sed.graphset import GraphSet

__all__ = ["relabelled"]


def relabelled(
    graphs: GraphSet, usual: NDArray[np.int32], percent: int, most: int, stream: Stream
) -> GraphSet:
    """The same graphs, of which so many percent have one to `most` labels changed.

    Parameters
    ----------
    graphs : GraphSet
        Graphs that have nodes.
    usual : array of int32
        Codes to draw new labels from, as often as they come in it; every other one is drawn from the whole
        vocabulary instead, so that rare labels come too. A new label may be the old one.
    percent, most : int
        Share of graphs to change, and the most nodes to change in each.
    stream : Stream
        Where the random numbers come from.

    Examples
    --------
    >>> from prune4sed.graph import Graph
    >>> chains = GraphSet([Graph(["C"] * 5, [(i, i + 1) for i in range(4)])] * 200)
    >>> mixed = GraphSet([Graph(["C", "N"])])
    >>> both = GraphSet.concat([chains, mixed])
    >>> changed = relabelled(both, np.array([1], dtype=np.int32), 50, 2, Stream(0, 0))
    >>> bool((changed.node_labels != both.node_labels).any()), changed.num_edges.tolist() == [4] * 200 + [0]
    (True, True)
    """
    width = 2 + 3 * most
    table = draws.partners(2**31, stream, len(graphs) * width).reshape(len(graphs), width)
    changes = np.where(table[:, 0] % 100 < percent, 1 + table[:, 1] % most, 0)
    labels = graphs.node_labels[int(graphs.node_offsets[0]) : int(graphs.node_offsets[-1])].copy()
    starts = graphs.node_offsets[:-1] - graphs.node_offsets[0]
    for turn in range(most):
        rows = np.flatnonzero(changes > turn)
        node, common, code = table[rows, 2 + 3 * turn : 5 + 3 * turn].T
        fresh = np.where(common % 2 == 0, usual[code % len(usual)], code % len(graphs.node_vocabulary))
        labels[starts[rows] + node % graphs.num_nodes[rows]] = fresh
    edges = slice(int(graphs.edge_offsets[0]), int(graphs.edge_offsets[-1]))
    return GraphSet.from_arrays(
        graphs.node_offsets - graphs.node_offsets[0],
        labels,
        graphs.edge_offsets - graphs.edge_offsets[0],
        graphs.edges[edges],
        node_vocabulary=graphs.node_vocabulary,
        ids=list(graphs.ids),
    )
