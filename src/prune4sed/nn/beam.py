"""Beam search for mappings, for many pairs at once: exact costs so far, and claims where to go next."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

__all__ = ["BeamProblem", "Found", "beam_search"]

# What an unlikely choice counts, in edits per unit of log probability; the cost of what cannot be; and the
# logarithm of claims on what is no candidate.
_TRUST, _NEVER, _NO_LOG = 0.25, 1e6, -1e3


class BeamProblem(NamedTuple):
    """B pairs of at most N query nodes and C candidates, of which the first is "deleted".

    Attributes
    ----------
    there : Tensor of bool, (B, N)
        Which query nodes there are.
    logs : Tensor, (B, N, C)
        Logarithm of the claim of each query node on each candidate; very small for no candidate.
    node_costs : Tensor, (B, N, C)
        What a query node costs there, without its edges.
    query_edges, target_edges : Tensor, (L, B, N, N) and (L, B, C, C)
        Adjacency for each edge label; nothing is next to "deleted".
    """

    there: Tensor
    logs: Tensor
    node_costs: Tensor
    query_edges: Tensor
    target_edges: Tensor


class Found(NamedTuple):
    """The best mapping found for each pair.

    Attributes
    ----------
    costs : Tensor, (B,)
        Its exact cost.
    images : Tensor of int64, (B, N)
        The candidate of every query node; 0, "deleted", where there is no node.
    """

    costs: Tensor
    images: Tensor


class _Beam(NamedTuple):
    """W partial mappings of each pair.

    Attributes
    ----------
    costs : Tensor, (B, W)
        Exact costs of the nodes in place and of the edges between them.
    hopes : Tensor, (B, W)
        What is expected on top: edges that lead on from there, and a little for unlikely choices.
    images : Tensor of int64, (B, W, N)
        Candidates.
    used : Tensor of bool, (B, W, C)
        Candidates that are taken.
    """

    costs: Tensor
    hopes: Tensor
    images: Tensor
    used: Tensor


def beam_search(problem: BeamProblem, width: int) -> Found:
    """Place query nodes one after the other, and keep the `width` most promising partial mappings.

    Parameters
    ----------
    problem : BeamProblem
        What is to be mapped.
    width : int
        Partial mappings that are kept for each pair.

    Returns
    -------
    Found
        Every mapping uses a candidate once, save "deleted", so its cost is an upper bound on the distance.
    """
    (count, nodes, candidates), device = problem.logs.shape, problem.logs.device
    zero = torch.zeros(count, 1, device=device)
    images = torch.zeros(count, 1, nodes, dtype=torch.int64, device=device)
    beam = _Beam(zero, zero, images, torch.zeros(count, 1, candidates, dtype=torch.bool, device=device))
    placed = torch.zeros(count, nodes, dtype=torch.bool, device=device)
    near = problem.logs.exp() @ problem.target_edges
    for _ in range(nodes):
        node = _next_node(problem, placed)
        beam = _place(problem, near, beam, placed, node, width)
        placed = placed.scatter(1, node.unsqueeze(1), True)
    at, best = torch.arange(count, device=device), beam.costs.argmin(1)
    return Found(beam.costs[at, best], beam.images[at, best] * problem.there)


def _next_node(problem: BeamProblem, placed: Tensor) -> Tensor:
    """The query node with most neighbours in place, of these the surest; nodes that are none come last."""
    edges = problem.query_edges.sum(0)
    beside = (edges @ (placed & problem.there).to(edges.dtype).unsqueeze(2)).squeeze(2)
    sure = problem.logs.amax(2).clamp(min=-50) / 100  # less than one neighbour
    key = (beside + sure).masked_fill(~problem.there, -_NEVER).masked_fill(placed, -2 * _NEVER)
    return key.argmax(1)


def _place(
    problem: BeamProblem, near: Tensor, beam: _Beam, placed: Tensor, node: Tensor, width: int
) -> _Beam:
    """All ways to place a node of each pair, and of these the best."""
    at = torch.arange(len(node), device=node.device)
    real, logs = problem.there[at, node].view(-1, 1, 1), problem.logs[at, node].unsqueeze(1)
    missing, hope = _edges(problem, near, beam, placed, node)
    costs = beam.costs.unsqueeze(2) + real * (problem.node_costs[at, node].unsqueeze(1) + missing)
    hopes = beam.hopes.unsqueeze(2) + real * (hope - _TRUST * logs)
    # What is no node goes to "deleted", at no cost.
    wrong = beam.used | (logs < _NO_LOG) | ~real
    wrong = wrong & (torch.arange(wrong.shape[2], device=node.device) > 0)
    costs = costs.masked_fill(wrong, _NEVER)
    best = (costs + hopes).flatten(1).topk(min(width, costs[0].numel()), dim=1, largest=False).indices
    row, state, choice = at.unsqueeze(1), best // costs.shape[2], (best % costs.shape[2]).unsqueeze(2)
    where = node.view(-1, 1, 1).expand_as(choice)
    return _Beam(
        costs.flatten(1).gather(1, best),
        hopes.flatten(1).gather(1, best),
        beam.images[row, state].scatter(2, where, choice),
        beam.used[row, state].scatter(2, choice, True),
    )


def _edges(
    problem: BeamProblem, near: Tensor, beam: _Beam, placed: Tensor, node: Tensor
) -> tuple[Tensor, Tensor]:
    """Edges to nodes in place that are lost with each candidate, and how many more are expected to be.

    The edges to nodes in place were expected before, and are known now; those to other nodes are expected
    from now on. Both are (B, W, C), or can be made so.
    """
    at = torch.arange(len(node), device=node.device)
    lost, hope = beam.costs.new_zeros(()), beam.costs.new_zeros(())
    for ours, theirs, claimed in zip(problem.query_edges, problem.target_edges, near, strict=True):
        edges = ours[at, node]
        ends = (edges * placed).unsqueeze(1).expand(beam.images.shape)
        where = ends.new_zeros(beam.used.shape).scatter_add(2, beam.images, ends)
        lost = lost + ends.sum(2, keepdim=True) - where @ theirs
        later = (edges * ~placed).unsqueeze(1)
        hope = hope + later.sum(2, keepdim=True) - later @ claimed
        before = (1 - claimed[at, node]).unsqueeze(1).expand(beam.used.shape).gather(2, beam.images)
        hope = hope - (before * ends).sum(2, keepdim=True)
    return lost, hope
