"""The page of the ablation study."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from prune4sed.studies.markdown import MISSING, figure, table
from prune4sed.studies.methods import ModelMethod, model_method
from prune4sed.studies.paper import datasets_in, differences, paper_value, title_of
from prune4sed.studies.record import Record, pairs_of
from prune4sed.studies.trained import TOLD, training_table

__all__ = ["FULL", "VARIANTS", "ablation_page", "change"]

FULL = "prune4sed"
# Times of training that count as the same, as a ratio.
_NEARLY = 1.2
#: The paper's ablations, and two of our own.
VARIANTS: dict[str, ModelMethod] = {
    FULL: replace(model_method(FULL), own=True),
    **{name: model_method(name) for name in ("no-qal", "1-head", "10-heads")},
    "no-hard": ModelMethod("no-hard", "Prune4SED, no hard pruning", FULL, options={"hard": False}),
    "no-soft": ModelMethod("no-soft", "Prune4SED, no soft pruning", FULL, options={"soft": False}),
}
_TOLD = (
    "RMSE on the paper's test set ({pairs}), the paper's figure in brackets. Every variant is trained on its "
    "own, from scratch, on the same pairs and for the same time, the full model among them, so it is not the "
    "one that ships; the last table says how many pairs were drawn in it, which is more where steps are "
    "cheaper. The paper has no variant without hard or soft pruning."
)
_CHANGE = (
    "How much the RMSE grows when the part is taken away, in percent of the full model's; the paper's change "
    "in brackets. Below 0 the variant is better."
)


def ablation_page(record: Record) -> str:
    """What is known, in tables; dashes where nothing is."""
    names = datasets_in(record)
    titles = [title_of(name) for name in names]
    errors = [[VARIANTS[x].title, *(_rmse(record, x, name) for name in names)] for x in VARIANTS]
    rest = [x for x in VARIANTS if x != FULL]
    changes = [[VARIANTS[x].title, *(_change(record, x, name) for name in names)] for x in rest]
    parts = [_TOLD.format(pairs=pairs_of(record, "checkpoint")), table(["RMSE", *titles], errors)]
    parts += [_CHANGE, table(["change", *titles], changes)]
    trained = training_table(record, VARIANTS.values(), names)
    parts += [TOLD, trained] if trained else []
    return "\n\n".join([*parts, "## What differs from the paper's data", differences(record)])


def change(record: Record, variant: str, name: str) -> float | None:
    """Of our RMSE, relative to the full model's; None if one is missing or they were not trained alike."""
    ours, full = (record.figures(method=x, dataset=name, set="test") for x in (variant, FULL))
    if ours is None or full is None or not full["rmse"] or not _alike(ours, full):
        return None
    return float(ours["rmse"] / full["rmse"] - 1)


def _alike(ours: dict[str, Any], full: dict[str, Any]) -> bool:
    """Whether both were trained on the same pairs, and for the same time or nearly so."""
    one, other = (x.get("training", {}) for x in (ours, full))
    times = [float(x.get("seconds", 1.0)) for x in (one, other)]
    same_pairs: bool = one.get("fingerprint") == other.get("fingerprint")
    return same_pairs and max(times) <= _NEARLY * min(times)


def _rmse(record: Record, variant: str, name: str) -> str:
    found = record.figures(method=variant, dataset=name, set="test") or {}
    theirs = paper_value("rmse", VARIANTS[variant].paper, name)
    return figure(found.get("rmse")) + ("" if theirs is None else f" ({theirs:.3f})")


def _change(record: Record, variant: str, name: str) -> str:
    ours = change(record, variant, name)
    theirs, full = (paper_value("rmse", VARIANTS[x].paper, name) for x in (variant, FULL))
    told = MISSING if ours is None else f"{100 * ours:+.1f} %"
    return told if theirs is None or full is None else f"{told} ({100 * (theirs / full - 1):+.1f} %)"
