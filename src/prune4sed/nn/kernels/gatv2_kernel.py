"""GATv2 attention in one pass over the neighbours of every row, and its gradient in another.

The weights of the arcs are never stored. Forward, a row keeps the largest score so far and rescales what it
has summed when a larger one comes; it leaves the logarithm of its sum behind. Backward, every weight is
computed again from that. As every edge goes both ways, the arcs out of a row are those into it turned round,
so that one loop collects the gradient of both ends and nothing is added across programs. Biases are added
here, for their gradients are sums that come up on the way, and so is the bend that follows the layer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.parts_kernel import sum_parts

if TYPE_CHECKING:
    from prune4sed.nn.arcs import Links

__all__ = ["GATv2"]

# Waiting for memory is what takes the time, so a program has some rows and loads some neighbours of each at
# once; the backward pass holds so much of every row that one neighbour at a time is quicker.
_ROWS, _AT_ONCE = 4, 4
_ROWS_BACK, _PROGRAMS = 2, 2112
_ROWS_PREPARED, _PROGRAMS_PREPARED = 32, 528


@triton.jit
def _gatv2_forward(  # type: ignore[no-untyped-def]
    both, attention, source_bias, end_bias, bias, bend, out, logsum, first, last, base, neighbours,
    rows, width, slope, AT_ONCE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    real, live = row < rows, (column < width)[None, :]
    here, there = 2 * row[:, None] * width + column[None, :], real[:, None] & live
    weight = tl.load(attention + column, mask=column < width, other=0.0)[None, :]
    shift = tl.load(source_bias + column, mask=column < width, other=0.0)[None, :]
    mine = tl.load(both + here + width, mask=there, other=0.0) + shift
    mine += tl.load(end_bias + column, mask=column < width, other=0.0)[None, :]
    total = tl.load(both + here, mask=there, other=0.0)
    loop = total + mine
    peak = tl.sum(weight * tl.where(loop > 0, loop, slope * loop), 1)
    mass = tl.zeros((ROWS,), dtype=tl.float32) + 1.0
    begin = tl.load(first + row, mask=real, other=0)
    stop = tl.load(last + row, mask=real, other=0)
    start = tl.load(base + row, mask=real, other=0)
    for step in range(0, tl.max(stop - begin, 0), AT_ONCE):
        for i in tl.static_range(AT_ONCE):
            arc = begin + step + i
            found = arc < stop
            other = start + tl.load(neighbours + arc, mask=found, other=0)
            place = both + 2 * other[:, None] * width + column[None, :]
            theirs = tl.load(place, mask=found[:, None] & live, other=0.0)
            z = theirs + mine
            score = tl.sum(weight * tl.where(z > 0, z, slope * z), 1)
            score = tl.where(found, score, float("-inf"))
            higher = tl.maximum(peak, score)
            fade, share = tl.exp(peak - higher), tl.exp(score - higher)
            total = total * fade[:, None] + theirs * share[:, None]
            mass = mass * fade + share
            peak = higher
    shift += tl.load(bias + column, mask=column < width, other=0.0)[None, :]
    value = total / mass[:, None] + shift
    bent = tl.load(bend + column, mask=column < width, other=0.0)[None, :]
    value = tl.where(value > 0, value, bent * value)
    tl.store(out + row[:, None] * width + column[None, :], value, mask=there)
    tl.store(logsum + row, peak + tl.log(mass), mask=real)


@triton.jit
def _gatv2_prepare(  # type: ignore[no-untyped-def]
    grad, out, source_bias, bias, bend, pull, inner, parts, rows, width,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The gradient before the bend, its product with every row's weighted mean, and its sum over the rows."""
    column = tl.arange(0, COLUMNS)
    live = column < width
    shift = tl.load(source_bias + column, mask=live, other=0.0) + tl.load(bias + column, mask=live, other=0.0)
    bent = tl.load(bend + column, mask=live, other=0.0)[None, :]
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    for tile in range(tl.program_id(0), tl.cdiv(rows, ROWS), tl.num_programs(0)):
        row = (tile * ROWS + tl.arange(0, ROWS)).to(tl.int64)
        here, there = row[:, None] * width + column[None, :], (row < rows)[:, None] & live[None, :]
        given = tl.load(grad + here, mask=there, other=0.0)
        value = tl.load(out + here, mask=there, other=0.0)
        before = tl.where(value > 0, given, bent * given)
        tl.store(pull + here, before, mask=there)
        # What comes out of a bend, times the gradient there, is what goes in times the gradient there.
        product = tl.sum(given * value - before * shift[None, :], 1)
        tl.store(inner + row, product, mask=row < rows)
        total += tl.sum(before, 0)
    tl.store(parts + tl.program_id(0) * width + column, total, mask=live)


