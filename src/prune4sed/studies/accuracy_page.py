"""The page of the accuracy study."""

from __future__ import annotations

from typing import Any

from prune4sed.studies.markdown import MISSING, figure, table
from prune4sed.studies.methods import METHODS, ModelMethod
from prune4sed.studies.paper import datasets_in, differences, paper_value, title_of
from prune4sed.studies.record import Record, pairs_of

__all__ = ["SEEDED", "accuracy_page"]

#: Models that may be there as trained from several seeds.
SEEDED = ("neurosed", "prune4sed", "plus")

_TOLD = (
    "RMSE counts how far a prediction lies outside the interval of proven bounds, as in the paper; lower is "
    "better. The paper's figure stands in brackets. Models are measured on all pairs of a set ({models}), "
    "solvers on a random sample of it ({solvers}), for they take their time. BRANCH and MIP-F2 get 0.1 s per "
    "pair and predict the middle of their bounds, as in the paper. The exact engine stops at its limit and "
    "predicts the cost of the best match found so far, or the middle of its bounds."
)

_SPREAD = "The same model trained from several seeds, on the paper's test set; a dash where there is but one."


def accuracy_page(record: Record) -> str:
    """What is known, in tables; dashes where nothing is."""
    names = datasets_in(record)
    told = _TOLD.format(models=pairs_of(record, "checkpoint"), solvers=pairs_of(record, "limits"))
    parts = [told, "## The paper's test set", _rmse(record, names, "test", paper=True)]
    parts += ["95 % confidence intervals (bootstrap over pairs):", _intervals(record, names, "test")]
    parts += ["RMSE over certified pairs only:", _rmse(record, names, "test", "rmse_certified")]
    parts += ["## The strict test set: no graph of it is in the training set"]
    parts += [_rmse(record, names, "strict_test"), "RMSE over certified pairs only:"]
    parts += [_rmse(record, names, "strict_test", "rmse_certified")]
    parts += ["## Gain over NeuroSED, trained on the same pairs", _gains(record, names)]
    parts += _spread(record, names)
    parts += ["## What differs from the paper's data", differences()]
    return "\n\n".join(parts)


def _rmse(record: Record, names: list[str], which: str, what: str = "rmse", paper: bool = False) -> str:
    rows = []
    for method in METHODS.values():
        row = [method.title]
        for name in names:
            ours = figure(_of(record, method.name, name, which).get(what))
            theirs = paper_value("rmse", method.paper, name) if paper else None
            row.append(ours if theirs is None else f"{ours} ({theirs:.3f})")
        rows.append(row)
    return table(["method", *(title_of(name) for name in names)], rows)


def _intervals(record: Record, names: list[str], which: str) -> str:
    rows = []
    for method in METHODS.values():
        found = [_of(record, method.name, name, which) for name in names]
        ends = [(x.get("rmse_low"), x.get("rmse_high")) for x in found]
        row = [MISSING if low is None else f"{low:.3f} to {high:.3f}" for low, high in ends]
        rows.append([method.title, *row])
    return table(["method", *(title_of(name) for name in names)], rows)


def _gains(record: Record, names: list[str]) -> str:
    """By how much the RMSE is lower, in percent, on the paper's test set."""
    rows = []
    for method in METHODS.values():
        if not isinstance(method, ModelMethod) or method.name == "neurosed":
            continue
        gains = [_gain(record, method.name, name) for name in names]
        known = [gain for gain in gains if gain is not None]
        mean = sum(known) / len(known) if len(known) == len(names) and known else None
        rows.append([method.title, *(_percent(gain) for gain in gains), _percent(mean)])
    return table(["model", *(title_of(name) for name in names), "mean"], rows)


def _gain(record: Record, method: str, name: str) -> float | None:
    ours, base = (_of(record, x, name, "test").get("rmse") for x in (method, "neurosed"))
    return None if ours is None or not base else 100 * (1 - ours / base)


def _spread(record: Record, names: list[str]) -> list[str]:
    """Mean and range over training seeds on the test set; nothing if no model has several."""
    rows, several = [], False
    for method in SEEDED:
        row = [METHODS[method].title]
        for name in names:
            found = [x["figures"]["rmse"] for x in record.entries(method=method, dataset=name, set="test")
                     if "figures" in x]  # fmt: skip
            several |= len(found) > 1
            row.append(_range(found))
        rows.append(row)
    titles = ["mean RMSE (least to most)", *(title_of(name) for name in names)]
    return ["## Spread over training seeds", _SPREAD, table(titles, rows)] if several else []


def _range(found: list[float]) -> str:
    if len(found) < 2:
        return MISSING
    return f"{sum(found) / len(found):.3f} ({min(found):.3f} to {max(found):.3f}, {len(found)} seeds)"


def _percent(value: float | None) -> str:
    return MISSING if value is None else f"{value:.1f} %"


def _of(record: Record, method: str, name: str, which: str) -> dict[str, Any]:
    return record.figures(method=method, dataset=name, set=which) or {}
