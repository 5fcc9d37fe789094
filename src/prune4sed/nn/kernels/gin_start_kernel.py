"""What the GIN layers of pruned graphs begin with: label vectors scaled by keep probabilities, in one pass.

    out[r, m] = keep[r, m] * (scale[r, m] * vectors[r] + bias),    and its sums over every graph

Backward, one pass over the gradients of all heads gives those of scales, vectors and bias.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.graph_kernel import sum_rows
from prune4sed.nn.kernels.parts_kernel import sum_parts

__all__ = ["GINStart"]

_ROWS, _PROGRAMS = 16, 528


@triton.jit
def _gin_start_forward(  # type: ignore[no-untyped-def]
    vectors, bias, scale, keep, out, rows, heads, ROWS: tl.constexpr, WIDTH: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, WIDTH)
    live = row < rows
    there = live[:, None]
    vector = tl.load(vectors + row[:, None] * WIDTH + column[None, :], mask=there, other=0.0)
    shift = tl.load(bias + column)[None, :]
    for head in range(heads):
        place = row * heads + head
        factor = tl.load(scale + place, mask=live, other=0.0)[:, None]
        kept = tl.load(keep + place, mask=live, other=0.0)[:, None]
        value = kept * (factor * vector + shift)
        tl.store(out + place[:, None] * WIDTH + column[None, :], value, mask=there)


@triton.jit
def _gin_start_backward(  # type: ignore[no-untyped-def]
    vectors, scale, keep, graph_of, out_grad, again_grad, sum_grad, to_vectors, to_scale, parts, rows, heads,
    ROWS: tl.constexpr, WIDTH: tl.constexpr,
):  # fmt: skip
    column = tl.arange(0, WIDTH)
    to_bias = tl.zeros((WIDTH,), dtype=tl.float32)
    for tile in range(tl.program_id(0), tl.cdiv(rows, ROWS), tl.num_programs(0)):
        row = (tile * ROWS + tl.arange(0, ROWS)).to(tl.int64)
        live = row < rows
        there = live[:, None]
        here = row[:, None] * WIDTH + column[None, :]
        vector = tl.load(vectors + here, mask=there, other=0.0)
        graph = tl.load(graph_of + row, mask=live, other=0)
        to_vector = tl.zeros((ROWS, WIDTH), dtype=tl.float32)
        for head in range(heads):
            place = row * heads + head
            factor = tl.load(scale + place, mask=live, other=0.0)
            kept = tl.load(keep + place, mask=live, other=0.0)
            wide = place[:, None] * WIDTH + column[None, :]
            pull = tl.load(out_grad + wide, mask=there, other=0.0)
            pull += tl.load(again_grad + wide, mask=there, other=0.0)
            summed = (graph * heads + head)[:, None] * WIDTH + column[None, :]
            pull = (pull + tl.load(sum_grad + summed, mask=there, other=0.0)) * kept[:, None]
            tl.store(to_scale + place, tl.sum(pull * vector, 1), mask=live)
            to_vector += pull * factor[:, None]
            to_bias += tl.sum(pull, 0)
        tl.store(to_vectors + here, to_vector, mask=there)
    tl.store(parts + tl.program_id(0) * WIDTH + column, to_bias)


class GINStart(torch.autograd.Function):
    """As `prune4sed.nn.kernels.gin_start`."""

    @staticmethod
    def forward(
        ctx: Any, vectors: Tensor, bias: Tensor, scale: Tensor, keep: Tensor, starts: Tensor, graph_of: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        vectors, scale = vectors.contiguous(), scale.contiguous()
        (rows, width), heads = vectors.shape, scale.shape[1]
        out = vectors.new_empty((rows * heads, width))
        _gin_start_forward[(triton.cdiv(rows, _ROWS),)](
            vectors, bias, scale, keep, out, rows, heads, ROWS=_ROWS, WIDTH=width, num_warps=4
        )
        sums = sum_rows(out.view(rows, -1), starts).view(-1, width)
        ctx.save_for_backward(vectors, scale, keep, graph_of)
        # The same rows twice, so that the gradients of both come here and are not added up before.
        return out, out.detach(), sums

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        vectors, scale, keep, graph_of = ctx.saved_tensors
        (rows, width), heads = vectors.shape, scale.shape[1]
        to_vectors, to_scale = torch.empty_like(vectors), torch.empty_like(scale)
        programs = min(_PROGRAMS, triton.cdiv(rows, _ROWS))
        parts = vectors.new_empty((programs, width))
        _gin_start_backward[(programs,)](
            vectors, scale, keep, graph_of, *(grad.contiguous() for grad in grads),
            to_vectors, to_scale, parts, rows, heads, ROWS=_ROWS, WIDTH=width, num_warps=4,
        )  # fmt: skip
        return to_vectors, sum_parts(parts), to_scale, None, None, None
