"""GATv2 attention in one pass over the neighbours of every row, and its gradient in another.

The weights of the arcs are never stored. Forward, a row keeps the largest score so far and rescales what it has
summed when a larger one comes; it leaves the logarithm of its sum behind. Backward, every weight is computed
again from that. As every edge goes both ways, the arcs out of a row are those into it turned round, so that one
loop collects the gradient of both ends and nothing is added across programs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton
import triton.language as tl
from torch import Tensor

if TYPE_CHECKING:
    from prune4sed.nn.arcs import Links

__all__ = ["GATv2"]


@triton.jit
def _forward(  # type: ignore[no-untyped-def]
    source, end, attention, out, logsum, first, last, base, neighbours, width, slope, COLUMNS: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, COLUMNS)
    live = column < width
    weight = tl.load(attention + column, mask=live, other=0.0)
    mine = tl.load(end + row * width + column, mask=live, other=0.0)
    total = tl.load(source + row * width + column, mask=live, other=0.0)
    z = total + mine
    peak = tl.sum(weight * tl.where(z > 0, z, slope * z), 0)
    mass = peak * 0.0 + 1.0
    start = tl.load(base + row)
    for arc in range(tl.load(first + row), tl.load(last + row)):
        other = start + tl.load(neighbours + arc)
        theirs = tl.load(source + other * width + column, mask=live, other=0.0)
        z = theirs + mine
        score = tl.sum(weight * tl.where(z > 0, z, slope * z), 0)
        higher = tl.maximum(peak, score)
        fade, share = tl.exp(peak - higher), tl.exp(score - higher)
        total = total * fade + theirs * share
        mass = mass * fade + share
        peak = higher
    tl.store(out + row * width + column, total / mass, mask=live)
    tl.store(logsum + row, peak + tl.log(mass))


@triton.jit
def _arc(theirs, mine, weight, slope, logsum, grad, inner):  # type: ignore[no-untyped-def]
    """Weight of an arc, gradient of its score, and its features after and before the slope."""
    z = theirs + mine
    bent = tl.where(z > 0, z, slope * z)
    share = tl.exp(tl.sum(weight * bent, 0) - logsum)
    score_grad = share * (tl.sum(grad * theirs, 0) - inner)
    return share, score_grad, bent, tl.where(z > 0, weight, slope * weight) * score_grad


@triton.jit
def _backward(  # type: ignore[no-untyped-def]
    source, end, attention, logsum, grad, inner, source_grad, end_grad, attention_grad,
    first, last, base, neighbours, width, slope, COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, COLUMNS)
    live = column < width
    weight = tl.load(attention + column, mask=live, other=0.0)
    here = row * width + column
    my_source = tl.load(source + here, mask=live, other=0.0)
    my_end = tl.load(end + here, mask=live, other=0.0)
    my_grad = tl.load(grad + here, mask=live, other=0.0)
    my_logsum, my_inner = tl.load(logsum + row), tl.load(inner + row)
    share, by_score, bent, pull = _arc(my_source, my_end, weight, slope, my_logsum, my_grad, my_inner)
    to_source = share * my_grad + pull
    to_end = pull
    to_attention = by_score * bent
    start = tl.load(base + row)
    for arc in range(tl.load(first + row), tl.load(last + row)):
        other = start + tl.load(neighbours + arc)
        there = other * width + column
        their_source = tl.load(source + there, mask=live, other=0.0)
        their_end = tl.load(end + there, mask=live, other=0.0)
        their_grad = tl.load(grad + there, mask=live, other=0.0)
        # The arc into this row.
        share, by_score, bent, pull = _arc(their_source, my_end, weight, slope, my_logsum, my_grad, my_inner)
        to_end += pull
        to_attention += by_score * bent
        # The arc out of it.
        their_logsum, their_inner = tl.load(logsum + other), tl.load(inner + other)
        share, by_score, bent, pull = _arc(
            my_source, their_end, weight, slope, their_logsum, their_grad, their_inner
        )
        to_source += share * their_grad + pull
    tl.store(source_grad + here, to_source, mask=live)
    tl.store(end_grad + here, to_end, mask=live)
    tl.store(attention_grad + here, to_attention, mask=live)


class GATv2(torch.autograd.Function):
    """Features of sources and ends (R, width) and the attention vector (width,) to (R, width)."""

    @staticmethod
    def forward(
        ctx: Any, source: Tensor, end: Tensor, attention: Tensor, links: Links, slope: float
    ) -> Tensor:
        source, end, attention = source.contiguous(), end.contiguous(), attention.contiguous()
        rows, width = source.shape
        out, logsum = torch.empty_like(source), source.new_empty(rows)
        if rows:
            columns = triton.next_power_of_2(width)
            _forward[(rows,)](
                source, end, attention, out, logsum, *links, width, slope, COLUMNS=columns, num_warps=1
            )
        ctx.slope = slope
        ctx.save_for_backward(source, end, attention, out, logsum, *links)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, Tensor, None, None]:
        source, end, attention, out, logsum, *links = ctx.saved_tensors
        grad = grad.contiguous()
        rows, width = source.shape
        inner = (grad * out).sum(1)
        grads = tuple(torch.empty_like(source) for _ in range(3))
        if rows:
            columns = triton.next_power_of_2(width)
            _backward[(rows,)](
                source, end, attention, logsum, grad, inner, *grads, *links, width, ctx.slope,
                COLUMNS=columns, num_warps=1,
            )  # fmt: skip
        return grads[0], grads[1], grads[2].sum(0), None, None
