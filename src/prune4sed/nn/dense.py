"""Adjacency as dense matrices, for few nodes of many graphs at once."""

from __future__ import annotations

import torch
from torch import Tensor

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.neighbours import listed

__all__ = ["adjacency"]


def adjacency(graphs: GraphBatch, place: Tensor, size: int, edge_labels: int = 0) -> Tensor:
    """Which of some nodes of every graph are neighbours.

    Parameters
    ----------
    graphs : GraphBatch
        B graphs of R rows.
    place : Tensor of int64, (R,)
        Where each row stands in its graph's matrix; `size` for rows that stand nowhere.
    size : int
        Rows and columns of a matrix.
    edge_labels : int
        How many edge labels there are; 0 for none, or to make no difference between them.

    Returns
    -------
    Tensor, (L, B, size, size)
        A 1 for every edge, in the matrix of its label; L is 1 for none.
    """
    arcs, kinds, count = listed(graphs), max(1, edge_labels), len(graphs)
    row, column, graph = place[arcs.ends], place[arcs.sources], graphs.graph_of[arcs.ends]
    kind = 0 if arcs.labels is None or not edge_labels else arcs.labels
    cell = ((kind * count + graph) * size + row) * size + column
    cells = kinds * count * size * size
    # Arcs that have no cell all go to one more, which is cut off.
    cell = cell.where(arcs.mask & (row < size) & (column < size), cells)
    flat = torch.zeros(cells + 1, device=cell.device).index_fill_(0, cell, 1.0)
    return flat[:-1].view(kinds, count, size, size)
