"""A trained model with options changed after training."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from prune4sed.models.base import SedModel
from prune4sed.models.registry import create_model

__all__ = ["override_options"]


def override_options(model: SedModel, options: Mapping[str, Any]) -> SedModel:
    """The same weights under other options, such as k and h of hard pruning.

    Parameters
    ----------
    model : SedModel
        A trained model.
    options : mapping
        Options on which no weight's shape hangs.
    """
    changed = create_model(model.name, model.vocabulary, **{**model.options.to_dict(), **options})
    changed.load_state_dict(model.state_dict())
    changed.met = model.met
    return changed.to(model.device).eval()
