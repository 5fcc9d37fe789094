"""Sum of the features of the rows of every graph."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

__all__ = ["GraphSum", "sum_rows"]

_ROWS, _COLUMNS = 32, 64


@triton.jit
def _graph_sum(x, out, starts, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]
    graph = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    live = column < width
    stop = tl.load(starts + graph + 1)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for first in range(tl.load(starts + graph), stop, ROWS):
        row = first + tl.arange(0, ROWS)
        there = (row < stop)[:, None] & live[None, :]
        total += tl.load(x + row[:, None] * width + column[None, :], mask=there, other=0.0).to(tl.float32)
    tl.store(out + graph * width + column, tl.sum(total, 0), mask=live)


def sum_rows(x: Tensor, starts: Tensor) -> Tensor:
    """Rows (R, width) summed by graph, (B, width)."""
    x = x.contiguous()
    graphs, width = len(starts) - 2, x.shape[1]
    out = x.new_empty((graphs, width))
    grid = graphs, triton.cdiv(width, _COLUMNS)
    _graph_sum[grid](x, out, starts, width, ROWS=_ROWS, COLUMNS=_COLUMNS, num_warps=4)
    return out


class GraphSum(torch.autograd.Function):
    """(R, width) to (B, width). Rows of no graph get any gradient: callers have them masked before."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, starts: Tensor, graph_of: Tensor) -> Tensor:
        ctx.save_for_backward(graph_of)
        return sum_rows(x, starts)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (graph_of,) = ctx.saved_tensors
        return grad.index_select(0, graph_of), None, None
