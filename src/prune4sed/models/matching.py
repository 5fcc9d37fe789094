"""Mappings out of a model that matches nodes: a beam over its claims, with exact costs."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from prune4sed.errors import OptionError
from prune4sed.exact.bulk import as_set, pair_index
from prune4sed.exact.maps import Mapping
from prune4sed.models.base import settle_empty, used_graphs
from prune4sed.models.predictor import Graphs, Pairs
from prune4sed.models.stand_ins import Asked
from prune4sed.nn.batch import GraphBatch
from prune4sed.nn.beam import BeamProblem, beam_search
from prune4sed.nn.dense import adjacency
from prune4sed.nn.memory import memory_advice
from prune4sed.nn.padding import pad_rows, padded_mask
from prune4sed.nn.thought import Thought

if TYPE_CHECKING:
    from prune4sed.models.prune4sed_plus import Prune4SEDPlus

__all__ = ["BEAM", "Match", "Matches", "match_pairs"]

Longs = NDArray[np.int64]

#: How many partial mappings a beam follows unless told otherwise.
BEAM = 128


@dataclass(frozen=True)
class Match:
    """What a model says about one pair, and what it can prove.

    Attributes
    ----------
    distance : float
        As predicted.
    upper : float
        The cost of the mapping, with unit costs: the true distance is no larger.
    mapping : tuple of int or None
        Target node of every query node; None for one that is deleted.
    """

    distance: float
    upper: float
    mapping: Mapping


class Matches(NamedTuple):
    """The same for many pairs.

    Attributes
    ----------
    predicted : float32, (pairs,)
        Distances.
    upper : float64, (pairs,)
        Costs of the mappings.
    mapping : int64, (pairs, most query nodes)
        Target node of every query node; -1 for none.
    """

    predicted: NDArray[np.float32]
    upper: NDArray[np.float64]
    mapping: NDArray[np.int64]


def match_pairs(
    model: Prune4SEDPlus,
    queries: Graphs,
    targets: Graphs,
    pairs: Pairs = None,
    batch_size: int | None = None,
    beam: int = BEAM,
) -> Matches:
    """Mappings of many pairs.

    Parameters
    ----------
    model : Prune4SEDPlus
        Whose claims to follow.
    queries, targets, pairs, batch_size
        As for `predict`.
    beam : int
        How many partial mappings are followed at a time.

    Returns
    -------
    Matches

    Raises
    ------
    OptionError
        If `beam` is no whole number of 1 or more.
    """
    if isinstance(beam, bool) or not isinstance(beam, Integral) or beam < 1:
        raise OptionError(f"beam must be a whole number, 1 or more; got {beam!r}")
    query_set, target_set = as_set(queries, "queries"), as_set(targets, "targets")
    index = pair_index(pairs, query_set, target_set)
    query_set, target_set, index = used_graphs(query_set, target_set, index)
    sizes = query_set.num_nodes[index[:, 0]], target_set.num_nodes[index[:, 1]]
    found = Matches(
        np.zeros(len(index), np.float32),
        np.zeros(len(index), np.float64),
        np.full((len(index), int(sizes[0].max(initial=0))), -1, np.int64),
    )
    with model.evaluating(), memory_advice("this many pairs at a time; give a smaller batch_size"):
        for one in model.asked(query_set, target_set, index):
            for rows, told in _each_batch(
                model, one, tuple(x[one.rows] for x in sizes), batch_size, int(beam)
            ):
                found.predicted[rows], found.upper[rows] = told.predicted, told.upper
                width = min(told.mapping.shape[1], found.mapping.shape[1])
                found.mapping[rows, :width] = told.mapping[:, :width]
    return found._replace(predicted=settle_empty(found.predicted, query_set, target_set, index))


def _each_batch(
    model: Prune4SEDPlus, one: Asked, nodes: tuple[Longs, Longs], batch_size: int | None, beam: int
) -> list[tuple[Longs, Matches]]:
    """The pairs of a group, a batch at a time, and what was found for them."""
    *graphs, pairs_of = used_graphs(one.queries, one.targets, one.pairs)
    placed = [model.place(x) for x in graphs]

    def matched(chosen: Longs) -> Matches:
        query, target = (model._gather(x, pairs_of[chosen, i]) for i, x in enumerate(placed))
        thought = model.think(model.encode_query(query), target)
        best = beam_search(problem_of(model, thought), beam)
        images = _nodes(thought, target, best.images)
        return Matches(*(x.cpu().numpy() for x in (thought.distances, best.costs, images)))

    batches = model._pair_batches(*nodes, batch_size)
    told = model._each(matched, batches)
    return [(one.rows[chosen], each) for chosen, each in zip(batches, told, strict=True)]


def problem_of(model: Prune4SEDPlus, thought: Thought) -> BeamProblem:
    """What the beam is to solve: exact costs, and the claims of the model."""
    queries, grid, words = thought.queries, thought.grid, model.vocabulary
    rows = queries.width
    ours = adjacency(queries, queries.local().where(queries.mask, rows), rows, words.num_edge_codes)
    theirs = grid.edges
    if words.unknown and words.edges is not None:
        # Of two edge labels that it does not know, the model cannot say they agree.
        theirs = torch.cat([theirs[:-1], torch.zeros_like(theirs[-1:])])
    logs, costs = pad_rows(queries, thought.logs), pad_rows(queries, grid.node_costs)
    return BeamProblem(padded_mask(queries), logs, costs, ours, theirs)


def _nodes(thought: Thought, target: GraphBatch, images: Tensor) -> Tensor:
    """Candidates as nodes of the whole target, -1 for "deleted"."""
    local = thought.kept.rows - target.starts[:-2].unsqueeze(1)
    return torch.nn.functional.pad(local, (1, 0), value=-1).gather(1, images)
