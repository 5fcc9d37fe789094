"""What training minimises."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.thought import Thought, Thoughts

__all__ = ["interval_loss", "keep_loss", "mapping_loss", "node_cost_loss"]


def interval_loss(predicted: Tensor, lower: Tensor, upper: Tensor, weights: Tensor | None = None) -> Tensor:
    """Mean squared distance of predictions from their intervals; plain squared error where bounds agree.

    Parameters
    ----------
    predicted, lower, upper : Tensor, (B,)
        Predictions, and proven bounds; or (B, M), (B, 1) and (B, 1) for M predictions of each.
    weights : Tensor, as `lower`, optional
        How much each pair counts, 1 on average.

    Returns
    -------
    Tensor, ()

    Examples
    --------
    >>> interval_loss(torch.tensor([3.0, 5.0]), torch.tensor([2.0, 1.0]), torch.tensor([4.0, 3.0]))
    tensor(2.)
    """
    below, above = torch.relu(lower - predicted), torch.relu(predicted - upper)
    losses = below.square() + above.square()
    return losses.mean() if weights is None else (weights * losses).mean()


def keep_loss(logits: Tensor, target: GraphBatch, mapping: Tensor) -> Tensor:
    """How far keep probabilities are from the nodes that the optimal matches use: mean cross-entropy.

    Parameters
    ----------
    logits : Tensor, (R, M)
        Keep probabilities before the sigmoid, of M heads.
    target : GraphBatch
        Targets of R rows.
    mapping : Tensor of int64, (B, most query nodes)
        Target node of every query node; -1 for none.

    Returns
    -------
    Tensor, ()
    """
    matched = matched_rows(target, mapping).unsqueeze(1).expand_as(logits)
    losses = torch.nn.functional.binary_cross_entropy_with_logits(logits, matched, reduction="none").mean(1)
    return (losses * target.mask).sum() / target.mask.sum().clamp(min=1)


def matched_rows(target: GraphBatch, mapping: Tensor) -> Tensor:
    """1 for rows of target nodes that a query node is mapped to, 0 for others, (R,)."""
    rows = target.starts[:-2].unsqueeze(1) + mapping
    rows = rows.masked_fill(mapping < 0, target.rows)  # to a row beyond, which is cut off
    return torch.zeros(target.rows + 1, device=rows.device).scatter_(0, rows.flatten(), 1.0)[:-1]


def mapping_loss(thoughts: Thoughts, mapping: Tensor, counts: Tensor) -> Tensor:
    """Mean cross-entropy of where query nodes go; a node whose place was pruned away teaches nothing.

    Parameters
    ----------
    thoughts : Thoughts
        What the model made of the pairs.
    mapping : Tensor of int64, (B, most query nodes)
        Target node of every query node; -1 for none.
    counts : Tensor, (B,)
        How much each pair counts; 0 if its mapping is neither known nor trusted to be optimal.

    Returns
    -------
    Tensor, ()
    """
    return _mean([_surprise(*x) for x in _divide(thoughts, mapping, counts)])


def node_cost_loss(thoughts: Thoughts, costs: Tensor, counts: Tensor) -> Tensor:
    """Mean squared error of the costs of query nodes, (B, most query nodes), for pairs that count."""
    found = []
    for thought, true, count in _divide(thoughts, costs, counts):
        wrong = thought.node_costs - _of_rows(true, thought.queries, 0)
        found.append((wrong.square(), thought.queries.mask * count[thought.queries.graph_of]))
    return _mean(found)


def _surprise(thought: Thought, mapping: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """Cross-entropy of every query row, and how much it counts: nothing where it is not known."""
    image, pair = _of_rows(mapping, thought.queries, -1), thought.queries.graph_of
    rows = (thought.targets.starts[pair] + image).clamp(min=0, max=thought.targets.rows - 1)
    place = thought.kept.place[rows].where(image >= 0, -1)
    known = (place < thought.kept.size) & thought.queries.mask
    surprise = -thought.logs.gather(1, (place + 1).where(known, 0).unsqueeze(1)).squeeze(1)
    return surprise, known * counts[pair]


def _divide(thoughts: Thoughts, table: Tensor, counts: Tensor) -> Iterator[tuple[Thought, Tensor, Tensor]]:
    """The parts of a batch, each with its rows of what is known about pairs."""
    sizes = [len(part.queries) for part in thoughts.parts]
    yield from zip(thoughts.parts, torch.split(table, sizes), torch.split(counts, sizes), strict=True)


def _mean(parts: list[tuple[Tensor, Tensor]]) -> Tensor:
    """The mean of all values, each by how much it counts."""
    total = torch.stack([(values * counts).sum() for values, counts in parts]).sum()
    return total / torch.stack([counts.sum() for _, counts in parts]).sum().clamp(min=1)


def _of_rows(table: Tensor, queries: GraphBatch, fill: float) -> Tensor:
    """What a table (B, most query nodes) says about every row of the queries, (R,)."""
    local = queries.local()
    found = table[queries.graph_of, local.clamp(max=table.shape[1] - 1)]
    return found.where(queries.mask & (local < table.shape[1]), fill)
