"""Layers that the compiled engine goes through and back again: training on a CPU.

On the way back it computes anew what it needs. The GIN encoder goes there and back with a few graphs at a
time, so that little but sums and gradients leaves a core's caches. There are first derivatives alone, and
nothing for torch.func; for more than that, see `torch_alone`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from prune4sed import _native
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.on_cpu import LANES, array_of, arrays_of, rows_of

if TYPE_CHECKING:
    from prune4sed.nn.gin import GINEncoder
    from prune4sed.nn.query_attention import QueryView

__all__ = ["gin_sums", "graph_means", "query_means"]

_ROWS_PER_THREAD = 128


def gin_sums(encoder: GINEncoder, graphs: GraphBatch, scale: Tensor | None, keep: Tensor | None) -> Tensor:
    """What the encoder adds up over nodes before its first layer and after each.

    Parameters
    ----------
    encoder : GINEncoder
        Without edge labels.
    graphs : GraphBatch
        B graphs of R rows.
    scale : Tensor, (R, M), or None
        Factors on the label vectors.
    keep : Tensor of bool, (R, M), or None
        Which nodes are there.

    Returns
    -------
    Tensor, (B, M, (layers + 1) * width)
        M is 1 without `scale` and `keep`.
    """
    linear = [part for part in encoder.layers.modules() if isinstance(part, nn.Linear)]
    embedding, bias = _wide(encoder.embedding.weight), _wide(encoder.embedding.bias)
    matrices = torch.stack([_wide(_wide(part.weight).T) for part in linear])
    biases = torch.stack([_wide(part.bias) for part in linear])
    folded = torch.cat([embedding, bias.unsqueeze(0)]) @ matrices[0]
    sums: Tensor = _GinSums.apply(graphs, keep, scale, embedding, bias, matrices, biases, folded)  # type: ignore[no-untyped-call]
    return sums[..., : encoder.width].flatten(2)


class _GinSums(Function):
    """From factors and weights to sums over nodes, (B, M, layers + 1, width)."""

    @staticmethod
    def forward(
        ctx: Any, graphs: GraphBatch, keep: Tensor | None, scale: Tensor | None, *weights: Tensor
    ) -> Tensor:
        ctx.graphs = graphs
        ctx.heads = next((x.shape[1] for x in (scale, keep) if x is not None), 1)
        ctx.save_for_backward(keep, scale, *weights)
        sums = weights[0].new_empty(len(graphs), ctx.heads, len(weights[2]) // 2 + 1, len(weights[1]))
        threads = _threads(graphs.rows * ctx.heads)
        _native.gin_sums(*_gin_arguments(ctx, keep, scale, *weights), threads, sums.numpy())
        return sums

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, told: Tensor) -> tuple[Tensor | None, ...]:
        keep, scale, *weights = ctx.saved_tensors
        turned = np.ascontiguousarray(array_of(weights[2]).swapaxes(1, 2))
        threads = _threads(ctx.graphs.rows * ctx.heads)
        # Every thread adds to gradients of its own.
        gradients = [x.new_zeros(threads, *x.shape) for x in weights]
        of_scale = None if scale is None else scale.new_zeros(scale.shape)
        asked = *_gin_arguments(ctx, keep, scale, *weights), turned, array_of(told)
        _native.gin_gradients(*asked, threads, arrays_of(gradients), array_of(of_scale))
        return None, None, of_scale, *(x.sum(0) for x in gradients)


def _gin_arguments(ctx: Any, keep: Tensor | None, scale: Tensor | None, *weights: Tensor) -> tuple[Any, ...]:
    return rows_of(ctx.graphs), ctx.heads, array_of(scale), array_of(keep), arrays_of(weights)


def graph_means(graphs: GraphBatch, source: Tensor, end: Tensor, attention: Tensor) -> Tensor:
    """GATv2's means over every node and its neighbours.

    Parameters
    ----------
    graphs : GraphBatch
        Graphs of R rows, without edge labels.
    source, end : Tensor, (R, width)
        Features of nodes as either end of an arc; the width is a multiple of 16.
    attention : Tensor, (width,)
        What their sum is scored by, after a leaky ReLU.

    Returns
    -------
    Tensor, (R, width)
        0 in rows that are no nodes.
    """
    out: Tensor = _GraphMeans.apply(graphs, source, end, attention)  # type: ignore[no-untyped-call]
    return out


class _GraphMeans(Function):
    @staticmethod
    def forward(ctx: Any, graphs: GraphBatch, source: Tensor, end: Tensor, attention: Tensor) -> Tensor:
        ctx.graphs = graphs
        out, log_mass = source.new_zeros(source.shape), source.new_zeros(len(source))
        made = arrays_of([out, log_mass])
        asked = arrays_of([source, end, attention])
        _native.graph_means(rows_of(graphs), *asked, _threads(graphs.rows), *made)
        ctx.save_for_backward(source, end, attention, log_mass, out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, told: Tensor) -> tuple[Tensor | None, ...]:
        source, end, attention, log_mass, out = ctx.saved_tensors
        threads = _threads(len(out))
        of_source, of_end = out.new_zeros(out.shape), out.new_zeros(out.shape)
        of_attention = out.new_zeros(threads, len(attention))
        asked = arrays_of([source, end, attention, log_mass, told, (told * out).sum(1)])
        made = arrays_of([of_source, of_end, of_attention])
        _native.graph_mean_gradients(rows_of(ctx.graphs), *asked, threads, *made)
        return None, of_source, of_end, of_attention.sum(0)


def query_means(asked: Tensor, targets: GraphBatch, view: QueryView, heads: int) -> Tensor:
    """What target nodes find in their query, with a zero key beside its nodes.

    Parameters
    ----------
    asked : Tensor, (R, width)
        What they ask.
    targets : GraphBatch
        Whose rows those are.
    view : QueryView
        What they look at; without gradients where several targets share a query.
    heads : int
        Of the attention.

    Returns
    -------
    Tensor, (R, width)
        0 in rows that are no nodes.
    """
    known = int(view.queries.starts[-2])
    starts = targets.starts[:-1], view.queries.starts[:-1]
    out: Tensor = _QueryMeans.apply(starts, view.query_of, heads, asked, view.told[:known])  # type: ignore[no-untyped-call]
    return out


class _QueryMeans(Function):
    @staticmethod
    def forward(
        ctx: Any,
        starts: tuple[Tensor, Tensor],
        query_of: Tensor | None,
        heads: int,
        asked: Tensor,
        told: Tensor,
    ) -> Tensor:
        ctx.starts, ctx.heads, ctx.shared = arrays_of(starts), heads, query_of is not None
        found, log_mass = asked.new_zeros(asked.shape), asked.new_zeros(len(asked), heads)
        who = *_asking(ctx.starts, asked, told), array_of(query_of), heads
        _native.query_means(*who, _threads(len(asked)), *arrays_of([found, log_mass]))
        ctx.save_for_backward(asked, told, log_mass, found)
        return found

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, from_: Tensor) -> tuple[Tensor | None, ...]:
        assert not ctx.shared, "queries that targets share have no gradients"
        asked, told, log_mass, found = ctx.saved_tensors
        of_asked, of_told = asked.new_zeros(asked.shape), told.new_zeros(told.shape)
        made = arrays_of([log_mass, found, from_])
        who = *_asking(ctx.starts, asked, told), ctx.heads
        _native.query_mean_gradients(*who, *made, _threads(len(asked)), *arrays_of([of_asked, of_told]))
        return None, None, None, of_asked, of_told


def _asking(starts: list[Any], asked: Tensor, told: Tensor) -> tuple[Any, ...]:
    targets, queries = starts
    return targets, array_of(asked), array_of(told), queries


def _threads(rows: int) -> int:
    """No more than so many rows are worth: to start a thread takes as long as some of them."""
    return max(1, min(torch.get_num_threads(), rows // _ROWS_PER_THREAD))


def _wide(x: Tensor) -> Tensor:
    """With columns of zeros up to a width that the engine takes; they stay zero in all layers."""
    lacking = -x.shape[-1] % LANES
    return nn.functional.pad(x, (0, lacking)) if lacking else x
