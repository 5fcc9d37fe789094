"""Predictions of Prune4SED-plus made better by the mappings that its claims lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.graphset import GraphSet
from prune4sed.models.bounds import Bounded, clip_to_bounds
from prune4sed.models.matching import BEAM, match_pairs
from prune4sed.models.predictor import Predictor

if TYPE_CHECKING:
    from prune4sed.models.prune4sed_plus import Prune4SEDPlus

__all__ = ["BeamPredictor"]


class BeamPredictor(Predictor):
    """A model with a beam: no prediction is above the cost of a mapping that was found.

    Parameters
    ----------
    model : Prune4SEDPlus
        Whose claims to follow.
    beam : int
        How many partial mappings are followed at a time.
    """

    name = "prune4sed-plus-beam"

    def __init__(self, model: Prune4SEDPlus, beam: int = BEAM) -> None:
        self.model, self.beam = model, beam
        self.vocabulary = model.vocabulary

    def check_readable(self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64]) -> None:
        self.model.check_readable(queries, targets, index)

    def _distances(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> NDArray[np.float32]:
        return self._found(queries, targets, index, batch_size)[0]

    def _bounded(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> Bounded:
        predicted, upper = self._found(queries, targets, index, batch_size)
        first = clip_to_bounds(predicted, queries, targets, index)
        upper = np.minimum(first.upper, upper)
        return Bounded(np.minimum(first.predicted, upper).astype(np.float32), first.lower, upper)

    def _found(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        found = match_pairs(self.model, queries, targets, index, batch_size, self.beam)
        return np.minimum(found.predicted, found.upper).astype(np.float32), found.upper
