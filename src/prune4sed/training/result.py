"""What a run says about itself, on the way and in the end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from prune4sed.models.base import SedModel

__all__ = ["Report", "TrainResult"]


@dataclass(frozen=True)
class Report:
    """How far a run is.

    Attributes
    ----------
    step, total : int
        Steps taken, and to take; None for as many as it needs.
    loss : float
        Mean over the last few steps.
    rmse, best : float, or None
        Of the last validation and of the best one.
    pairs_per_second : float
        Trained on, over the last few steps.
    seconds_left : float, or None
        Until the last step.
    """

    step: int
    total: int | None
    loss: float
    rmse: float | None
    best: float | None
    pairs_per_second: float
    seconds_left: float | None


@dataclass(frozen=True, eq=False)
class TrainResult:
    """A run that is over.

    Attributes
    ----------
    model : SedModel
        With the weights that did best on the validation set.
    rmse : float
        Its validation RMSE.
    best_step, steps : int
        After which step that was, and all steps taken.
    seconds : float
        For all of it, earlier parts of a resumed run included.
    folder : Path
        Where ``model.safetensors``, ``log.jsonl`` and ``state.safetensors`` are.
    """

    model: SedModel
    rmse: float
    best_step: int
    steps: int
    seconds: float
    folder: Path
