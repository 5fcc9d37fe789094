"""What follows the sum over neighbours in a GIN layer, in one kernel each way.

    z = relu(y W1' + b1) W2' + b2 (+ what came in two layers before),    out = relu(z) where a node is kept

A tile of rows passes through both linear layers without leaving the chip. Backward, the middle is computed
again, and every program adds up the weights' gradients of its own tiles, to be summed at the end. Gradients
of the sums over graphs come in here too, for each row is in just one of them.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.parts_kernel import sum_parts
from prune4sed.nn.kernels.precision import product_precision

__all__ = ["GINStep"]

_ROWS = 64
# The backward pass holds more of every row, and gradients of all weights: so many rows and programs at a time
# that registers suffice.
_ROWS_BACK = 32
_PROGRAMS = 264
_WARPS_BACK, _STAGES_BACK = 4, 2


@triton.jit
def _gin_forward(  # type: ignore[no-untyped-def]
    y, before, keep, w1, b1, w2, b2, z, out, rows,
    RESIDUAL: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    column = tl.arange(0, WIDTH)
    square = column[:, None] * WIDTH + column[None, :]
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    live = row < rows
    here, there = row[:, None] * WIDTH + column[None, :], live[:, None]
    first = tl.trans(tl.load(w1 + square))
    hidden = tl.dot(tl.load(y + here, mask=there, other=0.0), first, input_precision=PRECISION)
    hidden = tl.maximum(hidden + tl.load(b1 + column)[None, :], 0.0)
    second = tl.trans(tl.load(w2 + square))
    value = tl.dot(hidden, second, input_precision=PRECISION) + tl.load(b2 + column)[None, :]
    if RESIDUAL:
        value += tl.load(before + here, mask=there, other=0.0)
        tl.store(z + here, value, mask=there)
    kept = tl.load(keep + row, mask=live, other=0.0)
    tl.store(out + here, tl.maximum(value, 0.0) * kept[:, None], mask=there)


@triton.jit
def _gin_backward(  # type: ignore[no-untyped-def]
    y, keep, out, graph_of, w1, b1, w2, out_grad, sum_grad, z_grad, y_grad, before_grad,
    parts, rows, heads,
    BY_OUT: tl.constexpr, BY_SUM: tl.constexpr, BY_Z: tl.constexpr,
    RESIDUAL: tl.constexpr, ROWS: tl.constexpr, WIDTH: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    column = tl.arange(0, WIDTH)
    square = column[:, None] * WIDTH + column[None, :]
    first, second = tl.load(w1 + square), tl.load(w2 + square)
    bias = tl.load(b1 + column)
    to_first = tl.zeros((WIDTH, WIDTH), dtype=tl.float32)
    to_second = tl.zeros((WIDTH, WIDTH), dtype=tl.float32)
    to_b1 = tl.zeros((WIDTH,), dtype=tl.float32)
    to_b2 = tl.zeros((WIDTH,), dtype=tl.float32)
    for tile in range(program, tl.cdiv(rows, ROWS), tl.num_programs(0)):
        row = (tile * ROWS + tl.arange(0, ROWS)).to(tl.int64)
        live = row < rows
        here, there = row[:, None] * WIDTH + column[None, :], live[:, None]
        pull = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
        if BY_OUT:
            pull += tl.load(out_grad + here, mask=there, other=0.0)
        if BY_SUM:
            graph = tl.load(graph_of + row // heads, mask=live, other=0) * heads + row % heads
            pull += tl.load(sum_grad + graph[:, None] * WIDTH + column[None, :], mask=there, other=0.0)
        kept = tl.load(keep + row, mask=live, other=0.0)
        pull = tl.where(tl.load(out + here, mask=there, other=0.0) > 0, pull * kept[:, None], 0.0)
        if BY_Z:
            pull += tl.load(z_grad + here, mask=there, other=0.0)
        if RESIDUAL:
            tl.store(before_grad + here, pull, mask=there)
        value = tl.load(y + here, mask=there, other=0.0)
        hidden = tl.dot(value, tl.trans(first), input_precision=PRECISION) + bias[None, :]
        hidden = tl.where(there, tl.maximum(hidden, 0.0), 0.0)
        to_second += tl.dot(tl.trans(pull), hidden, input_precision=PRECISION)
        to_b2 += tl.sum(pull, 0)
        back = tl.where(hidden > 0, tl.dot(pull, second, input_precision=PRECISION), 0.0)
        to_first += tl.dot(tl.trans(back), value, input_precision=PRECISION)
        to_b1 += tl.sum(back, 0)
        tl.store(y_grad + here, tl.dot(back, first, input_precision=PRECISION), mask=there)
    part = parts + program.to(tl.int64) * (2 * WIDTH * WIDTH + 2 * WIDTH)
    tl.store(part + square, to_first)
    tl.store(part + WIDTH * WIDTH + square, to_second)
    tl.store(part + 2 * WIDTH * WIDTH + column, to_b1)
    tl.store(part + 2 * WIDTH * WIDTH + WIDTH + column, to_b2)


class GINStep(torch.autograd.Function):
    """Rows (R * M, width) after the sum over neighbours, to the layer's rows, their graph sums, and z.

    `before` is what came in two layers before, or None in layers without a residual; z is then empty.
    """

    @staticmethod
    def forward(
        ctx: Any,
        y: Tensor,
        before: Tensor | None,
        keep: Tensor,
        w1: Tensor,
        b1: Tensor,
        w2: Tensor,
        b2: Tensor,
        starts: Tensor,
        graph_of: Tensor,
        heads: int,
    ) -> tuple[Tensor, Tensor, Tensor]:
        from prune4sed.nn.kernels.graph_kernel import sum_rows

        rows, width = y.shape
        residual = before is not None
        out = torch.empty_like(y)
        z = torch.empty_like(y) if residual else y.new_empty(0)
        ctx.shape = {"RESIDUAL": residual, "ROWS": _ROWS, "WIDTH": width, "PRECISION": product_precision()}
        _gin_forward[(triton.cdiv(rows, _ROWS),)](
            y, y if before is None else before, keep, w1, b1, w2, b2, z, out, rows,
            **ctx.shape, num_warps=4,
        )  # fmt: skip
        sums = sum_rows(out.view(-1, heads * width), starts)
        ctx.heads = heads
        ctx.set_materialize_grads(False)  # nothing comes from the last layer's rows but by their sums
        ctx.save_for_backward(y, keep, out, graph_of, w1, b1, w2)
        return out, sums.view(-1, width), z

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        y, keep, out, graph_of, w1, b1, w2 = ctx.saved_tensors
        out_grad, sum_grad, z_grad = (y if grad is None else grad.contiguous() for grad in grads)
        by = {f"BY_{name}": grad is not None for name, grad in zip(("OUT", "SUM", "Z"), grads, strict=True)}
        rows, width = y.shape
        residual = ctx.shape["RESIDUAL"]
        y_grad = torch.empty_like(y)
        before_grad = torch.empty_like(y) if residual else None
        programs = min(_PROGRAMS, triton.cdiv(rows, _ROWS_BACK))
        square = width * width
        parts = y.new_empty((programs, 2 * square + 2 * width))
        _gin_backward[(programs,)](
            y, keep, out, graph_of, w1, b1, w2, out_grad, sum_grad, z_grad,
            y_grad, y_grad if before_grad is None else before_grad,
            parts, rows, ctx.heads,
            **{**ctx.shape, "ROWS": _ROWS_BACK}, **by,
            num_warps=_WARPS_BACK if ctx.shape["PRECISION"] == "tf32" else 8, num_stages=_STAGES_BACK,
        )  # fmt: skip
        to_w1, to_w2, to_b1, to_b2 = sum_parts(parts).split([square, square, width, width])
        to_w1, to_w2 = to_w1.view(width, width), to_w2.view(width, width)
        return y_grad, before_grad, None, to_w1, to_b1, to_w2, to_b2, None, None, None
