"""Query-aware learning (QAL): target nodes look at the query and are scaled by what they find."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from prune4sed.nn import kernels
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.batch_norm import MaskedBatchNorm
from prune4sed.nn.bend import Bend
from prune4sed.nn.mlp import mlp
from prune4sed.nn.on_cpu import engine_teaches
from prune4sed.nn.padding import pad_rows, padded_mask, unpad_rows
from prune4sed.nn.taught_on_cpu import query_means

__all__ = ["CrossAttention", "QueryAttention", "QueryView"]


class QueryView(NamedTuple):
    """What target nodes look at.

    Attributes
    ----------
    told : Tensor, (Rq, 2 * width)
        Keys and values of query nodes, from `CrossAttention.tell`.
    queries : GraphBatch
        Whose rows those are.
    query_of : Tensor of int64, (targets,), or None
        Which query belongs to each target; None if the i-th belongs to the i-th.
    """

    told: Tensor
    queries: GraphBatch
    query_of: Tensor | None = None


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

    def tell(self, query: Tensor) -> Tensor:
        """Keys and values, side by side, of query nodes: (Rq, width) to (Rq, 2 * width)."""
        width = query.shape[-1]
        return nn.functional.linear(query, self.in_proj_weight[width:], self.in_proj_bias[width:])

    def look(self, target: Tensor, targets: GraphBatch, view: QueryView) -> Tensor:
        """What every target node finds, before the last linear layer: (R, width) to (R, width)."""
        width = target.shape[-1]
        weight, bias = self.in_proj_weight[:width], self.in_proj_bias[:width]
        if kernels.usable(target.device):
            starts, largest = (targets.starts, view.queries.starts), (targets.largest, view.queries.largest)
            asked = nn.functional.linear(target, weight), bias
            return kernels.attend(asked, view.told, *starts, view.query_of, self.heads, largest)
        return self._plain(nn.functional.linear(target, weight, bias), targets, view)

    def _plain(self, asked: Tensor, targets: GraphBatch, view: QueryView) -> Tensor:
        if engine_teaches(asked) and (view.query_of is None or not torch.is_grad_enabled()):
            return query_means(asked, targets, view, self.heads)
        return unpad_rows(targets, self._padded(pad_rows(targets, asked), view))

    def _padded(self, asked: Tensor, view: QueryView) -> Tensor:
        told = pad_rows(view.queries, view.told)
        # One row of zeros more: the zero key and its zero value.
        key, value = (self._split(nn.functional.pad(x, (0, 0, 0, 1))) for x in told.chunk(2, -1))
        seen = nn.functional.pad(padded_mask(view.queries), (0, 1), value=True)[:, None, None, :]
        if view.query_of is not None:
            key, value, seen = (x.index_select(0, view.query_of) for x in (key, value, seen))
        found = nn.functional.scaled_dot_product_attention(self._split(asked), key, value, attn_mask=seen)
        return found.transpose(1, 2).flatten(2)

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, target: Tensor, targets: GraphBatch, view: QueryView) -> Tensor:
        """Attend.

        Parameters
        ----------
        target : Tensor, (R, width)
            Who looks.
        targets : GraphBatch
            Whose rows those are.
        view : QueryView
            What is looked at.

        Returns
        -------
        Tensor, (R, width)
        """
        out: Tensor = self.out_proj(self.look(target, targets, view))
        return out


class QueryAttention(nn.Module):
    """A QAL block: attention, a weight between 0 and 1 per target node, scaling, batch normalisation.

    Parameters
    ----------
    width : int
        Of all features.
    heads : int
        Of the attention.
    add : bool
        Whether what a node found is added to its scaled features, which the paper does not do.
    leak : float
        What is let through of negative numbers; nothing in the paper.
    """

    def __init__(self, width: int, heads: int = 4, add: bool = False, leak: float = 0.0) -> None:
        super().__init__()
        self.add = add
        self.attention = CrossAttention(width, heads)
        self.weigh = mlp(width, width, 1, leak=leak)
        self.norm = MaskedBatchNorm(width)

    def forward(self, target: Tensor, targets: GraphBatch, view: QueryView) -> Tensor:
        """New features of the target nodes, (R, width); parameters as for `CrossAttention`."""
        found = self.attention.look(target, targets, view)
        scaled = self._weighed(found, target)
        if self.add:
            scaled = scaled + self.attention.out_proj(found)
        out: Tensor = self.norm(scaled, targets.mask)
        return out

    def _weighed(self, found: Tensor, target: Tensor) -> Tensor:
        """The target's rows, each times its weight."""
        weight, bias = self.as_linear()
        _, bend, last = self.weigh
        assert isinstance(last, nn.Linear)
        if kernels.usable(target.device):
            hidden = nn.functional.linear(found, weight)
            slope = bend.slopes(hidden) if isinstance(bend, Bend) else hidden.new_zeros(hidden.shape[1])
            return kernels.gate(hidden, target, (bias, last.weight, last.bias), slope)
        hidden = bend(nn.functional.linear(found, weight, bias))
        return torch.sigmoid(last(hidden)) * target

    def as_linear(self) -> tuple[Tensor, Tensor]:
        """The last layer of the attention and the first of the perceptron, both linear, as one."""
        last, first = self.attention.out_proj, self.weigh[0]
        assert isinstance(first, nn.Linear)
        return first.weight @ last.weight, first.weight @ last.bias + first.bias
