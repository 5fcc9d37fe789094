"""How a QAL block weighs its target nodes, from the perceptron's first product on, in one kernel each way.

    out = target * sigmoid(bend(hidden + b1) . w2 + b2)

Every program of the backward pass adds up the gradients of the parameters over its own rows.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.parts_kernel import sum_parts

__all__ = ["Gate"]

_ROWS, _PROGRAMS = 32, 528


@triton.jit
def _gate_forward(  # type: ignore[no-untyped-def]
    hidden, target, b1, w2, b2, slope, out, rows, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    live = column < width
    here, both = row[:, None] * width + column[None, :], (row < rows)[:, None] & live[None, :]
    bent = tl.load(hidden + here, mask=both, other=0.0) + tl.load(b1 + column, mask=live, other=0.0)[None, :]
    bent = tl.where(bent > 0, bent, bent * tl.load(slope + column, mask=live, other=0.0)[None, :])
    score = tl.sum(bent * tl.load(w2 + column, mask=live, other=0.0)[None, :], 1) + tl.load(b2)
    weight = 1.0 / (1.0 + tl.exp(-score))
    tl.store(out + here, tl.load(target + here, mask=both, other=0.0) * weight[:, None], mask=both)


@triton.jit
def _gate_backward(  # type: ignore[no-untyped-def]
    hidden, target, b1, w2, b2, slope, grad, to_hidden, to_target, parts, rows, width,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    column = tl.arange(0, COLUMNS)
    live = column < width
    bias = tl.load(b1 + column, mask=live, other=0.0)[None, :]
    factor = tl.load(w2 + column, mask=live, other=0.0)[None, :]
    bend = tl.load(slope + column, mask=live, other=0.0)[None, :]
    level = tl.load(b2)
    to_b1 = tl.zeros((COLUMNS,), dtype=tl.float32)
    to_w2 = tl.zeros((COLUMNS,), dtype=tl.float32)
    to_b2 = tl.zeros((ROWS,), dtype=tl.float32)
    for tile in range(tl.program_id(0), tl.cdiv(rows, ROWS), tl.num_programs(0)):
        row = (tile * ROWS + tl.arange(0, ROWS)).to(tl.int64)
        here, both = row[:, None] * width + column[None, :], (row < rows)[:, None] & live[None, :]
        before = tl.load(hidden + here, mask=both, other=0.0) + bias
        bent = tl.where(before > 0, before, before * bend)
        weight = 1.0 / (1.0 + tl.exp(-(tl.sum(bent * factor, 1) + level)))
        pull = tl.load(grad + here, mask=both, other=0.0)
        tl.store(to_target + here, pull * weight[:, None], mask=both)
        by_weight = tl.sum(pull * tl.load(target + here, mask=both, other=0.0), 1)
        by_score = by_weight * weight * (1.0 - weight)
        back = by_score[:, None] * tl.where(before > 0, factor, factor * bend)
        tl.store(to_hidden + here, back, mask=both)
        to_b1 += tl.sum(back, 0)
        to_w2 += tl.sum(by_score[:, None] * bent, 0)
        to_b2 += by_score
    part = parts + tl.program_id(0) * (2 * width + 1)
    tl.store(part + column, to_b1, mask=live)
    tl.store(part + width + column, to_w2, mask=live)
    tl.store(part + 2 * width, tl.sum(to_b2, 0))


class Gate(torch.autograd.Function):
    """As `prune4sed.nn.kernels.gate`."""

    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, target: Tensor, b1: Tensor, w2: Tensor, b2: Tensor, slope: Tensor
    ) -> Tensor:
        hidden, target, w2 = hidden.contiguous(), target.contiguous(), w2.contiguous()
        rows, width = hidden.shape
        out = torch.empty_like(target)
        ctx.shape = {"ROWS": _ROWS, "COLUMNS": triton.next_power_of_2(width), "num_warps": 4}
        _gate_forward[(triton.cdiv(rows, _ROWS),)](
            hidden, target, b1, w2, b2, slope, out, rows, width, **ctx.shape
        )
        ctx.save_for_backward(hidden, target, b1, w2, b2, slope)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        hidden, target, b1, w2, b2, slope = ctx.saved_tensors
        rows, width = hidden.shape
        to_hidden, to_target = torch.empty_like(hidden), torch.empty_like(target)
        programs = min(_PROGRAMS, triton.cdiv(rows, _ROWS))
        parts = hidden.new_empty((programs, 2 * width + 1))
        _gate_backward[(programs,)](
            hidden, target, b1, w2, b2, slope, grad.contiguous(), to_hidden, to_target, parts, rows, width,
            **ctx.shape,
        )  # fmt: skip
        to_b1, to_w2, to_b2 = sum_parts(parts).split([width, width, 1])
        return to_hidden, to_target, to_b1, to_w2.view_as(w2), to_b2, None
