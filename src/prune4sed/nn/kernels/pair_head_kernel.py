"""The last claims and costs of pairs: two linear layers of one output, log-softmax and softplus, in one go.

A program has all candidates of a row at once. Backward, every program adds up the weights' gradients of its
own rows, to be summed at the end.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from prune4sed.nn.kernels.graph_kernel import sum_rows
from prune4sed.nn.kernels.parts_kernel import sum_parts

__all__ = ["PairEnd"]

_PROGRAMS = 1056
# The score of candidates that are no nodes.
_NEVER = tl.constexpr(-1e4)


@triton.jit
def _head_forward(  # type: ignore[no-untyped-def]
    x, score, trust, weight, bias, log_keep, there, graph_of, logs, costs, candidates,
    WIDTH: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    column, place = tl.arange(0, WIDTH), tl.arange(0, PLACES)
    live = place < candidates
    cell = row * candidates + place
    value = tl.load(x + cell[:, None] * WIDTH + column[None, :], mask=live[:, None], other=0.0)
    of_graph = tl.load(graph_of + row) * candidates + place
    real = tl.load(there + of_graph, mask=live, other=0).to(tl.int32) != 0
    scores = tl.sum(value * tl.load(score + column)[None, :], 1)
    scores += tl.load(trust) * tl.load(log_keep + of_graph, mask=live, other=0.0)
    scores = tl.where(live, tl.where(real, scores, _NEVER), float("-inf"))
    scores -= tl.max(scores, 0)
    tl.store(logs + cell, scores - tl.log(tl.sum(tl.exp(scores), 0)), mask=live)
    raw = tl.sum(value * tl.load(weight + column)[None, :], 1) + tl.load(bias)
    cost = tl.maximum(raw, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(raw)))
    tl.store(costs + cell, cost, mask=live)


@triton.jit
def _head_backward(  # type: ignore[no-untyped-def]
    x, score, trust, weight, log_keep, there, graph_of, logs, costs, logs_grad, costs_grad,
    x_grad, keep_grad, weights_grad, rows, candidates,
    WIDTH: tl.constexpr, PLACES: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    column, place = tl.arange(0, WIDTH), tl.arange(0, PLACES)
    live = place < candidates
    for_score, for_cost = tl.load(score + column)[None, :], tl.load(weight + column)[None, :]
    faith = tl.load(trust)
    to_score, to_weight = tl.zeros((WIDTH,), dtype=tl.float32), tl.zeros((WIDTH,), dtype=tl.float32)
    to_trust, to_bias = tl.zeros((PLACES,), dtype=tl.float32), tl.zeros((PLACES,), dtype=tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        cell = (row * candidates + place).to(tl.int64)
        of_graph = tl.load(graph_of + row) * candidates + place
        real = tl.load(there + of_graph, mask=live, other=0).to(tl.int32) != 0
        by_log = tl.load(logs_grad + cell, mask=live, other=0.0)
        share = tl.exp(tl.load(logs + cell, mask=live, other=float("-inf")))
        by_score = tl.where(real, by_log - share * tl.sum(by_log, 0), 0.0)
        # The slope of the softplus, read off its value.
        slope = 1.0 - tl.exp(-tl.load(costs + cell, mask=live, other=0.0))
        by_cost = tl.load(costs_grad + cell, mask=live, other=0.0) * slope
        here = cell[:, None] * WIDTH + column[None, :]
        value = tl.load(x + here, mask=live[:, None], other=0.0)
        pull = by_score[:, None] * for_score + by_cost[:, None] * for_cost
        tl.store(x_grad + here, pull, mask=live[:, None])
        tl.store(keep_grad + cell, by_score * faith, mask=live)
        to_score += tl.sum(value * by_score[:, None], 0)
        to_weight += tl.sum(value * by_cost[:, None], 0)
        to_trust += by_score * tl.load(log_keep + of_graph, mask=live, other=0.0)
        to_bias += by_cost
    part = weights_grad + program.to(tl.int64) * (2 * WIDTH + 2)
    tl.store(part + column, to_score)
    tl.store(part + WIDTH + column, to_weight)
    tl.store(part + 2 * WIDTH, tl.sum(to_trust, 0))
    tl.store(part + 2 * WIDTH + 1, tl.sum(to_bias, 0))


class PairEnd(torch.autograd.Function):
    """As `prune4sed.nn.kernels.pair_head`."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        score: Tensor,
        trust: Tensor,
        weight: Tensor,
        bias: Tensor,
        log_keep: Tensor,
        there: Tensor,
        starts: Tensor,
        graph_of: Tensor,
    ) -> tuple[Tensor, Tensor]:
        x, log_keep, there = (each.contiguous() for each in (x, log_keep, there))
        rows, candidates, width = x.shape
        ctx.shape = {"WIDTH": width, "PLACES": max(16, triton.next_power_of_2(candidates))}
        logs, costs = (x.new_empty((rows, candidates)) for _ in range(2))
        _head_forward[(rows,)](
            x, score, trust, weight, bias, log_keep, there, graph_of, logs, costs, candidates,
            **ctx.shape, num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(x, score, trust, weight, log_keep, there, starts, graph_of, logs, costs)
        return logs, costs

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        x, score, trust, weight, log_keep, there, starts, graph_of, logs, costs = ctx.saved_tensors
        rows, candidates, width = x.shape
        x_grad, keep_grad = torch.empty_like(x), torch.empty_like(logs)
        parts = x.new_empty((min(_PROGRAMS, rows), 2 * width + 2))
        _head_backward[(len(parts),)](
            x, score, trust, weight, log_keep, there, graph_of, logs, costs,
            *(grad.contiguous() for grad in grads), x_grad, keep_grad, parts, rows, candidates,
            **ctx.shape, num_warps=4, num_stages=1,
        )  # fmt: skip
        to_score, to_weight, to_trust, to_bias = sum_parts(parts).split([width, width, 1, 1])
        to_weights = to_score.view_as(score), to_trust.view_as(trust), to_weight.view_as(weight), to_bias
        return x_grad, *to_weights, sum_rows(keep_grad, starts), None, None, None
