"""How strongly every query node claims each candidate: score, keep term, mask and softmax in one kernel.

A program has all candidates of a row at once, and backward some after others. The features go through
unchanged, so that backward what is felt further on and what the claims feel is added up here, and not in
a pass over memory of its own.
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

__all__ = ["PairClaim"]

_PROGRAMS = 1056
_PLACES = 64
# The score of candidates that are no nodes.
_NEVER = tl.constexpr(-1e4)


@triton.jit
def _claim_forward(  # type: ignore[no-untyped-def]
    x, score, trust, log_keep, there, mask, graph_of, claims, candidates,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, PADDED: tl.constexpr, PLACES: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    column, head, place = tl.arange(0, WIDTH), tl.arange(0, PADDED), tl.arange(0, PLACES)
    live, inside = place < candidates, head < HEADS
    here = (row * candidates + place)[:, None] * WIDTH + column[None, :]
    value = tl.load(x + here, mask=live[:, None], other=0.0)
    weight = tl.load(score + head[:, None] * WIDTH + column[None, :], mask=inside[:, None], other=0.0)
    of_graph = tl.load(graph_of + row) * candidates + place
    kept = tl.load(log_keep + of_graph, mask=live, other=0.0)
    real = tl.load(there + of_graph, mask=live, other=0).to(tl.int32) != 0
    scores = tl.dot(weight, tl.trans(value), input_precision=PRECISION)
    scores += tl.load(trust + head, mask=inside, other=0.0)[:, None] * kept[None, :]
    scores = tl.where(live[None, :], tl.where(real[None, :], scores, _NEVER), float("-inf"))
    share = tl.exp(scores - tl.max(scores, 1)[:, None])
    share = share / tl.sum(share, 1)[:, None]
    share = tl.where(tl.load(mask + row).to(tl.int32) != 0, share, 0.0)
    at = (row * HEADS + head)[:, None] * candidates + place[None, :]
    tl.store(claims + at, share, mask=inside[:, None] & live[None, :])


@triton.jit
def _claim_backward(  # type: ignore[no-untyped-def]
    x, score, trust, log_keep, there, graph_of, claims, claims_grad, through, x_grad, keep_grad, weights_grad,
    rows, candidates,
    WIDTH: tl.constexpr, HEADS: tl.constexpr, PADDED: tl.constexpr, PLACES: tl.constexpr,
    PRECISION: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    column, head = tl.arange(0, WIDTH), tl.arange(0, PADDED)
    inside = head < HEADS
    square = head[:, None] * WIDTH + column[None, :]
    weight = tl.load(score + square, mask=inside[:, None], other=0.0)
    faith = tl.load(trust + head, mask=inside, other=0.0)
    to_score = tl.zeros((PADDED, WIDTH), dtype=tl.float32)
    to_trust = tl.zeros((PADDED,), dtype=tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        line = (row * HEADS + head).to(tl.int64)[:, None] * candidates
        total = tl.zeros((PADDED,), dtype=tl.float32)
        for first in range(0, candidates, PLACES):
            place = first + tl.arange(0, PLACES)
            both = inside[:, None] & (place < candidates)[None, :]
            share = tl.load(claims + line + place[None, :], mask=both, other=0.0)
            total += tl.sum(tl.load(claims_grad + line + place[None, :], mask=both, other=0.0) * share, 1)
        of_graph = tl.load(graph_of + row) * candidates
        for first in range(0, candidates, PLACES):
            place = first + tl.arange(0, PLACES)
            live = place < candidates
            both = inside[:, None] & live[None, :]
            share = tl.load(claims + line + place[None, :], mask=both, other=0.0)
            by_claim = tl.load(claims_grad + line + place[None, :], mask=both, other=0.0)
            kept = tl.load(log_keep + of_graph + place, mask=live, other=0.0)
            real = tl.load(there + of_graph + place, mask=live, other=0).to(tl.int32) != 0
            by_score = tl.where(real[None, :], share * (by_claim - total[:, None]), 0.0)
            cell = (row * candidates + place).to(tl.int64)
            here = cell[:, None] * WIDTH + column[None, :]
            value = tl.load(x + here, mask=live[:, None], other=0.0)
            pull = tl.load(through + here, mask=live[:, None], other=0.0)
            pull += tl.dot(tl.trans(by_score), weight, input_precision=PRECISION)
            tl.store(x_grad + here, pull, mask=live[:, None])
            tl.store(keep_grad + cell, tl.sum(by_score * faith[:, None], 0), mask=live)
            to_score += tl.dot(by_score, value, input_precision=PRECISION)
            to_trust += tl.sum(by_score * kept[None, :], 1)
    part = weights_grad + program.to(tl.int64) * (HEADS * (WIDTH + 1))
    tl.store(part + square, to_score, mask=inside[:, None])
    tl.store(part + HEADS * WIDTH + head, to_trust, mask=inside)


class PairClaim(torch.autograd.Function):
    """As `prune4sed.nn.kernels.pair_claim`."""

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        score: Tensor,
        trust: Tensor,
        log_keep: Tensor,
        there: Tensor,
        mask: Tensor,
        starts: Tensor,
        graph_of: Tensor,
    ) -> tuple[Tensor, Tensor]:
        assert x.is_contiguous()  # it is given back as it is
        log_keep, there = log_keep.contiguous(), there.contiguous()
        rows, candidates, width = x.shape
        heads = len(score)
        ctx.shape = {
            "WIDTH": width,
            "HEADS": heads,
            "PADDED": max(16, heads),  # the least that a product takes
            "PRECISION": product_precision(),
        }
        claims = x.new_empty((rows, heads, candidates))
        _claim_forward[(rows,)](
            x, score, trust, log_keep, there, mask, graph_of, claims, candidates,
            **ctx.shape, PLACES=max(16, triton.next_power_of_2(candidates)), num_warps=4,
        )  # fmt: skip
        ctx.save_for_backward(x, score, trust, log_keep, there, starts, graph_of, claims)
        return claims, x

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        claims_grad, through = (grad.contiguous() for grad in grads)
        x, score, trust, log_keep, there, starts, graph_of, claims = ctx.saved_tensors
        rows, candidates, width = x.shape
        x_grad, keep_grad = torch.empty_like(x), x.new_empty((rows, candidates))
        programs = max(1, min(_PROGRAMS, rows))
        weights = x.new_empty((programs, len(score) * (width + 1)))
        _claim_backward[(programs,)](
            x, score, trust, log_keep, there, graph_of, claims, claims_grad, through,
            x_grad, keep_grad, weights, rows, candidates,
            **ctx.shape, PLACES=min(_PLACES, max(16, triton.next_power_of_2(candidates))),
            num_warps=4, num_stages=1,
        )  # fmt: skip
        to_score, to_trust = sum_parts(weights).split([score.numel(), len(score)])
        to_keep = sum_rows(keep_grad, starts)
        return x_grad, to_score.view_as(score), to_trust.view_as(trust), to_keep, None, None, None, None
