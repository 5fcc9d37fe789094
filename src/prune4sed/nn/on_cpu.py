"""Prediction on a CPU, where the compiled engine runs whole layers while their rows stay in its caches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from prune4sed import _native
from prune4sed.nn.batch import GraphBatch

if TYPE_CHECKING:
    from prune4sed.nn.gin import GINEncoder
    from prune4sed.nn.pair_layer import PairGrid, PairLayer
    from prune4sed.nn.query_attention import QueryView
    from prune4sed.nn.query_aware import QueryAware

__all__ = ["aware_stages", "engine_serves", "gin_sums", "pair_rounds", "torch_alone"]

_LANES = 16  # the engine takes widths that are multiples of this
_LEFT_OUT = 0  # how many ask for torch alone


def engine_serves(x: Tensor) -> bool:
    """Whether the engine can take the place of torch: on a CPU, with nothing to be learnt, and in float32."""
    wanted = not _LEFT_OUT and not torch.is_grad_enabled()
    return wanted and x.device.type == "cpu" and x.dtype == torch.float32


@contextmanager
def torch_alone() -> Iterator[None]:
    """Every layer by torch, in all threads: for whoever listens to single ones, or compares the two."""
    global _LEFT_OUT
    _LEFT_OUT += 1
    try:
        yield
    finally:
        _LEFT_OUT -= 1


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
    heads = next((x.shape[1] for x in (scale, keep) if x is not None), 1)
    width = encoder.width + -encoder.width % _LANES
    sums = torch.empty(len(graphs), heads, len(encoder.layers) + 1, width)
    embedding, bias = _wide(encoder.embedding.weight), _wide(encoder.embedding.bias)
    matrices = torch.stack([_wide(_wide(part.weight).T) for part in linear])
    biases = torch.stack([_wide(part.bias) for part in linear])
    folded = torch.cat([embedding, bias.unsqueeze(0)]) @ matrices[0]
    weights = embedding, bias, matrices, biases, folded
    _native.gin_sums(_rows(graphs), heads, _array(scale), _array(keep), _arrays(weights), sums.numpy())
    return sums[..., : encoder.width].flatten(2)


def aware_stages(module: QueryAware, target: GraphBatch, views: Sequence[QueryView]) -> Tensor:
    """Features of target nodes after every stage, side by side.

    Parameters
    ----------
    module : QueryAware
        In evaluation, with attention over queries, without edge labels; its width is a multiple of 16.
    target : GraphBatch
        Targets of R rows.
    views : sequence of QueryView
        What each stage looks at.

    Returns
    -------
    Tensor, (R, stages * width)
    """
    stages = torch.empty(target.rows, len(views), module.embedding.weight.shape[1])
    stages[int(target.starts[-2]) :] = 0  # rows that are no nodes
    query_of, queries = views[0].query_of, views[0].queries
    first: Any = module.blocks[0]
    _native.aware_stages(
        _rows(target),
        torch.stack([view.told[: int(queries.starts[-2])] for view in views]).numpy(),
        queries.starts[:-1].numpy(),
        None if query_of is None else query_of.numpy(),
        first.attention.heads,
        _arrays(_aware_weights(module)),
        stages.numpy(),
    )
    return stages.flatten(1)


def pair_rounds(layers: Sequence[PairLayer], x: Tensor, grid: PairGrid) -> Tensor:
    """Pair features after several rounds.

    Parameters
    ----------
    layers : sequence of PairLayer
        At least one, all of one width and as many heads.
    x : Tensor, (R, C, width)
        Features before.
    grid : PairGrid
        With edges of one label.

    Returns
    -------
    Tensor, (R, C, width)
        What is no node, on either side, keeps what it had.
    """
    out, first = x.clone(memory_format=torch.contiguous_format), layers[0]
    weights = [
        _stack([layer.claim.score.weight.T for layer in layers]),
        _stack([layer.claim.trust for layer in layers]),
        _stack([layer.floor for layer in layers]),
        _stack([layer.first.weight.T for layer in layers]),
        _stack([layer.first.bias for layer in layers]),
        _stack([layer.bend.slopes(x) for layer in layers]),
        _stack([layer.second.weight.T for layer in layers]),
        _stack([layer.second.bias for layer in layers]),
    ]
    _native.pair_rounds(
        _rows(grid.queries),
        _array(grid.there),
        _array(grid.edges),
        _array(grid.log_keep),
        x.shape[2],
        len(first.floor),
        first.bound,
        _arrays(weights),
        out.numpy(),
    )
    return out


def _aware_weights(module: QueryAware) -> list[Tensor]:
    """In the order of the engine's AwareWeights."""
    blocks: list[Any] = list(module.blocks)
    layers: list[Any] = list(module.layers)
    width = module.embedding.weight.shape[1]
    middles, biases = zip(*(block.as_linear() for block in blocks), strict=True)
    last = [block.weigh[2] for block in blocks]
    scales, shifts = zip(*(block.norm.as_linear() for block in blocks), strict=True)
    ask = [block.attention for block in blocks]
    return [
        module.embedding.weight,
        module.embedding.bias,
        _stack([part.in_proj_weight[:width].T for part in ask]),
        _stack([part.in_proj_bias[:width] for part in ask]),
        _stack([middle.T for middle in middles]),
        _stack(biases),
        _stack([part.weight[0] for part in last]),
        _stack([part.bias for part in last]),
        _stack(scales),
        _stack(shifts),
        _stack([layer.source.weight.T for layer in layers]),
        _stack([layer.source.bias for layer in layers]),
        _stack([layer.end.weight.T for layer in layers]),
        _stack([layer.end.bias for layer in layers]),
        _stack([layer.attention for layer in layers]),
        _stack([layer.bias for layer in layers]),
    ]


def _rows(graphs: GraphBatch) -> Any:
    links = graphs.links
    parts = graphs.starts[:-1], links.first, links.last, links.neighbours, graphs.labels
    return _native.NodeRows(*(x.numpy() for x in parts))


def _stack(parts: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(parts)) if parts else torch.empty(0)


def _array(x: Tensor | None) -> Any:
    return None if x is None else x.detach().contiguous().numpy()


def _arrays(tensors: Sequence[Tensor]) -> list[Any]:
    return [_array(x) for x in tensors]


def _wide(x: Tensor) -> Tensor:
    """With columns of zeros up to a width that the engine takes; they stay zero in all layers."""
    return nn.functional.pad(x.detach(), (0, -x.shape[-1] % _LANES))
