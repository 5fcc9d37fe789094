"""A model whose prediction is that of a beam search over its own scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.errors import OptionError
from prune4sed.graphset import GraphSet
from prune4sed.models.predictor import Predictor

__all__ = ["WithBeam"]


class WithBeam(Predictor):
    """Predicts with ``beam=True``.

    Parameters
    ----------
    model : SedModel
        One that can: its `predict` takes `beam`.
    """

    name = "beam"

    def __init__(self, model: Any) -> None:
        self.model = model

    def _distances(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> NDArray[np.float32]:
        try:
            found: NDArray[np.float32] = self.model.predict(queries, targets, index, batch_size, beam=True)
        except TypeError:
            raise OptionError(f"{self.model.name} has no beam search") from None
        return found
