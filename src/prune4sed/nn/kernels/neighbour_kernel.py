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
# So many neighbours at once: most rows have no more, and a hub does not wait for every single one.
_AT_ONCE = 8


@triton.jit
def _sum(  # type: ignore[no-untyped-def]
    x, out, first, last, base, neighbours, width,
    OWN: tl.constexpr, AT_ONCE: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    live = column < width
    start, stop = tl.load(base + row), tl.load(last + row)
    total = tl.zeros((COLUMNS,), dtype=tl.float32)
    if OWN:
        total += tl.load(x + row * width + column, mask=live, other=0.0)
    for begin in range(tl.load(first + row), stop, AT_ONCE):
        arc = begin + tl.arange(0, AT_ONCE)
        there = arc < stop
        other = start + tl.load(neighbours + arc, mask=there, other=0)
        rows = x + other[:, None] * width + column[None, :]
        total += tl.sum(tl.load(rows, mask=there[:, None] & live[None, :], other=0.0), 0)
    tl.store(out + row * width + column, total, mask=live)


def _run(x: Tensor, links: Links, own: bool) -> Tensor:
    x = x.contiguous()
    rows, width = x.shape
    out = torch.empty_like(x)
    columns = min(_MOST_COLUMNS, triton.next_power_of_2(width))
    grid = rows, triton.cdiv(width, columns)
    warps = max(1, min(4, columns // 64))
    _sum[grid](x, out, *links, width, OWN=own, AT_ONCE=_AT_ONCE, COLUMNS=columns, num_warps=warps)
    return out


class NeighbourSum(torch.autograd.Function):
    """(R, width) to (R, width), with or without the row itself."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, links: Links, own: bool) -> Tensor:
        ctx.own = own
        ctx.save_for_backward(*links)
        return _run(x, links, own)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        from prune4sed.nn.arcs import Links

        return _run(grad, Links(*ctx.saved_tensors), ctx.own), None, None
