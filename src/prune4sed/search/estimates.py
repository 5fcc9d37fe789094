"""Guesses at distances that put targets in order: a model's where there is one, or else the bits they lack.

A model that makes a vector of each graph (NeuroSED) has those of the targets in the index, and estimates the
distances of very many at once. Any other model is asked about the most promising targets only.
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import GraphError
from prune4sed.exact.limits import Deadline
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.search.index_models import IndexModels
from prune4sed.search.knowledge import Knowledge
from prune4sed.search.ranking import first
from prune4sed.search.segments import Segments

if TYPE_CHECKING:
    from prune4sed.models.predictor import Predictor

__all__ = ["Estimates", "Guesses", "by_bits", "estimate", "vectors_of"]

#: Targets whose vectors are compared: those with the smallest bounds, none of the others would be chosen.
COMPARED = 1 << 16
#: Vectors that are compared at a time; they fit into the cache.
ROWS = 1 << 12
#: Targets that a model without vectors is asked about; with more the ranking is no better.
RERANKED = 256
#: Of these, as many as it is asked about first; then as many at once as there is time for, which is faster.
ASKED_FIRST = 16
#: More than any estimate.
LATE = np.float32(1e8)

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Estimates:
    """An order for all targets, and what the models say.

    Attributes
    ----------
    order : float32 array
        Smaller is more promising.
    predicted : float32 array
        The models' distances; NaN where none was asked.
    notes : tuple of str
        Why there are none, if there should be.
    """

    order: Floats
    predicted: Floats
    notes: tuple[str, ...] = ()


def by_bits(library: Segments, known: Knowledge) -> Estimates:
    """The order without a model: the bits that are lacking, and of targets that lack as many the smallest."""
    order = known.missing * np.float32(1000) + np.minimum(library.sizes, 999).astype(np.float32)
    return Estimates(order, np.full(len(order), np.nan, dtype=np.float32))


def estimate(
    query: Graph, library: Segments, known: Knowledge, models: IndexModels, deadline: Deadline
) -> Estimates:
    """Put the targets in order.

    A query with labels that a model has never seen does without the model, and so does what there is no time
    to ask it about.
    """
    plain = by_bits(library, known)
    if not models or not len(library) or deadline.passed():
        return plain
    order, predicted = plain.order, plain.predicted
    near = first(known.lower, order, min(COMPARED, len(order)))
    try:
        if models.embedder is not None:
            with _one_thread():
                predicted = _compare(models.embedder, query, library, np.sort(near), deadline)
            order = np.where(np.isnan(predicted), LATE + order, predicted)
        if models.model is not None:
            likely = near[first(known.lower[near], order[near], min(RERANKED, len(near)))]
            with _one_thread():
                told = _predict(models.model, query, library, likely, deadline)
            asked, predicted = likely[: len(told)], predicted.copy()
            predicted[asked] = told
            order[asked] = told - LATE  # before all that were not asked about
    except GraphError as problem:
        return Estimates(order, predicted, (f"ranked without the model: {problem}",))
    return Estimates(order, predicted)


class Guesses:
    """The best estimates so far: those without a model, until the models are asked.

    Attributes
    ----------
    best : Estimates
    """

    def __init__(
        self, query: Graph, library: Segments, known: Knowledge, models: IndexModels, deadline: Deadline
    ) -> None:
        self._asked = query, library, known, models, deadline
        self.best = by_bits(library, known)

    def ask(self) -> Floats:
        """Ask the models, and return the order that follows."""
        self.best = estimate(*self._asked)
        return self.best.order


def _one_thread() -> AbstractContextManager[None]:
    """For what torch does meanwhile; a solver does without torch."""
    if "torch" not in sys.modules:
        return nullcontext()
    from prune4sed.nn.threads import one_thread

    return one_thread()


def vectors_of(embedder: Any, graphs: GraphSet) -> Floats:
    """The vectors of graphs, one row each."""
    import torch

    with torch.inference_mode():
        embedder.eval()
        found = embedder.embed(embedder.place(graphs), np.arange(len(graphs)))
    return np.ascontiguousarray(found.cpu().numpy(), dtype=np.float32)


def _compare(
    embedder: Any, query: Graph, library: Segments, positions: NDArray[np.int64], deadline: Deadline
) -> Floats:
    """Distances of the query's vector to those of some targets; NaN for the others, or where time is up."""
    import torch

    distances = np.full(len(library), np.nan, dtype=np.float32)
    if deadline.passed():
        return distances
    mine = torch.from_numpy(vectors_of(embedder, GraphSet([query]))).to(embedder.device)
    with torch.inference_mode():
        for part, chosen, rows in library.split(positions):
            if part.vectors is None:
                continue
            for start in range(0, len(rows), ROWS):
                if deadline.passed():
                    return distances
                some = slice(start, start + ROWS)
                theirs = torch.from_numpy(part.vectors[rows[some]]).to(embedder.device)
                told = embedder.compare(mine.expand(len(theirs), -1), theirs)
                distances[positions[chosen[some]]] = told.float().cpu().numpy()
    return distances


def _predict(
    model: Predictor, query: Graph, library: Segments, positions: NDArray[np.int64], deadline: Deadline
) -> Floats:
    """What a model says about the first of the targets, as many as there is time for."""
    told: list[Floats] = []
    start, size = 0, ASKED_FIRST
    while start < len(positions) and not deadline.passed():
        began = perf_counter()
        some = GraphSet([library[at] for at in positions[start : start + size].tolist()])
        told.append(model.predict(query, some))
        each = (perf_counter() - began) / len(some)
        start, size = start + len(some), max(1, int(min(len(positions), deadline.left() / (2 * each))))
    return np.concatenate([*told, np.zeros(0, dtype=np.float32)])
