"""How well a model finds the molecules that are nearest to a functional group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.engine import sed, sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.predictor import Predictor
from prune4sed.search.ranking import first
from prune4sed.studies.pruned_distances import NODE_LIMIT

__all__ = ["Retrieval", "Truth", "precision_at", "retrieve", "true_distances"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Truth:
    """The distance of every query to every molecule, by the engine.

    Attributes
    ----------
    distances : array, (queries, molecules)
        The middle of the bounds where a distance is not proven.
    certified : float
        Share of distances that are.
    """

    distances: Floats
    certified: float


@dataclass(frozen=True, eq=False)
class Retrieval:
    """The molecules that a model ranks first for one query.

    Attributes
    ----------
    positions : array, (k,)
        In the library, best first.
    predicted, true : array, (k,)
        Their distances.
    """

    positions: NDArray[np.int64]
    predicted: Floats
    true: Floats

    def to_json(self, query: Graph, library: GraphSet) -> list[dict[str, Any]]:
        """The hits with their graphs and the engine's match, as plain values."""
        rows = zip(self.positions.tolist(), self.predicted.tolist(), self.true.tolist(), strict=True)
        return [_hit(query, library[at], said, true) for at, said, true in rows]


def true_distances(queries: GraphSet, library: GraphSet) -> Truth:
    """Compare every query with every molecule."""
    pairs = np.indices((len(queries), len(library))).reshape(2, -1).T
    table = sed_pairs(queries, library, pairs, time_limit=None, node_limit=NODE_LIMIT)
    middle = (table.lower + table.upper) / 2
    return Truth(middle.reshape(len(queries), len(library)), float(table.certified.mean()))


def retrieve(model: Predictor, query: Graph, library: GraphSet, true: Floats, k: int) -> Retrieval:
    """The k molecules of the smallest predicted distance; of equal ones, that which comes first."""
    predicted = model.predict(query, library).astype(np.float64)
    positions = first(predicted, np.zeros(len(library)), k)
    return Retrieval(positions, predicted[positions], true[positions])


def precision_at(found: Floats, true: Floats) -> float:
    """Share of the k molecules found that no better answer of k would lack.

    Ties count as right: a molecule as near as the k-th nearest of all belongs to some best answer.

    Parameters
    ----------
    found : array, (k,)
        True distances of the molecules found.
    true : array
        True distances of all molecules.

    Examples
    --------
    >>> precision_at(np.array([0.0, 2.0]), np.array([2.0, 1.0, 0.0, 1.0]))
    0.5
    """
    last = np.sort(true)[len(found) - 1]
    return float((found <= last).mean())


def _hit(query: Graph, target: Graph, predicted: float, true: float) -> dict[str, Any]:
    match = sed(query, target, time_limit=None, node_limit=NODE_LIMIT)
    return {
        "id": target.id,
        "labels": list(target.labels),
        "edges": [list(edge) for edge in target.edges],
        "mapping": list(match.mapping),
        "lower": match.lower,
        "upper": match.upper,
        "predicted": round(predicted, 3),
        "true": true,
    }
