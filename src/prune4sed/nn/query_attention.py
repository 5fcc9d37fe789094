"""Query-aware learning (QAL): target nodes look at the query and are scaled by what they find."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from prune4sed.nn.batch_norm import MaskedBatchNorm

__all__ = ["CrossAttention", "QueryAttention"]


class CrossAttention(nn.Module):
    """Multi-head attention of target nodes over query nodes and one zero key.

    Equal to ``torch.nn.MultiheadAttention`` with ``add_zero_attn=True``, whose parameters have the same
    names. The zero key lets a node look at nothing, so a query without nodes is fine.

    Parameters
    ----------
    width : int
        Of all features.
    heads : int
        How many; `width` is a multiple.
    """

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.heads = heads
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * width))
        self.out_proj = nn.Linear(width, width)
        nn.init.xavier_uniform_(self.in_proj_weight)
        nn.init.zeros_(self.out_proj.bias)

    def forward(self, target: Tensor, query: Tensor, query_mask: Tensor) -> Tensor:
        """Attend.

        Parameters
        ----------
        target : Tensor, (B, Nt, width)
            Who looks.
        query : Tensor, (B, Nq, width)
            What is looked at.
        query_mask : Tensor of bool, (B, Nq)
            Which query nodes are real.

        Returns
        -------
        Tensor, (B, Nt, width)
        """
        width = target.shape[-1]
        asked = nn.functional.linear(target, self.in_proj_weight[:width], self.in_proj_bias[:width])
        told = nn.functional.linear(query, self.in_proj_weight[width:], self.in_proj_bias[width:])
        # One row of zeros more: the zero key and its zero value.
        key, value = (self._split(nn.functional.pad(x, (0, 0, 0, 1))) for x in told.chunk(2, -1))
        seen = nn.functional.pad(query_mask, (0, 1), value=True)[:, None, None, :]
        found = nn.functional.scaled_dot_product_attention(self._split(asked), key, value, attn_mask=seen)
        out: Tensor = self.out_proj(found.transpose(1, 2).flatten(2))
        return out

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)


class QueryAttention(nn.Module):
    """A QAL block: attention, a weight between 0 and 1 per target node, scaling, batch normalisation.

    Parameters
    ----------
    width : int
        Of all features.
    heads : int
        Of the attention.
    """

    def __init__(self, width: int, heads: int = 4) -> None:
        super().__init__()
        self.attention = CrossAttention(width, heads)
        self.weigh = nn.Linear(width, 1)
        self.norm = MaskedBatchNorm(width)

    def forward(self, target: Tensor, target_mask: Tensor, query: Tensor, query_mask: Tensor) -> Tensor:
        """New features of the target nodes.

        Parameters
        ----------
        target, query : Tensor, (B, Nt, width) and (B, Nq, width)
            Features.
        target_mask, query_mask : Tensor of bool, (B, Nt) and (B, Nq)
            Which nodes are real.

        Returns
        -------
        Tensor, (B, Nt, width)
        """
        weight = torch.sigmoid(self.weigh(self.attention(target, query, query_mask)))
        out: Tensor = self.norm(weight * target, target_mask)
        return out
