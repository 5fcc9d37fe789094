"""Attention of the rows of every target over the few rows of its query, and a zero key beside them.

A program has one target and one attention head: all keys fit at once, and the target's rows pass in blocks.
The zero key has score 0 and value 0; it only adds to the sum that weights are divided by.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.parts_kernel import sum_parts
from prune4sed.nn.kernels.precision import product_precision

__all__ = ["Attend"]

_ROWS = 32


@triton.jit
def _attend_scores(rows, keys, valid, scale, PRECISION: tl.constexpr):  # type: ignore[no-untyped-def]
    """Scores of a block of rows, -inf where there is no key."""
    score = tl.dot(rows, tl.trans(keys), input_precision=PRECISION) * scale
    return tl.where(valid[None, :], score, float("-inf"))


@triton.jit
def _attend_forward(  # type: ignore[no-untyped-def]
    asked, bias, told, out, logsum, starts, query_starts, query_of, width, scale,
    DEPTH: tl.constexpr, PADDED: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, HEADS: tl.constexpr,
    PRECISION: tl.constexpr, SHARED: tl.constexpr,
):  # fmt: skip
    graph = tl.program_id(0).to(tl.int64)
    head = tl.program_id(2)
    stop = tl.load(starts + graph + 1)
    begin = tl.load(starts + graph) + tl.program_id(1) * ROWS
    if begin >= stop:
        return
    query = graph
    if SHARED:
        query = tl.load(query_of + graph)
    key_at = tl.load(query_starts + query) + tl.arange(0, KEYS)
    valid = key_at < tl.load(query_starts + query + 1)
    inside = tl.arange(0, PADDED) < DEPTH
    column = head * DEPTH + tl.arange(0, PADDED)
    place = told + key_at[:, None] * (2 * width) + column[None, :]
    keys = tl.load(place, mask=valid[:, None] & inside[None, :], other=0.0)
    values = tl.load(place + width, mask=valid[:, None] & inside[None, :], other=0.0)
    row = begin + tl.arange(0, ROWS)
    live = row < stop
    here = row[:, None] * width + column[None, :]
    block = tl.load(asked + here, mask=live[:, None] & inside[None, :], other=0.0)
    block += tl.load(bias + column, mask=inside, other=0.0)[None, :]
    score = _attend_scores(block, keys, valid, scale, PRECISION)
    peak = tl.maximum(tl.max(score, 1), 0.0)
    weight = tl.exp(score - peak[:, None])
    mass = tl.sum(weight, 1) + tl.exp(-peak)
    found = tl.dot(weight, values, input_precision=PRECISION) / mass[:, None]
    tl.store(out + here, found, mask=live[:, None] & inside[None, :])
    tl.store(logsum + row * HEADS + head, peak + tl.log(mass), mask=live)


@triton.jit
def _attend_backward(  # type: ignore[no-untyped-def]
    asked, bias, told, logsum, out, grad, asked_grad, told_grad, parts, starts, query_starts, width, scale,
    DEPTH: tl.constexpr, PADDED: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr, HEADS: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    graph = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    key_at = tl.load(query_starts + graph) + tl.arange(0, KEYS)
    valid = key_at < tl.load(query_starts + graph + 1)
    inside = tl.arange(0, PADDED) < DEPTH
    column = head * DEPTH + tl.arange(0, PADDED)
    place = key_at[:, None] * (2 * width) + column[None, :]
    keys = tl.load(told + place, mask=valid[:, None] & inside[None, :], other=0.0)
    values = tl.load(told + place + width, mask=valid[:, None] & inside[None, :], other=0.0)
    shift = tl.load(bias + column, mask=inside, other=0.0)[None, :]
    to_bias = tl.zeros((PADDED,), dtype=tl.float32)
    to_keys = tl.zeros((KEYS, PADDED), dtype=tl.float32)
    to_values = tl.zeros((KEYS, PADDED), dtype=tl.float32)
    stop = tl.load(starts + graph + 1)
    for first in range(tl.load(starts + graph), stop, ROWS):
        row = first + tl.arange(0, ROWS)
        live = row < stop
        here = row[:, None] * width + column[None, :]
        block = tl.load(asked + here, mask=live[:, None] & inside[None, :], other=0.0)
        block = tl.where(live[:, None], block + shift, 0.0)
        pull = tl.load(grad + here, mask=live[:, None] & inside[None, :], other=0.0)
        inner = tl.sum(pull * tl.load(out + here, mask=live[:, None] & inside[None, :], other=0.0), 1)
        mass = tl.load(logsum + row * HEADS + head, mask=live, other=0.0)
        weight = tl.exp(_attend_scores(block, keys, valid, scale, PRECISION) - mass[:, None])
        by_weight = tl.dot(pull, tl.trans(values), input_precision=PRECISION)
        by_score = weight * (by_weight - inner[:, None]) * scale
        to_block = tl.dot(by_score, keys, input_precision=PRECISION)
        tl.store(asked_grad + here, to_block, mask=live[:, None] & inside[None, :])
        to_bias += tl.sum(to_block, 0)
        to_keys += tl.dot(tl.trans(by_score), block, input_precision=PRECISION)
        to_values += tl.dot(tl.trans(weight), pull, input_precision=PRECISION)
    tl.store(parts + graph * width + column, to_bias, mask=inside)
    tl.store(told_grad + place, to_keys, mask=valid[:, None] & inside[None, :])
    tl.store(told_grad + place + width, to_values, mask=valid[:, None] & inside[None, :])


class Attend(torch.autograd.Function):
    """As `prune4sed.nn.kernels.attend`; a gradient only where every target has a query of its own."""

    @staticmethod
    def forward(
        ctx: Any,
        asked: Tensor,
        bias: Tensor,
        told: Tensor,
        starts: Tensor,
        query_starts: Tensor,
        query_of: Tensor | None,
        heads: int,
        largest: tuple[int, int],
    ) -> Tensor:
        asked, told = asked.contiguous(), told.contiguous()
        rows, width = asked.shape
        # Rows of no graph are zero, for they go on through the layers that follow.
        out, logsum = torch.zeros_like(asked), asked.new_empty((rows, heads))
        graphs = len(starts) - 2
        ctx.shape = {
            "DEPTH": width // heads,
            "PADDED": max(16, triton.next_power_of_2(width // heads)),  # the least that a product takes
            "ROWS": _ROWS,
            "KEYS": max(16, triton.next_power_of_2(largest[1])),
            "HEADS": heads,
            "PRECISION": product_precision(),
        }
        ctx.scale, ctx.shared = (width // heads) ** -0.5, query_of is not None
        grid = graphs, triton.cdiv(largest[0], _ROWS), heads
        _attend_forward[grid](
            asked, bias, told, out, logsum, starts, query_starts, starts if query_of is None else query_of,
            width, ctx.scale, **ctx.shape, SHARED=ctx.shared, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(asked, bias, told, logsum, out, starts, query_starts)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        asked, bias, told, logsum, out, starts, query_starts = ctx.saved_tensors
        assert not ctx.shared, "pairs that share queries are for prediction alone"
        grads = torch.zeros_like(asked), torch.zeros_like(told)
        grid = len(starts) - 2, ctx.shape["HEADS"]
        parts = asked.new_empty((grid[0], asked.shape[1]))
        _attend_backward[grid](
            asked, bias, told, logsum, out, grad.contiguous(), *grads, parts, starts, query_starts,
            asked.shape[1], ctx.scale, **ctx.shape, num_warps=4,
        )  # fmt: skip
        return grads[0], sum_parts(parts), grads[1], None, None, None, None, None
