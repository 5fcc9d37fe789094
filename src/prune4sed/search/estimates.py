"""Guesses at distances that put targets in order: a model's where there is one, or else the bits they lack.

A model that makes a vector of each graph (NeuroSED) has those of the targets in the index, and estimates all
distances at once. Any other model is asked about the most promising targets only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import GraphError
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.search.knowledge import Knowledge
from prune4sed.search.ranking import first
from prune4sed.search.segments import Segments

if TYPE_CHECKING:
    from prune4sed.models.predictor import Predictor

__all__ = ["Estimates", "IndexModels", "estimate", "vectors_of"]

#: Targets that a model without vectors is asked about.
RERANKED = 256
#: Vectors that are compared at a time.
ROWS = 1 << 16

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class IndexModels:
    """The models of an index.

    Attributes
    ----------
    model : Predictor or None
        Re-ranks the most promising targets.
    embedder : Predictor or None
        A NeuroSED whose vectors of the targets are in the index.
    """

    model: Predictor | None = None
    embedder: Any = None

    def __bool__(self) -> bool:
        return self.model is not None or self.embedder is not None


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


def estimate(query: Graph, library: Segments, known: Knowledge, models: IndexModels) -> Estimates:
    """Put the targets in order; a query with labels that a model has never seen does without the model."""
    # The bits that are lacking, and of targets that lack as many the smallest first.
    order = known.missing * np.float32(1000) + np.minimum(library.sizes, 999).astype(np.float32)
    predicted = np.full(len(order), np.nan, dtype=np.float32)
    if not models or not len(order):
        return Estimates(order, predicted)
    try:
        if models.embedder is not None:
            predicted = order = _compare(models.embedder, query, library)
        if models.model is not None:
            count = min(RERANKED, len(order))
            likely = first(known.lower, order, count)
            told = _predict(models.model, query, library, likely)
            predicted, order = predicted.copy(), order.copy()
            predicted[likely] = told
            order[likely] = told - np.float32(1e6)  # before all that were not asked about
    except GraphError as problem:
        return Estimates(order, predicted, (f"ranked without the model: {problem}",))
    return Estimates(order, predicted)


def vectors_of(embedder: Any, graphs: GraphSet) -> Floats:
    """The vectors of graphs, one row each."""
    import torch

    with torch.inference_mode():
        embedder.eval()
        found = embedder.embed(embedder.place(graphs), np.arange(len(graphs)))
    return np.ascontiguousarray(found.cpu().numpy(), dtype=np.float32)


def _compare(embedder: Any, query: Graph, library: Segments) -> Floats:
    """Distances of the query's vector to those of all targets."""
    import torch

    mine = torch.from_numpy(vectors_of(embedder, GraphSet([query]))).to(embedder.device)
    found = []
    with torch.inference_mode():
        for part in library.parts:
            if part.vectors is None:
                found.append(np.full(len(part), np.nan, dtype=np.float32))
                continue
            for start in range(0, len(part), ROWS):
                rows = torch.from_numpy(np.array(part.vectors[start : start + ROWS])).to(embedder.device)
                found.append(embedder.compare(mine.expand(len(rows), -1), rows).float().cpu().numpy())
    return np.concatenate(found)


def _predict(model: Predictor, query: Graph, library: Segments, positions: NDArray[np.int64]) -> Floats:
    told = np.zeros(len(positions), dtype=np.float32)
    for part, mine, rows in library.split(positions):
        some = GraphSet([part.graphs[row] for row in rows.tolist()])
        told[mine] = model.predict(query, some)
    return told
