"""Batch normalisation over the real rows: two passes over memory each way, instead of a dozen.

Every program takes a share of the rows and leaves their number, mean and squared deviations, or the sums that
the gradient needs; another kernel puts the shares together, a block of columns at a time.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.parts_kernel import sum_parts

__all__ = ["BatchNorm", "measure"]

_ROWS, _COLUMNS, _SHARES = 32, 64, 128


@triton.jit
def _norm_measure(  # type: ignore[no-untyped-def]
    x, mask, counts, means, squares, rows, width, per_share,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Number, mean and squared deviations of a share of the rows."""
    share = tl.program_id(0)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    live = column < width
    count = tl.zeros((COLUMNS,), dtype=tl.float32)
    mean = tl.zeros((COLUMNS,), dtype=tl.float32)
    square = tl.zeros((COLUMNS,), dtype=tl.float32)
    stop = tl.minimum(rows, (share + 1) * per_share)
    for first in range(share * per_share, stop, ROWS):
        row = (first + tl.arange(0, ROWS)).to(tl.int64)
        real = tl.load(mask + row, mask=row < stop, other=0).to(tl.float32)
        both = (row < stop)[:, None] & live[None, :]
        value = tl.load(x + row[:, None] * width + column[None, :], mask=both, other=0.0)
        new = tl.sum(real, 0)
        new_mean = tl.sum(value * real[:, None], 0) / tl.maximum(new, 1.0)
        away = (value - new_mean[None, :]) * real[:, None]
        total = tl.maximum(count + new, 1.0)
        apart = new_mean - mean
        square += tl.sum(away * away, 0) + apart * apart * count * new / total
        mean += apart * new / total
        count += new
    here = share * width + column
    tl.store(counts + here, count, mask=live)
    tl.store(means + here, mean, mask=live)
    tl.store(squares + here, square, mask=live)


