"""On a CPU the compiled engine runs whole layers, while their rows stay in its caches.

For training, where it has gradients to tell of some of them, see `taught_on_cpu`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from prune4sed import _native
from prune4sed.nn.batch import GraphBatch

if TYPE_CHECKING:
    from prune4sed.nn.pair_layer import PairGrid, PairLayer
    from prune4sed.nn.query_attention import QueryView
    from prune4sed.nn.query_aware import QueryAware

__all__ = [
    "LANES",
    "array_of",
    "arrays_of",
    "aware_stages",
    "engine_serves",
    "engine_teaches",
    "pair_rounds",
    "rows_of",
    "torch_alone",
]

#: The engine takes widths that are multiples of this.
LANES = 16
_LEFT_OUT = 0  # how many ask for torch alone


def engine_serves(x: Tensor) -> bool:
    """Whether the engine can take the place of torch: on a CPU, with nothing to be learnt, and in float32."""
    return not torch.is_grad_enabled() and engine_teaches(x)


def engine_teaches(x: Tensor) -> bool:
    """The same for what it has gradients of as well."""
    plain = x.device.type == "cpu" and x.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")
    return plain and not _LEFT_OUT


@contextmanager
def torch_alone() -> Iterator[None]:
    """Every layer by torch, in all threads.

    For whoever listens to single layers by hooks, wants second derivatives or torch.func, or compares the
    two.
    """
    global _LEFT_OUT
    _LEFT_OUT += 1
    try:
        yield
    finally:
        _LEFT_OUT -= 1


def rows_of(graphs: GraphBatch) -> Any:
    """Graphs as the engine takes them."""
    links = graphs.links
    parts = graphs.starts[:-1], links.first, links.last, links.neighbours, graphs.labels
    return _native.NodeRows(*(x.numpy() for x in parts))


def array_of(x: Tensor | None) -> Any:
    """Numbers as the engine takes them."""
    return None if x is None else x.detach().contiguous().numpy()


def arrays_of(tensors: Sequence[Tensor]) -> list[Any]:
    """The same of several."""
    return [array_of(x) for x in tensors]


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
    weight = module.embedding.weight
    stages = weight.new_empty(target.rows, len(views), weight.shape[1])
    stages[int(target.starts[-2]) :] = 0  # rows that are no nodes
    query_of, queries = views[0].query_of, views[0].queries
    first: Any = module.blocks[0]
    _native.aware_stages(
        rows_of(target),
        torch.stack([view.told[: int(queries.starts[-2])] for view in views]).numpy(),
        queries.starts[:-1].numpy(),
        None if query_of is None else query_of.numpy(),
        first.attention.heads,
        arrays_of(_aware_weights(module)),
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
        rows_of(grid.queries),
        array_of(grid.there),
        array_of(grid.edges),
        array_of(grid.log_keep),
        x.shape[2],
        len(first.floor),
        first.bound,
        arrays_of(weights),
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


def _stack(parts: Sequence[Tensor]) -> Tensor:
    return torch.stack(list(parts)) if parts else torch.empty(0)
