"""The end of the pruning heads after their first linear layer: norm, ReLU and a product with a vector each.

    logits[r, m] = sum over the columns of head m of relu(norm(x[r])) * weight + level[m]

Rows of all heads are wide, so what lies between is computed again wherever it is needed and never stored.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.norm_kernel import measure
from prune4sed.nn.kernels.parts_kernel import sum_parts

__all__ = ["PruneLogits"]

# With five heads, as many programs as an H200 has at once.
_ROWS, _SHARES = 32, 104


@triton.jit
def _norm_of(stats, column, columns, live):  # type: ignore[no-untyped-def]
    """Mean, 1 / deviation, scale and shift of some columns."""
    place = stats + column
    mean = tl.load(place, mask=live, other=0.0)
    inverse = tl.load(place + columns, mask=live, other=0.0)
    scale = tl.load(place + 2 * columns, mask=live, other=0.0)
    shift = tl.load(place + 3 * columns, mask=live, other=0.0)
    return mean, inverse, scale, shift


@triton.jit
def _prune_forward(  # type: ignore[no-untyped-def]
    x, stats, weight, level, out, rows, width, heads, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    head = tl.program_id(1)
    inside = tl.arange(0, COLUMNS)
    live = inside < width
    column, all_columns = head * width + inside, heads * width
    _mean, _inverse, scale, shift = _norm_of(stats, column, all_columns, live)
    factor = tl.load(weight + column, mask=live, other=0.0)
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    both = (row < rows)[:, None] & live[None, :]
    value = tl.load(x + row[:, None] * all_columns + column[None, :], mask=both, other=0.0)
    bent = value * scale[None, :] + shift[None, :]
    hidden = tl.where(bent < 0, 0.0, bent)  # NaN stays
    logit = tl.sum(hidden * factor[None, :], 1) + tl.load(level + head)
    tl.store(out + row * heads + head, logit, mask=row < rows)


@triton.jit
def _prune_collect(  # type: ignore[no-untyped-def]
    x, grad, stats, weight, parts, rows, width, heads, per_share,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """What a share of the rows adds to the gradients of bias and weight of the norm, weight and level."""
    share, head = tl.program_id(0), tl.program_id(1)
    inside = tl.arange(0, COLUMNS)
    live = inside < width
    column, all_columns = head * width + inside, heads * width
    mean, inverse, scale, shift = _norm_of(stats, column, all_columns, live)
    factor = tl.load(weight + column, mask=live, other=0.0)
    to_bias = tl.zeros((COLUMNS,), dtype=tl.float32)
    to_scale = tl.zeros((COLUMNS,), dtype=tl.float32)
    to_weight = tl.zeros((COLUMNS,), dtype=tl.float32)
    to_level = tl.zeros((ROWS,), dtype=tl.float32)
    stop = tl.minimum(rows, (share + 1) * per_share)
    for first in range(share * per_share, stop, ROWS):
        row = (first + tl.arange(0, ROWS)).to(tl.int64)
        both = (row < stop)[:, None] & live[None, :]
        value = tl.load(x + row[:, None] * all_columns + column[None, :], mask=both, other=0.0)
        by_logit = tl.load(grad + row * heads + head, mask=row < stop, other=0.0)
        bent = value * scale[None, :] + shift[None, :]
        hidden = tl.where(bent < 0, 0.0, bent)
        pull = tl.where(hidden > 0, by_logit[:, None] * factor[None, :], 0.0)
        to_bias += tl.sum(pull, 0)
        to_scale += tl.sum(pull * ((value - mean[None, :]) * inverse[None, :]), 0)
        to_weight += tl.sum(hidden * by_logit[:, None], 0)
        to_level += by_logit
    part = parts + share * (3 * all_columns + heads)
    tl.store(part + column, to_bias, mask=live)
    tl.store(part + all_columns + column, to_scale, mask=live)
    tl.store(part + 2 * all_columns + column, to_weight, mask=live)
    tl.store(part + 3 * all_columns + head, tl.sum(to_level, 0))


@triton.jit
def _prune_pull(  # type: ignore[no-untyped-def]
    x, mask, grad, stats, weight, sums, out, rows, width, heads,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """The gradient of x."""
    head = tl.program_id(1)
    inside = tl.arange(0, COLUMNS)
    live = inside < width
    column, all_columns = head * width + inside, heads * width
    mean, inverse, scale, shift = _norm_of(stats, column, all_columns, live)
    count = tl.load(stats + 4 * all_columns + column, mask=live, other=1.0)
    total = tl.load(sums + column, mask=live, other=0.0) / count
    product = tl.load(sums + all_columns + column, mask=live, other=0.0) / count
    factor = tl.load(weight + column, mask=live, other=0.0)
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    here, both = row[:, None] * all_columns + column[None, :], (row < rows)[:, None] & live[None, :]
    value = tl.load(x + here, mask=both, other=0.0)
    by_logit = tl.load(grad + row * heads + head, mask=row < rows, other=0.0)
    real = tl.load(mask + row, mask=row < rows, other=0).to(tl.float32)
    bent = value * scale[None, :] + shift[None, :]
    pull = tl.where(bent > 0, by_logit[:, None] * factor[None, :], 0.0)
    normed = (value - mean[None, :]) * inverse[None, :]
    # The statistics come from real rows alone, so only they feel the pull through them.
    through = real[:, None] * (total[None, :] + normed * product[None, :])
    tl.store(out + here, scale[None, :] * (pull - through), mask=both)


class PruneLogits(torch.autograd.Function):
    """(R, M * width), a mask (R,) of bool, the norm's parameters, (M, width) and (M,) to (R, M)."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        mask: Tensor,
        scale: Tensor,
        bias: Tensor,
        running_mean: Tensor,
        running_var: Tensor,
        momentum: float,
        eps: float,
        weight: Tensor,
        level: Tensor,
    ) -> Tensor:
        x, weight = x.contiguous(), weight.contiguous()
        (rows, _), (heads, width) = x.shape, weight.shape
        stats = measure(x, mask, scale, bias, (running_mean, running_var), momentum, eps)
        out = x.new_empty((rows, heads))
        ctx.shape = {"ROWS": _ROWS, "COLUMNS": triton.next_power_of_2(width)}
        _prune_forward[(triton.cdiv(rows, _ROWS), heads)](
            x, stats, weight, level, out, rows, width, heads, **ctx.shape
        )
        ctx.save_for_backward(x, mask, stats, weight)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, mask, stats, weight = ctx.saved_tensors
        grad, out = grad.contiguous(), torch.empty_like(x)
        (rows, columns), (heads, width) = x.shape, weight.shape
        parts = x.new_empty((_SHARES, 3 * columns + heads))
        _prune_collect[(_SHARES, heads)](
            x, grad, stats, weight, parts, rows, width, heads, triton.cdiv(rows, _SHARES), **ctx.shape
        )
        sums = sum_parts(parts)
        _prune_pull[(triton.cdiv(rows, _ROWS), heads)](
            x, mask, grad, stats, weight, sums, out, rows, width, heads, **ctx.shape
        )
        to_bias, to_scale, to_weight, to_level = sums.split([columns, columns, columns, heads])
        return out, None, to_scale, to_bias, *[None] * 4, to_weight.view(heads, width), to_level
