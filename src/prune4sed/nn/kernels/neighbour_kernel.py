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

# A program has so many columns of as many rows as make up a tile. Waiting for memory is what takes the time,
# so the loads of some neighbours of every row are under way at once.
_COLUMNS, _TILE, _WARPS = 64, 256, 1
_AT_ONCE = 4


@triton.jit
def _neighbour_sum(  # type: ignore[no-untyped-def]
    x, out, first, last, base, neighbours, rows, width,
    OWN: tl.constexpr, AT_ONCE: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    real, live = row < rows, column < width
    here, both = row[:, None] * width + column[None, :], real[:, None] & live[None, :]
    begin = tl.load(first + row, mask=real, other=0)
    stop = tl.load(last + row, mask=real, other=0)
    start = tl.load(base + row, mask=real, other=0)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    if OWN:
        total += tl.load(x + here, mask=both, other=0.0)
    for step in range(0, tl.max(stop - begin, 0), AT_ONCE):
        for i in tl.static_range(AT_ONCE):
            arc = begin + step + i
            there = arc < stop
            other = start + tl.load(neighbours + arc, mask=there, other=0)
            place = x + other[:, None] * width + column[None, :]
            total += tl.load(place, mask=there[:, None] & live[None, :], other=0.0)
    tl.store(out + here, total, mask=both)


def _run(x: Tensor, links: Links, own: bool) -> Tensor:
    x = x.contiguous()
    rows, width = x.shape
    out = torch.empty_like(x)
    columns = min(_COLUMNS, triton.next_power_of_2(width))
    shape = {"AT_ONCE": _AT_ONCE, "ROWS": max(1, _TILE // columns), "COLUMNS": columns}
    grid = triton.cdiv(rows, shape["ROWS"]), triton.cdiv(width, columns)
    _neighbour_sum[grid](x, out, *links, rows, width, OWN=own, **shape, num_warps=_WARPS)
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
