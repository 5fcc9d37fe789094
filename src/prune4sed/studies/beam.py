"""A model whose prediction is the cost of the best match that a beam over its own scores finds."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import OptionError
from prune4sed.graphset import GraphSet
from prune4sed.models.predictor import Predictor

if TYPE_CHECKING:
    from prune4sed.models.base import SedModel

__all__ = ["WithBeam"]


class WithBeam(Predictor):
    """Predicts what the match costs that the beam finds: never less than the true distance.

    Parameters
    ----------
    model : SedModel
        One that matches nodes, such as Prune4SED-plus.
    """

    name = "beam"

    def __init__(self, model: SedModel) -> None:
        if not hasattr(model, "match"):
            raise OptionError(f"{model.name} matches no nodes, so there is no beam to search with")
        self.model = model

    def _distances(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> NDArray[np.float32]:
        match_pairs = import_module("prune4sed.models.matching").match_pairs
        costs: NDArray[np.float64] = match_pairs(self.model, queries, targets, index, batch_size).upper
        return costs.astype(np.float32)
