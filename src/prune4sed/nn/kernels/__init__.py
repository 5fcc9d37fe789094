"""The sums, attentions and perceptrons that take the time, in few GPU kernels; plain torch serves elsewhere.

They read neighbours straight from the arrays of the set, so that a batch needs no list of arcs, and they add
in a fixed order, so that the same batch gives the same bits (where they leave products to a library, on one
stream at a time).
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from prune4sed.nn.kernels.pairs import pair_claim, pair_head, pair_near, pair_start, pair_think

if TYPE_CHECKING:
    from prune4sed.nn.arcs import Links

__all__ = [
    "MOST_CANDIDATES",
    "attend",
    "batch_norm",
    "fits",
    "fits_pairs",
    "gate",
    "gatv2",
    "gin_start",
    "gin_step",
    "graph_sum",
    "neighbour_sum",
    "pair_claim",
    "pair_head",
    "pair_near",
    "pair_start",
    "pair_think",
    "prune_logits",
    "top_score",
    "usable",
]

# `pair_claim` and `pair_head` have all candidates of a row at once, and take no more than these.
MOST_CANDIDATES = 256


@cache
def _installed() -> bool:
    return find_spec("triton") is not None


def usable(device: torch.device) -> bool:
    """Whether there are kernels for this device: for NVIDIA and AMD GPUs, where Triton is installed."""
    return device.type == "cuda" and _installed()


def fits(width: int) -> bool:
    """Whether `gin_start` and `gin_step` take layers of this width."""
    return width in (16, 32, 64)


def fits_pairs(x: Tensor, width: int, heads: int = 8) -> bool:
    """Whether the kernels for pairs of nodes take features of this width and kind, and so many heads."""
    whole = x.dtype == torch.float32 and not torch.is_autocast_enabled(x.device.type)
    return whole and width in (16, 32) and heads in (4, 8)


def neighbour_sum(links: Links, x: Tensor, own: bool = False) -> Tensor:
    """Sum over the neighbours of every row, and the row itself if asked for: (R, width) to (R, width)."""
    from prune4sed.nn.kernels.neighbour_kernel import NeighbourSum

    out: Tensor = NeighbourSum.apply(x, links, own)
    return out


def graph_sum(starts: Tensor, graph_of: Tensor, x: Tensor) -> Tensor:
    """Sum over the rows of every graph: (R, width) to (B, width)."""
    from prune4sed.nn.kernels.graph_kernel import GraphSum

    out: Tensor = GraphSum.apply(x, starts, graph_of)
    return out


def gatv2(
    links: Links,
    both: Tensor,
    attention: Tensor,
    biases: tuple[Tensor, Tensor, Tensor],
    slope: float,
    bend: Tensor,
) -> Tensor:
    """GATv2's weighted means over every row and its neighbours, and the bend after it.

    Parameters
    ----------
    links : Links
        Where the neighbours of R rows are.
    both : Tensor, (R, 2 * width)
        What rows are as sources and as ends of arcs, side by side, before biases.
    attention : Tensor, (width,)
        Weights of the scores.
    biases : three Tensor, (width,)
        Of sources, of ends and of the result.
    slope : float
        What scores let through of negative numbers.
    bend : Tensor, (width,)
        What the result lets through of negative numbers; 1 for all of them.

    Returns
    -------
    Tensor, (R, width)
    """
    from prune4sed.nn.kernels.gatv2_kernel import GATv2

    out: Tensor = GATv2.apply(both, attention, *biases, bend, links, slope)
    return out


def attend(
    asked: tuple[Tensor, Tensor],
    told: Tensor,
    starts: Tensor,
    query_starts: Tensor,
    query_of: Tensor | None,
    heads: int,
    largest: tuple[int, int],
) -> Tensor:
    """Attention of target rows over the rows of their query and a zero key.

    Parameters
    ----------
    asked : Tensor, (R, width), and Tensor, (width,)
        What target rows ask, and what is added to it.
    told : Tensor, (Rq, 2 * width)
        Keys and values of query rows.
    starts, query_starts : Tensor of int64
        First rows of targets and queries, as in a batch.
    query_of : Tensor of int64, (B,), or None
        Which query belongs to each target.
    heads : int
        Of the attention.
    largest : tuple of int
        No target and no query has more rows.

    Returns
    -------
    Tensor, (R, width)
    """
    from prune4sed.nn.kernels.attention_kernel import Attend

    out: Tensor = Attend.apply(*asked, told, starts, query_starts, query_of, heads, largest)
    return out


def top_score(scores: Tensor, starts: Tensor, k: int, largest: int) -> Tensor:
    """The k-th largest score of every graph and head, the least one if there are fewer: (R, M) to (B, M)."""
    from prune4sed.nn.kernels.top_kernel import top_score as kernel

    return kernel(scores, starts, k, largest)


def batch_norm(
    x: Tensor,
    mask: Tensor,
    weight: Tensor,
    bias: Tensor,
    running: tuple[Tensor, Tensor],
    momentum: float,
    eps: float,
) -> Tensor:
    """Batch normalisation of (R, width) over the rows where the mask holds; keeps running statistics."""
    from prune4sed.nn.kernels.norm_kernel import BatchNorm

    out: Tensor = BatchNorm.apply(x, mask, weight, bias, *running, momentum, eps)
    return out


def gate(hidden: Tensor, target: Tensor, layers: tuple[Tensor, Tensor, Tensor], slope: Tensor) -> Tensor:
    """Rows weighed by a perceptron with one output: ``target * sigmoid(bend(hidden + b1) w2 + b2)``.

    Parameters
    ----------
    hidden : Tensor, (R, width)
        The product of the first layer.
    target : Tensor, (R, width)
        What is weighed.
    layers : three Tensor
        b1 (width,), w2 (1, width) and b2 (1,).
    slope : Tensor, (width,)
        What each unit between the layers lets through of negative numbers.

    Returns
    -------
    Tensor, (R, width)
    """
    from prune4sed.nn.kernels.gate_kernel import Gate

    out: Tensor = Gate.apply(hidden, target, *layers, slope)
    return out


def gin_start(
    vectors: Tensor, bias: Tensor, scale: Tensor, keep: Tensor, graphs: tuple[Tensor, Tensor]
) -> tuple[Tensor, Tensor, Tensor]:
    """What GIN layers begin with, ``keep * (scale * vectors + bias)``, for all heads.

    Parameters
    ----------
    vectors : Tensor, (R, width)
        Of labels.
    bias : Tensor, (width,)
        Added to them.
    scale : Tensor, (R, M)
        Factors on them.
    keep : Tensor, (R * M,)
        1 for rows that are there, 0 for others.
    graphs : two Tensor
        `starts` and `graph_of` of the batch.

    Returns
    -------
    tuple of Tensor
        The rows (R * M, width), the same for the first residual, and their sums by graph (B * M, width).
    """
    from prune4sed.nn.kernels.gin_start_kernel import GINStart

    out: tuple[Tensor, Tensor, Tensor] = GINStart.apply(vectors, bias, scale, keep, *graphs)
    return out


def prune_logits(
    x: Tensor,
    mask: Tensor,
    norm: tuple[Tensor, Tensor],
    running: tuple[Tensor, Tensor],
    moves: tuple[float, float],
    ends: tuple[Tensor, Tensor],
) -> Tensor:
    """Keep probabilities before the sigmoid: batch norm, ReLU, and a vector and a number for every head.

    Parameters
    ----------
    x : Tensor, (R, M * width)
        Rows after the first linear layer.
    mask : Tensor of bool, (R,)
        Which rows are nodes.
    norm, running : two Tensor, (M * width,)
        Weight and bias of the norm, and its running statistics, which are kept.
    moves : two float
        Momentum and eps of the norm.
    ends : two Tensor, (M, width) and (M,)
        What every head multiplies with and adds.

    Returns
    -------
    Tensor, (R, M)
    """
    from prune4sed.nn.kernels.prune_kernel import PruneLogits

    out: Tensor = PruneLogits.apply(x, mask, *norm, *running, *moves, *ends)
    return out


def gin_step(
    y: Tensor,
    before: Tensor | None,
    keep: Tensor,
    layers: tuple[Tensor, Tensor, Tensor, Tensor],
    graphs: tuple[Tensor, Tensor],
    heads: int,
) -> tuple[Tensor, Tensor, Tensor]:
    """A GIN layer after its sum over neighbours: perceptron, residual, ReLU, mask and sum over graphs.

    Parameters
    ----------
    y : Tensor, (R * M, width)
        Every row and its neighbours, summed.
    before : Tensor, (R * M, width), or None
        What is added after the perceptron.
    keep : Tensor, (R * M,)
        1 for rows that are there, 0 for others.
    layers : four Tensor
        Weight and bias of both linear layers.
    graphs : two Tensor
        `starts` and `graph_of` of the batch.
    heads : int
        M.

    Returns
    -------
    tuple of Tensor
        The new rows, their sums (B * M, width), and what a later layer adds, if `before` was given.
    """
    from prune4sed.nn.kernels.gin_kernel import GINStep

    out: tuple[Tensor, Tensor, Tensor] = GINStep.apply(y, before, keep, *layers, *graphs, heads)
    return out
