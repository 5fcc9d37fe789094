"""Rows of graphs as one rectangle: every graph padded to the size of the largest."""

from __future__ import annotations

import torch
from torch import Tensor

from prune4sed.nn.batch import GraphBatch

__all__ = ["pad_rows", "padded_mask", "unpad_rows"]


def pad_rows(graphs: GraphBatch, x: Tensor) -> Tensor:
    """Features (R, ...) as (B, N, ...), with zeros where a graph has fewer than N nodes."""
    nodes = graphs.width
    place = graphs.graph_of * nodes + graphs.local()
    # Rows that are no nodes all go to one place more, which is cut off.
    place = place.where(graphs.mask, len(graphs) * nodes)
    padded = x.new_zeros((len(graphs) * nodes + 1, *x.shape[1:])).index_copy(0, place, x)
    return padded[:-1].view(len(graphs), nodes, *x.shape[1:])


def padded_mask(graphs: GraphBatch) -> Tensor:
    """Which places of the rectangle are nodes, (B, N)."""
    places = torch.arange(graphs.width, device=graphs.mask.device)
    return places < graphs.sizes.unsqueeze(1)


def unpad_rows(graphs: GraphBatch, x: Tensor) -> Tensor:
    """Features (B, N, ...) as (R, ...), any finite value for rows that are no nodes."""
    nodes = x.shape[1]
    place = (graphs.graph_of * nodes + graphs.local()).clamp(max=len(graphs) * nodes - 1)
    return x.flatten(0, 1).index_select(0, place)
