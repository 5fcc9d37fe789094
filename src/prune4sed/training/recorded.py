"""What a shipped model says of its own accuracy, and whether it is so."""

from __future__ import annotations

from typing import Any

from prune4sed.datasets.dataset import Dataset
from prune4sed.models.base import SedModel
from prune4sed.training.evaluation import evaluate
from prune4sed.training.subset import some_pairs

__all__ = ["SAMPLE", "measured", "sample_rmse", "sample_told"]

#: So many pairs of the test set are predicted to see that a model is what it was.
SAMPLE = 200
_SETS = ("test", "strict_test")


def measured(model: SedModel, dataset: Dataset) -> dict[str, Any]:
    """Figures on the test sets, and on the sample of the first that `sample_rmse` goes by."""
    found: dict[str, Any] = {
        name: evaluate(model, dataset[name], latency=False).metrics.to_json() for name in _SETS
    }
    return {**found, "sample": {"pairs": _count(dataset), "rmse": sample_rmse(model, dataset)}}


def sample_rmse(model: SedModel, dataset: Dataset) -> float:
    """The RMSE on a few pairs of the test set, always the same ones."""
    return evaluate(model, some_pairs(dataset["test"], _count(dataset)), latency=False).metrics.rmse


def sample_told(info: dict[str, Any]) -> float | None:
    """What the header of a checkpoint says that `sample_rmse` is; None if it says nothing."""
    metrics = info.get("metrics")
    sample = metrics.get("sample") if isinstance(metrics, dict) else None
    rmse = sample.get("rmse") if isinstance(sample, dict) else None
    return float(rmse) if isinstance(rmse, (int, float)) else None


def _count(dataset: Dataset) -> int:
    return min(SAMPLE, len(dataset["test"].pairs))
