"""GATv2 attention in one pass over the neighbours of every row, and its gradient in another.

The weights of the arcs are never stored. Forward, a row keeps the largest score so far and rescales what it
has summed when a larger one comes; it leaves the logarithm of its sum behind. Backward, every weight is
computed again from that. As every edge goes both ways, the arcs out of a row are those into it turned round,
so that one loop collects the gradient of both ends and nothing is added across programs.
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

# So many neighbours at once: most rows have no more, and a hub does not wait for every single one.
_AT_ONCE = 8


@triton.jit
def _forward(  # type: ignore[no-untyped-def]
    source, end, attention, out, logsum, first, last, base, neighbours, width, slope,
    AT_ONCE: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    column = tl.arange(0, COLUMNS)
    live = column < width
    weight = tl.load(attention + column, mask=live, other=0.0)
    mine = tl.load(end + row * width + column, mask=live, other=0.0)
    total = tl.load(source + row * width + column, mask=live, other=0.0)
    loop = total + mine
    peak = tl.sum(weight * tl.where(loop > 0, loop, slope * loop), 0)
    mass = peak * 0.0 + 1.0
    start, stop = tl.load(base + row), tl.load(last + row)
    for begin in range(tl.load(first + row), stop, AT_ONCE):
        arc = begin + tl.arange(0, AT_ONCE)
        there = arc < stop
        other = start + tl.load(neighbours + arc, mask=there, other=0)
        place = other[:, None] * width + column[None, :]
        theirs = tl.load(source + place, mask=there[:, None] & live[None, :], other=0.0)
        z = theirs + mine[None, :]
        score = tl.sum(weight[None, :] * tl.where(z > 0, z, slope * z), 1)
        score = tl.where(there, score, float("-inf"))
        higher = tl.maximum(peak, tl.max(score, 0))
        fade, share = tl.exp(peak - higher), tl.exp(score - higher)
        total = total * fade + tl.sum(theirs * share[:, None], 0)
        mass = mass * fade + tl.sum(share, 0)
        peak = higher
    tl.store(out + row * width + column, total / mass, mask=live)
    tl.store(logsum + row, peak + tl.log(mass))


@triton.jit
def _backward(  # type: ignore[no-untyped-def]
    source, end, attention, logsum, grad, inner, source_grad, end_grad, attention_grad,
    first, last, base, neighbours, width, slope, AT_ONCE: tl.constexpr, COLUMNS: tl.constexpr,
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
    loop = my_source + my_end
    loop_bent = tl.where(loop > 0, loop, slope * loop)
    loop_share = tl.exp(tl.sum(weight * loop_bent, 0) - my_logsum)
    loop_score = loop_share * (tl.sum(my_grad * my_source, 0) - my_inner)
    to_end = tl.where(loop > 0, weight, slope * weight) * loop_score
    to_source = loop_share * my_grad + to_end
    to_attention = loop_score * loop_bent
    start, stop = tl.load(base + row), tl.load(last + row)
    for begin in range(tl.load(first + row), stop, AT_ONCE):
        arc = begin + tl.arange(0, AT_ONCE)
        there = arc < stop
        other = start + tl.load(neighbours + arc, mask=there, other=0)
        place = other[:, None] * width + column[None, :]
        both = there[:, None] & live[None, :]
        their_source = tl.load(source + place, mask=both, other=0.0)
        their_end = tl.load(end + place, mask=both, other=0.0)
        their_grad = tl.load(grad + place, mask=both, other=0.0)
        # The arcs into this row.
        z = their_source + my_end[None, :]
        bent = tl.where(z > 0, z, slope * z)
        share = tl.where(there, tl.exp(tl.sum(weight[None, :] * bent, 1) - my_logsum), 0.0)
        by_score = share * (tl.sum(my_grad[None, :] * their_source, 1) - my_inner)
        to_end += tl.sum(tl.where(z > 0, weight[None, :], slope * weight[None, :]) * by_score[:, None], 0)
        to_attention += tl.sum(by_score[:, None] * bent, 0)
        # The arcs out of it.
        their_logsum = tl.load(logsum + other, mask=there, other=0.0)
        their_inner = tl.load(inner + other, mask=there, other=0.0)
        z = my_source[None, :] + their_end
        bent = tl.where(z > 0, z, slope * z)
        share = tl.where(there, tl.exp(tl.sum(weight[None, :] * bent, 1) - their_logsum), 0.0)
        by_score = share * (tl.sum(their_grad * my_source[None, :], 1) - their_inner)
        pull = tl.where(z > 0, weight[None, :], slope * weight[None, :]) * by_score[:, None]
        to_source += tl.sum(share[:, None] * their_grad + pull, 0)
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
        ctx.shape = {"AT_ONCE": _AT_ONCE, "COLUMNS": triton.next_power_of_2(width), "num_warps": 1}
        _forward[(rows,)](source, end, attention, out, logsum, *links, width, slope, **ctx.shape)
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
        _backward[(rows,)](
            source, end, attention, logsum, grad, inner, *grads, *links, width, ctx.slope, **ctx.shape
        )
        return grads[0], grads[1], grads[2].sum(0), None, None