@triton.jit
def _norm_settle(  # type: ignore[no-untyped-def]
    counts, means, squares, weight, bias, running_mean, running_var, stats, width, momentum, eps,
    SHARES: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Mean, 1 / deviation, scale and shift of every column; running mean and variance on the way."""
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    live = column < width
    here = tl.arange(0, SHARES)[:, None] * width + column[None, :]
    count = tl.load(counts + here, mask=live[None, :], other=0.0)
    part = tl.load(means + here, mask=live[None, :], other=0.0)
    total = tl.sum(count, 0)
    safe = tl.maximum(total, 1.0)
    mean = tl.sum(part * count, 0) / safe
    apart = part - mean[None, :]
    square = tl.sum(tl.load(squares + here, mask=live[None, :], other=0.0) + apart * apart * count, 0)
    variance = square / safe
    inverse = 1.0 / tl.sqrt(variance + eps)
    old_mean = tl.load(running_mean + column, mask=live, other=0.0)
    old_var = tl.load(running_var + column, mask=live, other=0.0)
    pull_mean = tl.where(total > 0, momentum, 0.0)
    pull_var = tl.where(total > 1, momentum, 0.0)
    unbiased = square / tl.maximum(total - 1.0, 1.0)
    tl.store(running_mean + column, old_mean + pull_mean * (mean - old_mean), mask=live)
    tl.store(running_var + column, old_var + pull_var * (unbiased - old_var), mask=live)
    scale = tl.load(weight + column, mask=live, other=0.0) * inverse
    shift = tl.load(bias + column, mask=live, other=0.0) - mean * scale
    tl.store(stats + column, mean, mask=live)
    tl.store(stats + width + column, inverse, mask=live)
    tl.store(stats + 2 * width + column, scale, mask=live)
    tl.store(stats + 3 * width + column, shift, mask=live)
    tl.store(stats + 4 * width + column, safe, mask=live)


@triton.jit
def _norm_apply(x, out, stats, cells, width, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    cell = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    live = cell < cells
    column = cell % width
    scale = tl.load(stats + 2 * width + column, mask=live, other=0.0)
    shift = tl.load(stats + 3 * width + column, mask=live, other=0.0)
    tl.store(out + cell, tl.load(x + cell, mask=live, other=0.0) * scale + shift, mask=live)


@triton.jit
def _norm_collect(  # type: ignore[no-untyped-def]
    x, grad, stats, parts, rows, width, per_share, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    """Sums of the gradient, and of the gradient times the normalised value, over a share of all rows."""
    share = tl.program_id(0)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    live = column < width
    mean = tl.load(stats + column, mask=live, other=0.0)
    inverse = tl.load(stats + width + column, mask=live, other=0.0)
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    product = tl.zeros((COLUMNS,), dtype=tl.float32)
    stop = tl.minimum(rows, (share + 1) * per_share)
    for first in range(share * per_share, stop, ROWS):
        row = (first + tl.arange(0, ROWS)).to(tl.int64)
        both = (row < stop)[:, None] & live[None, :]
        here = row[:, None] * width + column[None, :]
        pull = tl.load(grad + here, mask=both, other=0.0)
        value = (tl.load(x + here, mask=both, other=0.0) - mean[None, :]) * inverse[None, :]
        total += tl.sum(pull, 0)
        product += tl.sum(pull * value, 0)
    tl.store(parts + share * 2 * width + column, total, mask=live)
    tl.store(parts + (share * 2 + 1) * width + column, product, mask=live)


@triton.jit
def _norm_pull(  # type: ignore[no-untyped-def]
    x, mask, grad, stats, sums, out, cells, width, BLOCK: tl.constexpr
):
    cell = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    live = cell < cells
    column, row = cell % width, cell // width
    real = tl.load(mask + row, mask=live, other=0).to(tl.float32)
    mean = tl.load(stats + column, mask=live, other=0.0)
    inverse = tl.load(stats + width + column, mask=live, other=0.0)
    scale = tl.load(stats + 2 * width + column, mask=live, other=0.0)
    count = tl.load(stats + 4 * width + column, mask=live, other=1.0)
    total = tl.load(sums + column, mask=live, other=0.0)
    product = tl.load(sums + width + column, mask=live, other=0.0)
    value = (tl.load(x + cell, mask=live, other=0.0) - mean) * inverse
    pull = tl.load(grad + cell, mask=live, other=0.0)
    # The statistics come from real rows alone, so only they feel the pull through them.
    through = real * (total + value * product) / count
    tl.store(out + cell, scale * (pull - through), mask=live)


def measure(
    x: Tensor,
    mask: Tensor,
    weight: Tensor,
    bias: Tensor,
    running: tuple[Tensor, Tensor],
    momentum: float,
    eps: float,
) -> Tensor:
    """What the norm needs to know of every column, as in `_norm_settle`; moves the running statistics."""
    rows, width = x.shape
    parts, stats = x.new_empty((3, _SHARES, width)), x.new_empty((5, width))
    blocks, per_share = triton.cdiv(width, _COLUMNS), triton.cdiv(rows, _SHARES)
    _norm_measure[(_SHARES, blocks)](
        x, mask, *parts.unbind(), rows, width, per_share, ROWS=_ROWS, COLUMNS=_COLUMNS
    )
    _norm_settle[(triton.cdiv(width, 16),)](
        *parts.unbind(), weight, bias, *running, stats, width, momentum, eps, SHARES=_SHARES, COLUMNS=16
    )
    return stats


class BatchNorm(torch.autograd.Function):
    """(R, width), a mask (R,) of bool, weight, bias and the running statistics to (R, width)."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        mask: Tensor,
        weight: Tensor,
        bias: Tensor,
        running_mean: Tensor,
        running_var: Tensor,
        momentum: float,
        eps: float,
    ) -> Tensor:
        x = x.contiguous()
        running, width = (running_mean, running_var), x.shape[1]
        stats = measure(x, mask, weight, bias, running, momentum, eps)
        out = torch.empty_like(x)
        _norm_apply[(triton.cdiv(x.numel(), 1024),)](x, out, stats, x.numel(), width, BLOCK=1024)
        ctx.save_for_backward(x, mask, stats)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, mask, stats = ctx.saved_tensors
        grad = grad.contiguous()
        rows, width = x.shape
        parts, out = x.new_empty((_SHARES, 2 * width)), torch.empty_like(x)
        blocks, per_share = triton.cdiv(width, _COLUMNS), triton.cdiv(rows, _SHARES)
        _norm_collect[(_SHARES, blocks)](
            x, grad, stats, parts, rows, width, per_share, ROWS=_ROWS, COLUMNS=_COLUMNS
        )
        sums = sum_parts(parts)
        _norm_pull[(triton.cdiv(x.numel(), 1024),)](
            x, mask, grad, stats, sums, out, x.numel(), width, BLOCK=1024
        )
        return out, None, sums[width:], sums[:width], None, None, None, None
