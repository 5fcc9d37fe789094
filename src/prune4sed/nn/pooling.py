"""One vector per graph from the vectors of its nodes."""

from __future__ import annotations

import torch
from torch import Tensor, nn

__all__ = ["AttentionPooling", "max_pool", "mean_pool", "sum_pool"]


def mean_pool(x: Tensor, mask: Tensor) -> Tensor:
    """Mean over the real nodes: (B, N, width) and (B, N) to (B, width); 0 for a graph without nodes."""
    there = mask.unsqueeze(-1).to(x.dtype)
    return (x * there).sum(1) / there.sum(1).clamp(min=1)


def sum_pool(x: Tensor, mask: Tensor) -> Tensor:
    """Sum over the real nodes: (B, N, width) and (B, N) to (B, width)."""
    return (x * mask.unsqueeze(-1)).sum(1)


def max_pool(x: Tensor, mask: Tensor) -> Tensor:
    """Largest value over the real nodes; 0 for a graph without nodes."""
    best = x.masked_fill(~mask.unsqueeze(-1), torch.finfo(x.dtype).min).amax(1)
    return best * mask.any(1, keepdim=True)


class AttentionPooling(nn.Module):
    """SimGNN's: nodes weigh by how much they resemble a transformed mean of all nodes."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.context = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """From (B, N, width) and (B, N) to (B, width)."""
        context = torch.tanh(self.context(mean_pool(x, mask)))
        weight = torch.sigmoid((x * context.unsqueeze(1)).sum(-1)) * mask
        return (x * weight.unsqueeze(-1)).sum(1)