@triton.jit
def _gatv2_backward(  # type: ignore[no-untyped-def]
    both, attention, source_bias, end_bias, logsum, pull, inner, both_grad, parts,
    first, last, base, neighbours, rows, width, slope,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    column = tl.arange(0, COLUMNS)
    live = (column < width)[None, :]
    weight = tl.load(attention + column, mask=column < width, other=0.0)[None, :]
    low = slope * weight
    shift = tl.load(source_bias + column, mask=column < width, other=0.0)
    shift = (shift + tl.load(end_bias + column, mask=column < width, other=0.0))[None, :]
    all_end = tl.zeros((COLUMNS,), dtype=tl.float32)
    all_attention = tl.zeros((COLUMNS,), dtype=tl.float32)
    for tile in range(tl.program_id(0), tl.cdiv(rows, ROWS), tl.num_programs(0)):
        row = (tile * ROWS + tl.arange(0, ROWS)).to(tl.int64)
        real = row < rows
        here, there = 2 * row[:, None] * width + column[None, :], real[:, None] & live
        my_source = tl.load(both + here, mask=there, other=0.0)
        my_end = tl.load(both + here + width, mask=there, other=0.0) + shift
        my_pull = tl.load(pull + row[:, None] * width + column[None, :], mask=there, other=0.0)
        my_logsum = tl.load(logsum + row, mask=real, other=0.0)
        my_inner = tl.load(inner + row, mask=real, other=0.0)
        z = my_source + my_end
        bent = tl.where(z > 0, z, slope * z)
        share = tl.where(real, tl.exp(tl.sum(weight * bent, 1) - my_logsum), 0.0)
        by_score = share * (tl.sum(my_pull * my_source, 1) - my_inner)
        to_end = tl.where(z > 0, weight, low) * by_score[:, None]
        to_source = share[:, None] * my_pull + to_end
        to_attention = by_score[:, None] * bent
        begin = tl.load(first + row, mask=real, other=0)
        stop = tl.load(last + row, mask=real, other=0)
        start = tl.load(base + row, mask=real, other=0)
        for step in range(tl.max(stop - begin, 0)):
            arc = begin + step
            found = arc < stop
            other = start + tl.load(neighbours + arc, mask=found, other=0)
            place, known = 2 * other[:, None] * width + column[None, :], found[:, None] & live
            their_source = tl.load(both + place, mask=known, other=0.0)
            their_end = tl.load(both + place + width, mask=known, other=0.0)
            their_pull = tl.load(pull + other[:, None] * width + column[None, :], mask=known, other=0.0)
            their_logsum = tl.load(logsum + other, mask=found, other=0.0)
            their_inner = tl.load(inner + other, mask=found, other=0.0)
            # The arc into this row.
            z = their_source + my_end
            bent = tl.where(z > 0, z, slope * z)
            share = tl.where(found, tl.exp(tl.sum(weight * bent, 1) - my_logsum), 0.0)
            by_score = share * (tl.sum(my_pull * their_source, 1) - my_inner)
            to_end += tl.where(z > 0, weight, low) * by_score[:, None]
            to_attention += by_score[:, None] * bent
            # The arc out of it.
            z = my_source + shift + their_end
            share = tl.sum(weight * tl.where(z > 0, z, slope * z), 1) - their_logsum
            share = tl.where(found, tl.exp(share), 0.0)
            by_score = share * (tl.sum(their_pull * my_source, 1) - their_inner)
            to_source += share[:, None] * their_pull + tl.where(z > 0, weight, low) * by_score[:, None]
        tl.store(both_grad + here, to_source, mask=there)
        tl.store(both_grad + here + width, to_end, mask=there)
        all_end += tl.sum(to_end, 0)
        all_attention += tl.sum(to_attention, 0)
    part = parts + tl.program_id(0) * 2 * width
    tl.store(part + column, all_end, mask=column < width)
    tl.store(part + width + column, all_attention, mask=column < width)


class GATv2(torch.autograd.Function):
    """As `prune4sed.nn.kernels.gatv2`."""

    @staticmethod
    def forward(
        ctx: Any,
        both: Tensor,
        attention: Tensor,
        source_bias: Tensor,
        end_bias: Tensor,
        bias: Tensor,
        bend: Tensor,
        links: Links,
        slope: float,
    ) -> Tensor:
        both, attention = both.contiguous(), attention.contiguous()
        rows, width = len(both), both.shape[1] // 2
        out, logsum = both.new_empty((rows, width)), both.new_empty(rows)
        _gatv2_forward[(triton.cdiv(rows, _ROWS),)](
            both, attention, source_bias, end_bias, bias, bend, out, logsum, *links, rows, width, slope,
            AT_ONCE=_AT_ONCE, ROWS=_ROWS, COLUMNS=triton.next_power_of_2(width), num_warps=1,
        )  # fmt: skip
        ctx.slope = slope
        ctx.save_for_backward(both, attention, source_bias, end_bias, bias, bend, out, logsum, *links)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        both, attention, source_bias, end_bias, bias, bend, out, logsum, *links = ctx.saved_tensors
        rows, width = out.shape
        columns = triton.next_power_of_2(width)
        pull, inner, both_grad = torch.empty_like(out), torch.empty_like(logsum), torch.empty_like(both)
        programs = min(_PROGRAMS_PREPARED, triton.cdiv(rows, _ROWS_PREPARED))
        sums = out.new_empty((programs, width))
        _gatv2_prepare[(programs,)](
            grad.contiguous(), out, source_bias, bias, bend, pull, inner, sums, rows, width,
            ROWS=_ROWS_PREPARED, COLUMNS=columns, num_warps=4,
        )  # fmt: skip
        programs = min(_PROGRAMS, triton.cdiv(rows, _ROWS_BACK))
        parts = out.new_empty((programs, 2 * width))
        _gatv2_backward[(programs,)](
            both, attention, source_bias, end_bias, logsum, pull, inner, both_grad, parts, *links,
            rows, width, ctx.slope, ROWS=_ROWS_BACK, COLUMNS=columns, num_warps=1,
        )  # fmt: skip
        to_bias, (to_end, to_attention) = sum_parts(sums), sum_parts(parts).split(width)
        # The bias of sources goes into the scores and, as the weights of a row make up one, into every mean.
        return both_grad, to_attention, to_bias + to_end, to_end, to_bias, None, None, None
