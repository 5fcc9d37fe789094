"""The page of the accuracy study."""

from __future__ import annotations

from prune4sed.studies.accuracy_claims import bars, gains, rmse_of, spread
from prune4sed.studies.markdown import MISSING, figure, table
from prune4sed.studies.methods import METHODS, Method
from prune4sed.studies.paper import datasets_in, differences, paper_value, title_of
from prune4sed.studies.record import Record, pairs_of
from prune4sed.studies.trained import TOLD, training_table, tuned

__all__ = ["accuracy_page"]

_TOLD = (
    "RMSE counts how far a prediction lies outside the interval of proven bounds, as in the paper; lower is "
    "better. The paper's figure stands in brackets. Models are measured on {models}, solvers on a random "
    "sample of it ({solvers}), for they take their time. BRANCH and MIP-F2 get 0.1 s per pair and predict "
    "the middle of their bounds, as in the paper. The exact engine stops at its limit and predicts the cost "
    "of the best match found so far, or the middle of its bounds; the labels are from the same engine with "
    "far more work per pair, and all but the few that are not certified are proven. In the last rows the "
    "engine comes first, and Prune4SED-plus is asked about what is open then, within the proven bounds, on "
    "the same sample. Models are not trained alike: the table under Training says for how long each was, "
    "and on how many pairs."
)
_INTERVALS = "95 % confidence intervals (bootstrap over pairs):"
_CERTIFIED = "RMSE over certified pairs only, and their share:"


def accuracy_page(record: Record) -> str:
    """What is known, in tables; dashes where nothing is."""
    names = datasets_in(record)
    which = "a sample" if record.quick else "all pairs"
    models = f"{which} of a set ({pairs_of(record, 'checkpoint')})"
    told = _TOLD.format(models=models, solvers=pairs_of(record, "limits"))
    parts = [told, "## The paper's test set", _rmse(record, names, "test", paper=True)]
    parts += [_INTERVALS, _intervals(record, names, "test"), _CERTIFIED, _certified(record, names, "test")]
    parts += ["## The strict test set: no graph of it is in the training set"]
    parts += [_rmse(record, names, "strict_test"), _INTERVALS, _intervals(record, names, "strict_test")]
    parts += [_CERTIFIED, _certified(record, names, "strict_test")]
    parts += _training(record, names)
    # Small samples say nothing on what was aimed at.
    parts += [] if record.quick else [*bars(record, names), *gains(record, names), *spread(record, names)]
    return "\n\n".join([*parts, "## What differs from the paper's data", differences(record)])


def _training(record: Record, names: list[str]) -> list[str]:
    """How long models were trained; nothing where none tells."""
    trained = training_table(record, METHODS.values(), names)
    told = f"{TOLD} {tuned(record, names, method='prune4sed', set='test')}".rstrip()
    return ["## Training", told, trained] if trained else []


def _rmse(record: Record, names: list[str], which: str, paper: bool = False) -> str:
    rows = []
    for method in METHODS.values() if paper else _measured(record, which):
        row = [method.title]
        for name in names:
            ours = figure(rmse_of(record, method.name, name, which))
            theirs = paper_value("rmse", method.paper, name) if paper else None
            row.append(ours if theirs is None else f"{ours} ({theirs:.3f})")
        rows.append(row)
    return table(["method", *(title_of(name) for name in names)], rows)


def _intervals(record: Record, names: list[str], which: str) -> str:
    rows = []
    for method in _measured(record, which):
        found = [record.figures(method=method.name, dataset=name, set=which) for name in names]
        row = [MISSING if x is None else f"{x['rmse_low']:.3f} to {x['rmse_high']:.3f}" for x in found]
        rows.append([method.title, *row])
    return table(["method", *(title_of(name) for name in names)], rows)


def _certified(record: Record, names: list[str], which: str) -> str:
    rows = [
        [x.title, *(figure(rmse_of(record, x.name, name, which, "rmse_certified")) for name in names)]
        for x in _measured(record, which)
    ]
    rows.append(["certified share of the pairs", *(_share(record, name, which) for name in names)])
    return table(["method", *(title_of(name) for name in names)], rows)


def _measured(record: Record, which: str) -> list[Method]:
    """Methods with any figure; the first table has all of them."""
    return [
        method
        for method in METHODS.values()
        if any("figures" in entry for entry in record.entries(method=method.name, set=which))
    ]


def _share(record: Record, name: str, which: str) -> str:
    """Of the largest sample there is, which is the whole set where a model was measured."""
    known = [x["figures"] for x in record.entries(dataset=name, set=which) if "figures" in x]
    whole = max(known, key=lambda x: int(x["pairs"]), default=None)
    return MISSING if whole is None else f"{100 * whole['certified']:.2f} %"
