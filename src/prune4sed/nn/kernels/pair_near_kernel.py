"""How strongly neighbours of each candidate are claimed: a product with the adjacency, and its logarithm.

    near = log(1 + claims E / floor) / log(1 + 1 / floor)

The claims of a graph's rows and heads lie one below the other, so each graph is a product of its own, without
padding to the largest. The claims go through unchanged, so that backward all that they feel is added up here:
what comes through the product, through the sums over graphs, and from further on.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.graph_kernel import sum_rows
from prune4sed.nn.kernels.parts_kernel import sum_parts
from prune4sed.nn.kernels.precision import product_precision

__all__ = ["PairNear"]

_LINES, _MOST_PLACES, _INNER, _WARPS = 64, 64, 32, 8
# Of what comes before the products on the way back: every number takes many registers there.
_FEW_LINES, _FEW_PLACES = 16, 32


@triton.jit
def _near_forward(  # type: ignore[no-untyped-def]
    claims, edges, floor, starts, near, graphs, lines, candidates,
    LABELS: tl.constexpr, HEADS: tl.constexpr, LINES: tl.constexpr, PLACES: tl.constexpr, INNER: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    graph = tl.program_id(0).to(tl.int64)
    begin = tl.load(starts + graph) * HEADS + tl.program_id(1) * LINES
    stop = tl.load(starts + graph + 1) * HEADS
    if begin < stop:
        line, place = begin + tl.arange(0, LINES), tl.program_id(2) * PLACES + tl.arange(0, PLACES)
        live, inside = (line < stop)[:, None], (place < candidates)[None, :]
        least = tl.exp(tl.load(floor + line % HEADS))[:, None]
        scale = 1.0 / tl.log(1.0 + 1.0 / least)
        here = line[:, None] * candidates + place[None, :]
        for label in range(LABELS):
            matrix = edges + (label * graphs + graph) * candidates * candidates
            found = tl.zeros((LINES, PLACES), dtype=tl.float32)
            for first in range(0, candidates, INNER):
                inner = first + tl.arange(0, INNER)
                at = line[:, None] * candidates + inner[None, :]
                share = tl.load(claims + at, mask=live & (inner < candidates)[None, :], other=0.0)
                cell = inner[:, None] * candidates + place[None, :]
                edge = tl.load(matrix + cell, mask=(inner < candidates)[:, None] & inside, other=0.0)
                found += tl.dot(share, edge, input_precision=PRECISION)
            value = tl.log(1.0 + found / least) * scale
            tl.store(near + label * lines.to(tl.int64) * candidates + here, value, mask=live & inside)


@triton.jit
def _near_pull(  # type: ignore[no-untyped-def]
    floor, near, near_grad, pull, floor_grad, lines, candidates,
    HEADS: tl.constexpr, LINES: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    """Gradient of the products, from that of their logarithms; what every block of lines tells the floor."""
    line = tl.program_id(0).to(tl.int64) * LINES + tl.arange(0, LINES)
    live = (line < lines)[:, None]
    least = tl.exp(tl.load(floor + line % HEADS))[:, None]
    most = tl.log(1.0 + 1.0 / least)
    to_floor = tl.zeros((LINES,), dtype=tl.float32)
    for first in range(0, candidates, PLACES):
        place = (first + tl.arange(0, PLACES))[None, :]
        valid = live & (place < candidates)
        at = line[:, None] * candidates + place
        value = tl.load(near + at, mask=valid, other=0.0)
        felt = tl.load(near_grad + at, mask=valid, other=0.0) / most
        left = tl.exp(-value * most)  # floor / (floor + claims E), read off the logarithm
        to_floor += tl.sum(felt * (left - 1.0 + value / (1.0 + least)), 1)
        tl.store(pull + at, felt * left / least, mask=valid)
    part = floor_grad + tl.program_id(0) * HEADS + tl.arange(0, HEADS)
    tl.store(part, tl.sum(tl.reshape(to_floor, (LINES // HEADS, HEADS)), 0))


@triton.jit
def _near_backward(  # type: ignore[no-untyped-def]
    pull, edges, starts, total_grad, through, claims_grad, graphs, lines, candidates,
    LABELS: tl.constexpr, HEADS: tl.constexpr, LINES: tl.constexpr, PLACES: tl.constexpr, INNER: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    graph = tl.program_id(0).to(tl.int64)
    begin = tl.load(starts + graph) * HEADS + tl.program_id(1) * LINES
    stop = tl.load(starts + graph + 1) * HEADS
    if begin < stop:
        line, place = begin + tl.arange(0, LINES), tl.program_id(2) * PLACES + tl.arange(0, PLACES)
        live, inside = (line < stop)[:, None], (place < candidates)[None, :]
        found = tl.zeros((LINES, PLACES), dtype=tl.float32)
        for label in range(LABELS):
            matrix = edges + (label * graphs + graph) * candidates * candidates
            for first in range(0, candidates, INNER):
                inner = first + tl.arange(0, INNER)
                at = (label * lines.to(tl.int64) + line[:, None]) * candidates + inner[None, :]
                felt = tl.load(pull + at, mask=live & (inner < candidates)[None, :], other=0.0)
                cell = place[None, :] * candidates + inner[:, None]
                edge = tl.load(matrix + cell, mask=(inner < candidates)[:, None] & inside, other=0.0)
                found += tl.dot(felt, edge, input_precision=PRECISION)
        here = line[:, None] * candidates + place[None, :]
        whole = (graph * HEADS + line % HEADS)[:, None] * candidates + place[None, :]
        found += tl.load(total_grad + whole, mask=live & inside, other=0.0)
        found += tl.load(through + here, mask=live & inside, other=0.0)
        tl.store(claims_grad + here, found, mask=live & inside)


class PairNear(torch.autograd.Function):
    """As `prune4sed.nn.kernels.pair_near`."""

    @staticmethod
    def forward(
        ctx: Any, claims: Tensor, edges: Tensor, floor: Tensor, starts: Tensor, largest: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        assert claims.is_contiguous()  # they are given back as they are
        edges = edges.contiguous()
        (labels, graphs), (rows, heads, candidates) = edges.shape[:2], claims.shape
        places = min(_MOST_PLACES, max(16, triton.next_power_of_2(candidates)))
        ctx.grid = graphs, triton.cdiv(largest * heads, _LINES), triton.cdiv(candidates, places)
        ctx.shape = {
            "LABELS": labels,
            "HEADS": heads,
            "LINES": _LINES,
            "PLACES": places,
            "INNER": _INNER,
            "PRECISION": product_precision(),
        }
        near = claims.new_zeros((labels, rows, heads, candidates))  # rows of no graph are written by none
        _near_forward[ctx.grid](
            claims, edges, floor, starts, near, graphs, rows * heads, candidates,
            **ctx.shape, num_warps=_WARPS,
        )  # fmt: skip
        ctx.save_for_backward(edges, floor, starts, near)
        return near, sum_rows(claims.flatten(1), starts).view(graphs, heads, candidates), claims

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        near_grad, total_grad, through = (grad.contiguous() for grad in grads)
        edges, floor, starts, near = ctx.saved_tensors
        graphs, (rows, heads, candidates) = edges.shape[1], through.shape
        lines, all_lines = rows * heads, near.numel() // candidates
        pull, claims_grad = torch.empty_like(near), torch.zeros_like(through)
        blocks = triton.cdiv(all_lines, _FEW_LINES)
        to_floor = floor.new_empty((blocks, heads))
        _near_pull[(blocks,)](
            floor, near, near_grad, pull, to_floor, all_lines, candidates,
            HEADS=heads, LINES=_FEW_LINES, PLACES=_FEW_PLACES, num_warps=4,
        )  # fmt: skip
        _near_backward[ctx.grid](
            pull, edges, starts, total_grad, through, claims_grad, graphs, lines, candidates,
            **ctx.shape, num_warps=_WARPS,
        )  # fmt: skip
        return claims_grad, None, sum_parts(to_floor).view_as(floor), None, None
