"""What a pair of nodes makes of its claims: features and perceptron of a pair layer, in one kernel each way.

    out = x + W2 bend(W1 [x, log claim / 4, edges, log(1 + others), claim / (claim + others)] + b1) + b2

where `bend` lets some of negative numbers through, `slope` of each unit, and what is beyond BOUND is cut off.
A cell is a pair (row, candidate). Neither the features nor the hidden layer of a tile of cells get to memory.
Backward, they are computed again, and every program adds up the weights' gradients of its own tiles, to be
summed at the end.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.graph_kernel import sum_rows
from prune4sed.nn.kernels.precision import product_precision

__all__ = ["LEAST_CLAIM", "PairThink"]

_CELLS = 64
# The backward pass holds more of every cell, and gradients of all weights: so few cells at a time, and so
# many warps, that registers suffice for the parts that products of this precision are made of.
_BACK = {"tf32": (16, 4), "tf32x3": (16, 8)}
_PROGRAMS = 528
# exp(-16): smaller claims look the same.
LEAST_CLAIM = tl.constexpr(1.1253517471925912e-07)
_ROOM = tl.constexpr(1e-6)


@triton.jit
def _look(  # type: ignore[no-untyped-def]
    claims, edges, total, graph_of, cell, live, candidates, HEADS: tl.constexpr
):
    """Claims, what all rows of the graph claim beside them, and the features that come of it.

    All are (4 * HEADS, cells): of every kind of feature its heads, so that one product takes them all.
    """
    feature = tl.arange(0, 4 * HEADS)
    kind, head = (feature // HEADS)[:, None], (feature % HEADS)[:, None]
    row, place = (cell // candidates).to(tl.int64), (cell % candidates)[None, :]
    there = live[None, :] & (kind >= 0)
    at = (row[None, :] * HEADS + head) * candidates + place
    graph = tl.load(graph_of + row, mask=live, other=0)
    of_graph = (graph[None, :] * HEADS + head) * candidates + place
    claim = tl.load(claims + at, mask=there, other=0.0)
    edge = tl.load(edges + at, mask=there & (kind == 1), other=0.0)
    whole = tl.load(total + of_graph, mask=there & (kind >= 2) & (place > 0), other=0.0)
    other = tl.maximum(whole - claim, 0.0)  # "deleted", in the first place, has room for all
    share = claim / (claim + other + _ROOM)
    told = tl.where(kind == 2, tl.log(1.0 + other), share)
    told = tl.where(kind == 1, edge, told)
    told = tl.where(kind == 0, tl.log(tl.maximum(claim, LEAST_CLAIM)) * 0.25, told)
    return claim, whole, told, at


@triton.jit
def _forward(  # type: ignore[no-untyped-def]
    x, claims, edges, total, graph_of, w1, b1, w2, b2, slope, out, cells, candidates,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, CELLS: tl.constexpr, PRECISION: tl.constexpr,
    BOUND: tl.constexpr,
):  # fmt: skip
    column, hide, feature = tl.arange(0, WIDTH), tl.arange(0, 2 * WIDTH), tl.arange(0, 4 * HEADS)
    wide = hide[:, None] * (WIDTH + 4 * HEADS)
    by_value = tl.trans(tl.load(w1 + wide + column[None, :]))
    by_told = tl.trans(tl.load(w1 + wide + WIDTH + feature[None, :]))
    second = tl.trans(tl.load(w2 + column[:, None] * (2 * WIDTH) + hide[None, :]))
    cell = tl.program_id(0) * CELLS + tl.arange(0, CELLS)
    live = cell < cells
    here = cell.to(tl.int64)[:, None] * WIDTH + column[None, :]
    value = tl.load(x + here, mask=live[:, None], other=0.0)
    _claim, _whole, told, _at = _look(claims, edges, total, graph_of, cell, live, candidates, HEADS)
    hidden = tl.dot(value, by_value, input_precision=PRECISION)
    hidden += tl.dot(tl.trans(told), by_told, input_precision=PRECISION)
    hidden += tl.load(b1 + hide)[None, :]
    hidden = tl.maximum(hidden, hidden * tl.load(slope + hide)[None, :])
    value += tl.dot(hidden, second, input_precision=PRECISION) + tl.load(b2 + column)[None, :]
    if BOUND > 0:
        value = tl.where(value > BOUND, BOUND, tl.where(value < -BOUND, -BOUND, value))  # NaN stays
    tl.store(out + here, value, mask=live[:, None])


@triton.jit
def _backward(  # type: ignore[no-untyped-def]
    x, claims, edges, total, graph_of, w1, b1, w2, slope, out, out_grad,
    x_grad, claims_grad, edges_grad, others_grad, weights_grad, cells, candidates,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, CELLS: tl.constexpr, PRECISION: tl.constexpr,
    BOUND: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    column, hide, feature = tl.arange(0, WIDTH), tl.arange(0, 2 * WIDTH), tl.arange(0, 4 * HEADS)
    kind, one = (feature // HEADS)[:, None], tl.arange(0, HEADS)[:, None]
    wide = hide[:, None] * (WIDTH + 4 * HEADS)
    at_value, at_told = wide + column[None, :], wide + WIDTH + feature[None, :]
    at_second = column[:, None] * (2 * WIDTH) + hide[None, :]
    by_value, by_told, second = tl.load(w1 + at_value), tl.load(w1 + at_told), tl.load(w2 + at_second)
    bias, leak = tl.load(b1 + hide), tl.load(slope + hide)[None, :]
    to_value = tl.zeros((2 * WIDTH, WIDTH), dtype=tl.float32)
    to_told = tl.zeros((2 * WIDTH, 4 * HEADS), dtype=tl.float32)
    to_second = tl.zeros((2 * WIDTH, WIDTH), dtype=tl.float32)
    to_b1 = tl.zeros((2 * WIDTH,), dtype=tl.float32)
    to_b2 = tl.zeros((WIDTH,), dtype=tl.float32)
    for tile in range(program, tl.cdiv(cells, CELLS), tl.num_programs(0)):
        cell = tile * CELLS + tl.arange(0, CELLS)
        live = cell < cells
        here = cell.to(tl.int64)[:, None] * WIDTH + column[None, :]
        value = tl.load(x + here, mask=live[:, None], other=0.0)
        pull = tl.load(out_grad + here, mask=live[:, None], other=0.0)
        if BOUND > 0:
            end = tl.load(out + here, mask=live[:, None], other=0.0)
            pull = tl.where(tl.abs(end) < BOUND, pull, 0.0)
        claim, whole, told, at = _look(claims, edges, total, graph_of, cell, live, candidates, HEADS)
        told = tl.trans(told)
        hidden = tl.dot(value, tl.trans(by_value), input_precision=PRECISION)
        hidden += tl.dot(told, tl.trans(by_told), input_precision=PRECISION)
        hidden += bias[None, :]
        on = hidden > 0
        hidden = tl.where(on, hidden, leak * hidden)
        to_second += tl.dot(tl.trans(hidden), pull, input_precision=PRECISION)
        to_b2 += tl.sum(pull, 0)
        back = tl.dot(pull, second, input_precision=PRECISION)
        back = tl.where(on, back, leak * back)
        to_value += tl.dot(tl.trans(back), value, input_precision=PRECISION)
        to_told += tl.dot(tl.trans(back), told, input_precision=PRECISION)
        to_b1 += tl.sum(back, 0)
        pull += tl.dot(back, by_value, input_precision=PRECISION)
        tl.store(x_grad + here, pull, mask=live[:, None])
        felt = tl.trans(tl.dot(back, by_told, input_precision=PRECISION))
        tl.store(edges_grad + at, felt, mask=live[None, :] & (kind == 1))
        other = tl.maximum(whole - claim, 0.0)
        bottom = claim + other + _ROOM
        by_share = felt / (bottom * bottom)
        by_other = tl.where(kind == 2, felt / (1.0 + other), tl.where(kind == 3, -by_share * claim, 0.0))
        place = (cell % candidates)[None, :]
        by_other = tl.where((place > 0) & (whole >= claim), by_other, 0.0)
        by_log = tl.where(claim >= LEAST_CLAIM, felt * 0.25 / tl.maximum(claim, LEAST_CLAIM), 0.0)
        by_claim = tl.where(kind == 0, by_log, tl.where(kind == 3, by_share * (other + _ROOM), 0.0))
        by_claim = tl.sum(tl.reshape(by_claim - by_other, (4, HEADS, CELLS)), 0)
        by_other = tl.sum(tl.reshape(by_other, (4, HEADS, CELLS)), 0)
        row = (cell // candidates).to(tl.int64)[None, :]
        once = (row * HEADS + one) * candidates + place
        tl.store(claims_grad + once, by_claim, mask=live[None, :])
        tl.store(others_grad + once, by_other, mask=live[None, :])
    part = weights_grad + program.to(tl.int64) * (2 * WIDTH * (2 * WIDTH + 4 * HEADS) + 3 * WIDTH)
    tl.store(part + at_value, to_value)
    tl.store(part + at_told, to_told)
    part += 2 * WIDTH * (WIDTH + 4 * HEADS)
    tl.store(part + hide, to_b1)
    tl.store(part + 2 * WIDTH + at_second, tl.trans(to_second))
    tl.store(part + 2 * WIDTH * (WIDTH + 1) + column, to_b2)


class PairThink(torch.autograd.Function):
    """As `prune4sed.nn.kernels.pair_think`."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        claims: Tensor,
        edges: Tensor,
        total: Tensor,
        w1: Tensor,
        b1: Tensor,
        w2: Tensor,
        b2: Tensor,
        starts: Tensor,
        graph_of: Tensor,
        slope: Tensor,
        bound: float,
    ) -> Tensor:
        x, claims, edges, total = (each.contiguous() for each in (x, claims, edges, total))
        rows, candidates, width = x.shape
        cells, out = rows * candidates, torch.empty_like(x)
        ctx.shape = {"WIDTH": width, "HEADS": claims.shape[1], "PRECISION": product_precision()}
        ctx.shape["BOUND"] = bound
        _forward[(triton.cdiv(cells, _CELLS),)](
            x, claims, edges, total, graph_of, w1, b1, w2, b2, slope, out, cells, candidates,
            **ctx.shape, CELLS=_CELLS, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(x, claims, edges, total, graph_of, starts, w1, b1, w2, slope, out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, claims, edges, total, graph_of, starts, w1, b1, w2, slope, out = ctx.saved_tensors
        rows, candidates, width = x.shape
        cells = rows * candidates
        x_grad = torch.empty_like(x)
        claims_grad, edges_grad, others_grad = (torch.empty_like(claims) for _ in range(3))
        sizes = [w1.numel(), len(b1), w2.numel(), width]
        tile, warps = _BACK[ctx.shape["PRECISION"]]
        programs = min(_PROGRAMS, triton.cdiv(cells, tile))
        weights = x.new_empty((programs, sum(sizes)))
        _backward[(programs,)](
            x, claims, edges, total, graph_of, w1, b1, w2, slope, out, grad.contiguous(),
            x_grad, claims_grad, edges_grad, others_grad, weights, cells, candidates,
            **ctx.shape, CELLS=tile, num_warps=warps,
        )  # fmt: skip
        total_grad = sum_rows(others_grad.flatten(1), starts).view_as(total)
        to_w1, to_b1, to_w2, to_b2 = weights.sum(0).split(sizes)
        to_weights = to_w1.view_as(w1), to_b1, to_w2.view_as(w2), to_b2
        return x_grad, claims_grad, edges_grad, total_grad, *to_weights, None, None, None, None
