"""The sum of what programs of another kernel left behind, each a row of its own, in a fixed order."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

__all__ = ["sum_parts"]

# Few columns at a time where there are few, so that more programs share the work.
_TILE, _COLUMNS, _FEW = 4096, 32, 1024


@triton.jit
def _parts_sum(parts, out, rows, width, ROWS: tl.constexpr, COLUMNS: tl.constexpr):  # type: ignore[no-untyped-def]
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    live = column < width
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for first in range(0, rows, ROWS):
        row = first + tl.arange(0, ROWS)
        there = (row < rows)[:, None] & live[None, :]
        total += tl.load(parts + row[:, None] * width + column[None, :], mask=there, other=0.0)
    tl.store(out + column, tl.sum(total, 0), mask=live)


def sum_parts(parts: Tensor) -> Tensor:
    """Sum over the rows of (parts, width), (width,): for thousands of parts, not for millions."""
    rows, width = parts.shape
    out = parts.new_empty(width)
    columns = _COLUMNS if width > _FEW else _COLUMNS // 4
    shape = {"ROWS": _TILE // columns, "COLUMNS": columns, "num_warps": 4}
    _parts_sum[(triton.cdiv(width, columns),)](parts, out, rows, width, **shape)
    return out
