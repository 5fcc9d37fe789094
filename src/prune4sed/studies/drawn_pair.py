"""A pair with all that a drawing of its pruning needs, as plain JSON values and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.exact.engine import sed
from prune4sed.graph import Graph
from prune4sed.studies.pruned_distances import NODE_LIMIT

if TYPE_CHECKING:
    from prune4sed.models.base import SedModel

__all__ = ["DrawnPair", "draw_pair"]

_DIGITS = 3  # of a keep probability: no eye tells more apart


@dataclass(frozen=True, eq=False)
class DrawnPair:
    """A query, a target, the optimal match between them, and what the heads of a model keep.

    Attributes
    ----------
    query, target : Graph
        Without names.
    mapping : tuple
        The target node of every query node, or None.
    lower, upper, predicted : float
        Proven bounds on the distance, and what the model says.
    keep, kept : array, (heads, nodes)
        Keep probabilities, and the nodes that hard pruning leaves.
    """

    query: Graph
    target: Graph
    mapping: tuple[int | None, ...]
    lower: float
    upper: float
    predicted: float
    keep: NDArray[np.float32]
    kept: NDArray[np.bool_]

    @property
    def matched(self) -> set[int]:
        """Target nodes of the match."""
        return {v for v in self.mapping if v is not None}

    @property
    def distance(self) -> str:
        """The distance in words, bounds if it is not proven."""
        return f"{self.lower:g}" if self.lower == self.upper else f"{self.lower:g} to {self.upper:g}"

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "query": _plain(self.query),
            "target": _plain(self.target),
            "mapping": list(self.mapping),
            "lower": self.lower,
            "upper": self.upper,
            "predicted": round(self.predicted, _DIGITS),
            "keep": np.round(self.keep.astype(np.float64), _DIGITS).tolist(),
            "kept": self.kept.astype(int).tolist(),
        }

    @classmethod
    def from_json(cls, told: Mapping[str, Any]) -> DrawnPair:
        """What `to_json` told.

        Examples
        --------
        >>> g, one = Graph(["C"]), np.ones((1, 1))
        >>> pair = DrawnPair(g, g, (0,), 0.0, 0.0, 0.25, one.astype(np.float32), one.astype(bool))
        >>> DrawnPair.from_json(pair.to_json()).mapping
        (0,)
        """
        return cls(
            _graph(told["query"]),
            _graph(told["target"]),
            tuple(told["mapping"]),
            float(told["lower"]),
            float(told["upper"]),
            float(told["predicted"]),
            np.array(told["keep"], dtype=np.float32),
            np.array(told["kept"], dtype=bool),
        )


def draw_pair(model: SedModel, query: Graph, target: Graph) -> DrawnPair:
    """Prune the target of a pair by a model, and find the match by the engine."""
    pruning = model.prune(query, target)  # type: ignore[operator]
    found = sed(query, target, time_limit=None, node_limit=NODE_LIMIT)
    predicted = float(model.predict(query, target)[0])
    return DrawnPair(
        query, target, found.mapping, found.lower, found.upper, predicted, pruning.keep, pruning.kept
    )


def _plain(graph: Graph) -> dict[str, Any]:
    return {"labels": list(graph.labels), "edges": [list(edge) for edge in graph.edges]}


def _graph(told: Mapping[str, Any]) -> Graph:
    return Graph(told["labels"], [(a, b) for a, b in told["edges"]])
