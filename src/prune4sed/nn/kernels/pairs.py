"""Kernels of pairs of nodes (query node, candidate), for Prune4SED-plus."""

from __future__ import annotations

from torch import Tensor

__all__ = ["pair_claim", "pair_head", "pair_near", "pair_start", "pair_think"]


def pair_start(
    of_query: Tensor,
    of_target: Tensor,
    counted: Tensor,
    layers: tuple[Tensor, Tensor, Tensor],
    graphs: tuple[Tensor, Tensor],
    slope: Tensor,
) -> Tensor:
    """The first pair features, ``W bend(of_query + of_target + V counted) + b``, with a leaky ReLU.

    Parameters
    ----------
    of_query : Tensor, (R, 2 * width)
        What query nodes tell.
    of_target : Tensor, (B, C, 2 * width)
        What candidates tell.
    counted : Tensor, (R, C, kinds)
        What is counted about each pair; without a gradient.
    layers : three Tensor
        V, W and b.
    graphs : two Tensor
        `starts` and `graph_of` of the batch.
    slope : Tensor, (2 * width,)
        What each unit lets through of negative numbers.

    Returns
    -------
    Tensor, (R, C, width)
    """
    from prune4sed.nn.kernels.pair_start_kernel import PairBegin

    out: Tensor = PairBegin.apply(of_query, of_target, counted, *layers, *graphs, slope)
    return out


def pair_claim(
    x: Tensor,
    weights: tuple[Tensor, Tensor],
    candidates: tuple[Tensor, Tensor],
    graphs: tuple[Tensor, Tensor, Tensor],
) -> tuple[Tensor, Tensor]:
    """How strongly rows claim candidates: the softmax of scores, over at most 256 candidates.

    Parameters
    ----------
    x : Tensor, (R, C, width)
        Pair features.
    weights : two Tensor
        Of the scores, (M, width), and of the keep probabilities in them, (M, 1).
    candidates : two Tensor, (B, C)
        Logarithms of keep probabilities, and which candidates there are.
    graphs : three Tensor
        `mask`, `starts` and `graph_of` of the batch.

    Returns
    -------
    tuple of Tensor
        The claims (R, M, C), 0 in rows that are no nodes; and `x`, to go on with.
    """
    from prune4sed.nn.kernels.pair_claim_kernel import PairClaim

    out: tuple[Tensor, Tensor] = PairClaim.apply(x, *weights, *candidates, *graphs)
    return out


def pair_near(
    claims: Tensor, edges: Tensor, floor: Tensor, starts: Tensor, largest: int
) -> tuple[Tensor, Tensor, Tensor]:
    """What an edge is worth at each candidate, by how strongly the neighbours there are claimed.

    Parameters
    ----------
    claims : Tensor, (R, M, C)
        How strongly rows claim candidates.
    edges : Tensor, (L, B, C, C)
        Which candidates are neighbours, for each of L edge labels.
    floor : Tensor, (M, 1)
        Logarithm of the claim that is as good as none.
    starts : Tensor of int64
        First rows of queries, as in a batch.
    largest : int
        No query has more rows.

    Returns
    -------
    tuple of Tensor
        The worth (L, R, M, C), the claims of all rows of a graph (B, M, C); and `claims`, to go on with.
    """
    from prune4sed.nn.kernels.pair_near_kernel import PairNear

    out: tuple[Tensor, Tensor, Tensor] = PairNear.apply(claims, edges, floor, starts, largest)
    return out


def pair_think(
    x: Tensor,
    claims: Tensor,
    edges: Tensor,
    total: Tensor,
    layers: tuple[Tensor, Tensor, Tensor, Tensor],
    graphs: tuple[Tensor, Tensor],
    limits: tuple[Tensor, float],
) -> Tensor:
    """The end of a pair layer: features of claims, perceptron and residual, within bounds.

    Parameters
    ----------
    x : Tensor, (R, C, width)
        Pair features.
    claims, edges : Tensor, (R, M, C)
        How strongly rows claim candidates, and how many of their edges find a partner there; claims are 0 in
        rows that are no nodes.
    total : Tensor, (B, M, C)
        Claims of all rows of a graph.
    layers : four Tensor
        Weight and bias of both linear layers.
    graphs : two Tensor
        `starts` and `graph_of` of the batch.
    limits : Tensor, (2 * width,), and float
        What each unit between them lets through of negative numbers, and how large features may be; 0 for any
        size.

    Returns
    -------
    Tensor, (R, C, width)
    """
    from prune4sed.nn.kernels.pair_think_kernel import PairThink

    out: Tensor = PairThink.apply(x, claims, edges, total, *layers, *graphs, *limits)
    return out


def pair_head(
    x: Tensor,
    weights: tuple[Tensor, Tensor, Tensor, Tensor],
    candidates: tuple[Tensor, Tensor],
    graphs: tuple[Tensor, Tensor],
) -> tuple[Tensor, Tensor]:
    """The last claims and costs, over at most 256 candidates.

    Parameters
    ----------
    x : Tensor, (R, C, width)
        Pair features.
    weights : four Tensor
        Of the scores, (1, width), of the keep probabilities in them, (1, 1); weight and bias of the costs.
    candidates : two Tensor, (B, C)
        Logarithms of keep probabilities, and which candidates there are.
    graphs : two Tensor
        `starts` and `graph_of` of the batch.

    Returns
    -------
    tuple of Tensor
        Log claims and costs, (R, C).
    """
    from prune4sed.nn.kernels.pair_head_kernel import PairEnd

    out: tuple[Tensor, Tensor] = PairEnd.apply(x, *weights, *candidates, *graphs)
    return out
