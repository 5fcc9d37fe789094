"""Sum of the features of every row's neighbours; its gradient is the same sum, for edges go both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import triton
import triton.language as tl
from torch import Tensor

if TYPE_CHECKING:
    from prune4sed.nn.arcs import Links

__all__ = ["NeighbourSum"]

_MOST_COLUMNS = 512


@triton.jit
def _sum(x, out, first, last, base, neighbours, width, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    live = column < width
    start = tl.load(base + row)
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    for arc in range(tl.load(first + row), tl.load(last + row)):
        other = start + tl.load(neighbours + arc)
        total += tl.load(x + other * width + column, mask=live, other=0.0).to(tl.float32)
    tl.store(out + row * width + column, total, mask=live)


def _run(x: Tensor, links: Links) -> Tensor:
    x = x.contiguous()
    rows, width = x.shape
    out = torch.empty_like(x)
    columns = min(_MOST_COLUMNS, triton.next_power_of_2(width))
    if rows:
        grid = rows, triton.cdiv(width, columns)
        _sum[grid](x, out, *links, width, COLUMNS=columns, num_warps=max(1, min(4, columns // 64)))
    return out


class NeighbourSum(torch.autograd.Function):
    """(R, width) to (R, width)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, links: Links) -> Tensor:
        ctx.save_for_backward(*links)
        return _run(x, links)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        from prune4sed.nn.arcs import Links

        return _run(grad, Links(*ctx.saved_tensors)), None
