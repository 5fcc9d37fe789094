"""What a pair of nodes makes of its claims: features and perceptron of a pair layer, in one kernel each way.

    out = x + W2 bend(W1 [x, log claim / 4, edges, log(1 + others), claim / (claim + others)] + b1) + b2

where `bend` lets some of negative numbers through, `slope` of each unit, and what is beyond BOUND is cut off.
A cell is a pair (row, candidate). Forward, neither the features nor the hidden layer of a tile of cells get
to memory. Backward, they are computed again and left there, for the gradients of the weights are products
over all cells: a library's kernels for those are faster than sums that every program keeps beside all else.
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

__all__ = ["LEAST_CLAIM", "PairThink"]

_CELLS, _WARPS = 64, 4
# The backward passes; more warps for the three parts that exact products are made of.
_BACK_CELLS, _BACK_WARPS = 64, {"tf32": 4, "tf32x3": 8}
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
def _think_forward(  # type: ignore[no-untyped-def]
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
def _think_hidden(  # type: ignore[no-untyped-def]
    x, claims, edges, total, graph_of, w1, b1, w2, slope, out, out_grad,
    seen, hidden, hidden_grad, pull, bias_grad, cells, candidates,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, CELLS: tl.constexpr, PRECISION: tl.constexpr,
    BOUND: tl.constexpr,
):  # fmt: skip
    """What a tile of cells sees, its hidden layer, the gradients of that and of the end."""
    column, hide, feature = tl.arange(0, WIDTH), tl.arange(0, 2 * WIDTH), tl.arange(0, 4 * HEADS)
    wide = hide[:, None] * (WIDTH + 4 * HEADS)
    by_value = tl.trans(tl.load(w1 + wide + column[None, :]))
    by_told = tl.trans(tl.load(w1 + wide + WIDTH + feature[None, :]))
    second = tl.load(w2 + column[:, None] * (2 * WIDTH) + hide[None, :])
    tile = tl.program_id(0)
    cell = tile * CELLS + tl.arange(0, CELLS)
    live = cell < cells
    there, long = live[:, None], cell.to(tl.int64)[:, None]
    value = tl.load(x + long * WIDTH + column[None, :], mask=there, other=0.0)
    at_seen = seen + long * (WIDTH + 4 * HEADS)
    tl.store(at_seen + column[None, :], value, mask=there)
    _claim, _whole, told, _at = _look(claims, edges, total, graph_of, cell, live, candidates, HEADS)
    told = tl.trans(told)
    tl.store(at_seen + WIDTH + feature[None, :], told, mask=there)
    middle = tl.dot(value, by_value, input_precision=PRECISION)
    middle += tl.dot(told, by_told, input_precision=PRECISION)
    middle += tl.load(b1 + hide)[None, :]
    leak = tl.load(slope + hide)[None, :]
    tl.store(hidden + long * (2 * WIDTH) + hide[None, :], tl.maximum(middle, leak * middle), mask=there)
    end = tl.load(out_grad + long * WIDTH + column[None, :], mask=there, other=0.0)
    if BOUND > 0:
        value = tl.load(out + long * WIDTH + column[None, :], mask=there, other=0.0)
        end = tl.where(tl.abs(value) < BOUND, end, 0.0)
    tl.store(pull + long * WIDTH + column[None, :], end, mask=there)
    back = tl.dot(end, second, input_precision=PRECISION)
    back = tl.where(middle > 0, back, leak * back)
    tl.store(hidden_grad + long * (2 * WIDTH) + hide[None, :], back, mask=there)
    part = bias_grad + tile.to(tl.int64) * (3 * WIDTH)
    tl.store(part + hide, tl.sum(back, 0))
    tl.store(part + 2 * WIDTH + column, tl.sum(end, 0))


@triton.jit
def _think_back(  # type: ignore[no-untyped-def]
    claims, edges, total, graph_of, w1, hidden_grad, pull,
    x_grad, claims_grad, edges_grad, others_grad, cells, candidates,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, CELLS: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    """Gradients of what came in, from that of the hidden layer."""
    column, hide, feature = tl.arange(0, WIDTH), tl.arange(0, 2 * WIDTH), tl.arange(0, 4 * HEADS)
    kind, one = (feature // HEADS)[:, None], tl.arange(0, HEADS)[:, None]
    wide = hide[:, None] * (WIDTH + 4 * HEADS)
    cell = tl.program_id(0) * CELLS + tl.arange(0, CELLS)
    live = cell < cells
    there, long = live[:, None], cell.to(tl.int64)[:, None]
    back = tl.load(hidden_grad + long * (2 * WIDTH) + hide[None, :], mask=there, other=0.0)
    by_value, by_told = tl.load(w1 + wide + column[None, :]), tl.load(w1 + wide + WIDTH + feature[None, :])
    end = tl.load(pull + long * WIDTH + column[None, :], mask=there, other=0.0)
    end += tl.dot(back, by_value, input_precision=PRECISION)
    tl.store(x_grad + long * WIDTH + column[None, :], end, mask=there)
    felt = tl.trans(tl.dot(back, by_told, input_precision=PRECISION))
    claim, whole, _told, at = _look(claims, edges, total, graph_of, cell, live, candidates, HEADS)
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
        _think_forward[(triton.cdiv(cells, _CELLS),)](
            x, claims, edges, total, graph_of, w1, b1, w2, b2, slope, out, cells, candidates,
            **ctx.shape, CELLS=_CELLS, num_warps=_WARPS,
        )  # fmt: skip
        ctx.save_for_backward(x, claims, edges, total, graph_of, starts, w1, b1, w2, slope, out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, claims, edges, total, graph_of, starts, w1, b1, w2, slope, out = ctx.saved_tensors
        rows, candidates, width = x.shape
        cells = rows * candidates
        tile = {"CELLS": _BACK_CELLS, "num_warps": _BACK_WARPS[ctx.shape["PRECISION"]]}
        tiles = triton.cdiv(cells, _BACK_CELLS)
        seen, hidden, hidden_grad, pull = (
            x.new_empty((cells, size)) for size in (w1.shape[1], 2 * width, 2 * width, width)
        )
        biases = x.new_empty((tiles, 3 * width))
        _think_hidden[(tiles,)](
            x, claims, edges, total, graph_of, w1, b1, w2, slope, out, grad.contiguous(),
            seen, hidden, hidden_grad, pull, biases, cells, candidates, **ctx.shape, **tile,
        )  # fmt: skip
        x_grad = torch.empty_like(x)
        claims_grad, edges_grad, others_grad = (torch.empty_like(claims) for _ in range(3))
        shape = {name: value for name, value in ctx.shape.items() if name != "BOUND"}
        _think_back[(tiles,)](
            claims, edges, total, graph_of, w1, hidden_grad, pull,
            x_grad, claims_grad, edges_grad, others_grad, cells, candidates, **shape, **tile,
        )  # fmt: skip
        total_grad = sum_rows(others_grad.flatten(1), starts).view_as(total)
        to_b1, to_b2 = sum_parts(biases).split([2 * width, width])
        to_weights = hidden_grad.T @ seen, to_b1, pull.T @ hidden, to_b2
        return x_grad, claims_grad, edges_grad, total_grad, *to_weights, None, None, None, None
