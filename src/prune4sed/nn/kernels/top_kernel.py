"""The k-th largest score of every graph."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

__all__ = ["top_score"]


@triton.jit
def _top(scores, out, starts, heads, K: tl.constexpr, ROWS: tl.constexpr):  # type: ignore[no-untyped-def]
    graph = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1)
    place = tl.arange(0, ROWS)
    row = tl.load(starts + graph) + place
    live = row < tl.load(starts + graph + 1)
    value = tl.load(scores + row * heads + head, mask=live, other=float("-inf"))
    least = tl.min(tl.where(live, value, float("inf")), 0)
    best = least
    for _ in range(K):
        best = tl.max(value, 0)
        first = tl.min(tl.where(value == best, place, ROWS), 0)
        value = tl.where(place == first, float("-inf"), value)
    tl.store(out + graph * heads + head, tl.maximum(best, least))


def top_score(scores: Tensor, starts: Tensor, k: int, largest: int) -> Tensor:
    """As `prune4sed.nn.kernels.top_score`."""
    scores = scores.contiguous()
    graphs, heads = len(starts) - 2, scores.shape[1]
    out = scores.new_empty((graphs, heads))
    rows = max(16, triton.next_power_of_2(largest))
    warps = 4 if rows <= 1024 else 8
    _top[(graphs, heads)](scores, out, starts, heads, K=min(k, largest), ROWS=rows, num_warps=warps)
    return out
