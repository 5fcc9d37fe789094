"""The first features of pairs: what query node, target node and counts tell, and a linear layer on it.

    out = W bend(of_query + of_target + V counted) + b

where `bend` lets some of negative numbers through, `slope` of each unit. The hidden layer of a pair (row,
candidate) never gets to memory. Backward, a program has some candidates of a graph and goes through the
graph's rows, so that sums over rows need no second pass.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.parts_kernel import sum_parts
from prune4sed.nn.kernels.precision import product_precision

__all__ = ["PairBegin"]

_CELLS, _PLACES = 32, 32


@triton.jit
def _load_counts(counted, cell, live, kind, KINDS: tl.constexpr):  # type: ignore[no-untyped-def]
    """What is counted about some cells, with zeros up to a number of kinds that products take."""
    known = live[:, None] & (kind < KINDS)[None, :]
    return tl.load(counted + cell[:, None] * KINDS + kind[None, :], mask=known, other=0.0)


@triton.jit
def _load_weights(both, hide, kind, KINDS: tl.constexpr):  # type: ignore[no-untyped-def]
    """Their weights, (kinds, hidden)."""
    at = hide[None, :] * KINDS + kind[:, None]
    return tl.load(both + at, mask=(kind < KINDS)[:, None], other=0.0)


@triton.jit
def _start_forward(  # type: ignore[no-untyped-def]
    of_query, of_target, counted, both, weight, bias, slope, graph_of, out, cells, candidates,
    WIDTH: tl.constexpr, KINDS: tl.constexpr, PADDED: tl.constexpr, CELLS: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    column, hide, kind = tl.arange(0, WIDTH), tl.arange(0, 2 * WIDTH), tl.arange(0, PADDED)
    cell = tl.program_id(0) * CELLS + tl.arange(0, CELLS)
    live = cell < cells
    row, there = (cell // candidates).to(tl.int64), live[:, None]
    of_graph = tl.load(graph_of + row, mask=live, other=0) * candidates + cell % candidates
    cell = cell.to(tl.int64)
    told = _load_counts(counted, cell, live, kind, KINDS)
    hidden = tl.dot(told, _load_weights(both, hide, kind, KINDS), input_precision=PRECISION)
    hidden += tl.load(of_query + row[:, None] * (2 * WIDTH) + hide[None, :], mask=there, other=0.0)
    hidden += tl.load(of_target + of_graph[:, None] * (2 * WIDTH) + hide[None, :], mask=there, other=0.0)
    second = tl.trans(tl.load(weight + column[:, None] * (2 * WIDTH) + hide[None, :]))
    hidden = tl.maximum(hidden, hidden * tl.load(slope + hide)[None, :])
    value = tl.dot(hidden, second, input_precision=PRECISION)
    value += tl.load(bias + column)[None, :]
    tl.store(out + cell[:, None] * WIDTH + column[None, :], value, mask=there)


@triton.jit
def _start_backward(  # type: ignore[no-untyped-def]
    of_query, of_target, counted, both, weight, slope, starts, out_grad,
    query_grad, target_grad, weights_grad, candidates,
    WIDTH: tl.constexpr, KINDS: tl.constexpr, PADDED: tl.constexpr, PLACES: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    graph, tile = tl.program_id(0).to(tl.int64), tl.program_id(1)
    column, hide, kind = tl.arange(0, WIDTH), tl.arange(0, 2 * WIDTH), tl.arange(0, PADDED)
    place = tile * PLACES + tl.arange(0, PLACES)
    live = place < candidates
    there, by_count = live[:, None], _load_weights(both, hide, kind, KINDS)
    at_target = (graph * candidates + place)[:, None] * (2 * WIDTH) + hide[None, :]
    theirs = tl.load(of_target + at_target, mask=there, other=0.0)
    at_weight = column[:, None] * (2 * WIDTH) + hide[None, :]
    second, leak = tl.load(weight + at_weight), tl.load(slope + hide)[None, :]
    to_target = tl.zeros((PLACES, 2 * WIDTH), dtype=tl.float32)
    to_weight = tl.zeros((2 * WIDTH, WIDTH), dtype=tl.float32)
    to_both = tl.zeros((2 * WIDTH, PADDED), dtype=tl.float32)
    to_bias = tl.zeros((WIDTH,), dtype=tl.float32)
    for row in range(tl.load(starts + graph), tl.load(starts + graph + 1)):
        cell = row * candidates + place
        ours = tl.load(of_query + row * (2 * WIDTH) + hide)
        told = _load_counts(counted, cell, live, kind, KINDS)
        hidden = theirs + ours[None, :] + tl.dot(told, by_count, input_precision=PRECISION)
        on = hidden > 0
        hidden = tl.where(on, hidden, leak * hidden)
        pull = tl.load(out_grad + cell[:, None] * WIDTH + column[None, :], mask=there, other=0.0)
        to_weight += tl.dot(tl.trans(hidden), pull, input_precision=PRECISION)
        to_bias += tl.sum(pull, 0)
        back = tl.dot(pull, second, input_precision=PRECISION)
        back = tl.where(on, back, leak * back)
        to_target += back
        tl.store(query_grad + (row * tl.num_programs(1) + tile) * (2 * WIDTH) + hide, tl.sum(back, 0))
        to_both += tl.dot(tl.trans(back), told, input_precision=PRECISION)
    tl.store(target_grad + at_target, to_target, mask=there)
    program = graph * tl.num_programs(1) + tile
    part = weights_grad + program * (2 * WIDTH * (KINDS + WIDTH) + WIDTH)
    tl.store(part + hide[:, None] * KINDS + kind[None, :], to_both, mask=(kind < KINDS)[None, :])
    tl.store(part + 2 * WIDTH * KINDS + at_weight, tl.trans(to_weight))
    tl.store(part + 2 * WIDTH * (KINDS + WIDTH) + column, to_bias)


class PairBegin(torch.autograd.Function):
    """As `prune4sed.nn.kernels.pair_start`."""

    @staticmethod
    def forward(
        ctx: Any,
        of_query: Tensor,
        of_target: Tensor,
        counted: Tensor,
        both: Tensor,
        weight: Tensor,
        bias: Tensor,
        starts: Tensor,
        graph_of: Tensor,
        slope: Tensor,
    ) -> Tensor:
        of_query, of_target, counted = (x.contiguous() for x in (of_query, of_target, counted))
        (rows, candidates, kinds), width = counted.shape, len(bias)
        cells, out = rows * candidates, of_query.new_empty((rows, candidates, width))
        padded = max(16, triton.next_power_of_2(kinds))
        ctx.shape = {"WIDTH": width, "KINDS": kinds, "PADDED": padded, "PRECISION": product_precision()}
        _start_forward[(triton.cdiv(cells, _CELLS),)](
            of_query, of_target, counted, both, weight, bias, slope, graph_of, out, cells, candidates,
            **ctx.shape, CELLS=_CELLS, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(of_query, of_target, counted, both, weight, slope, starts)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        of_query, of_target, counted, both, weight, slope, starts = ctx.saved_tensors
        (graphs, candidates, hidden), rows, width = of_target.shape, len(of_query), len(weight)
        tiles = triton.cdiv(candidates, _PLACES)
        target_grad = torch.empty_like(of_target)
        query_grad = of_query.new_zeros((rows, tiles, hidden))  # rows of no graph are written by none
        sizes = [both.numel(), weight.numel(), width]
        weights = weight.new_empty((graphs * tiles, sum(sizes)))
        _start_backward[(graphs, tiles)](
            of_query, of_target, counted, both, weight, slope, starts, grad.contiguous(),
            query_grad, target_grad, weights, candidates,
            **ctx.shape, PLACES=_PLACES, num_warps=4,
        )  # fmt: skip
        to_both, to_weight, to_bias = sum_parts(weights).split(sizes)
        to_weights = to_both.view_as(both), to_weight.view_as(weight), to_bias
        return query_grad.sum(1), target_grad, None, *to_weights, None, None, None
