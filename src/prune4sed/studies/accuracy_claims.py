"""What the accuracy study says on claims: the paper's figures, the gain over NeuroSED, the spread."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from prune4sed.studies.markdown import MISSING, figure, table
from prune4sed.studies.methods import METHODS, ModelMethod
from prune4sed.studies.paper import paper_value, title_of
from prune4sed.studies.record import Record
from prune4sed.studies.trained import short

__all__ = ["SEEDED", "bars", "gains", "rmse_of", "spread"]

#: Models that may be there as trained from several seeds.
SEEDED = ("neurosed", "prune4sed", "plus")
_BARS = (
    "The last column says how many times its figure in the paper BRANCH, which learns nothing, errs on our "
    "pairs. Where that is more than 1 they are harder than the paper's, one reason for a missed figure. "
    "Another is training: minutes of one GPU here (see above), until five rounds brought nothing there."
)
_GAINS = (
    "By how much the RMSE on the paper's test set is lower than NeuroSED's, where both were trained on the "
    "same pairs, in the last part of their training if it had several. A star where NeuroSED had more pairs; "
    "a dash where one of the two is missing, or the other had more. The mean only where none is missing."
)
_SPREAD = (
    "The same model trained from several seeds for about as long, on the paper's test set; a dash where "
    "there are not several. One that ships is among them only if it was trained for no longer."
)
# Models whose training drew at most so many times the pairs of the shortest one count as trained alike.
_ALIKE = 2


def rmse_of(record: Record, method: str, name: str, which: str, what: str = "rmse") -> float | None:
    """A method's error on a set; None if it is missing."""
    found = record.figures(method=method, dataset=name, set=which)
    return None if found is None else found[what]


def bars(record: Record, names: list[str]) -> list[str]:
    """Whether Prune4SED reaches the paper's figure, and Prune4SED-plus half of Prune4SED's."""
    rows = []
    for name in names:
        ours, plus = (rmse_of(record, method, name, "test") for method in ("prune4sed", "plus"))
        paper, half = paper_value("rmse", "Prune4SED", name), None if ours is None else ours / 2
        told = [figure(paper), figure(ours), _verdict(ours, paper)]
        told += [figure(half), figure(plus), _verdict(plus, half), _hardness(record, name)]
        rows.append([title_of(name), *told])
    titles = ["the paper", "Prune4SED", "at most the paper's?", "half of Prune4SED", "plus", "at most half?"]
    return ["## What was aimed at", _BARS, table(["dataset", *titles, "BRANCH, to the paper's"], rows)]


def _hardness(record: Record, name: str) -> str:
    """How much harder our pairs are than the paper's, to a method that is the same for both."""
    ours, paper = rmse_of(record, "branch", name, "test"), paper_value("rmse", "BRANCH", name)
    return MISSING if ours is None or not paper else f"{ours / paper:.2f}"


def _verdict(value: float | None, bar: float | None) -> str:
    if value is None or bar is None:
        return MISSING
    return "yes" if round(value, 3) <= round(bar, 3) else f"missed by {value - bar:.3f}"


def gains(record: Record, names: list[str]) -> list[str]:
    """The gain over NeuroSED in percent."""
    rows = []
    for method in METHODS.values():
        if not isinstance(method, ModelMethod) or method.name == "neurosed" or method.engine is not None:
            continue
        found = [_gain(record, method.name, name) for name in names]
        known = [gain for gain, _ in found if gain is not None]
        mean = sum(known) / len(known) if known and len(known) == len(names) else None
        starred = any(more for _, more in found)
        rows.append([method.title, *(_percent(*gain) for gain in found), _percent(mean, starred)])
    titles = ["model", *(title_of(name) for name in names), "mean"]
    return ["## Gain over NeuroSED", _GAINS, table(titles, rows)]


def _gain(record: Record, method: str, name: str) -> tuple[float | None, bool]:
    """In percent, None if the two cannot be compared; and whether NeuroSED had more pairs."""
    ours, base = (record.figures(method=x, dataset=name, set="test") for x in (method, "neurosed"))
    if ours is None or base is None or not base["rmse"]:
        return None, False
    told, theirs = (x.get("training", {}) for x in (ours, base))
    alike = told.get("fingerprint") == theirs.get("fingerprint")
    more = not alike and theirs.get("pairs", 0) > told.get("pairs", math.inf)
    return (100 * (1 - ours["rmse"] / base["rmse"]) if alike or more else None), more


def _percent(value: float | None, starred: bool = False) -> str:
    return MISSING if value is None else f"{value:.1f} %{'*' if starred else ''}"


def spread(record: Record, names: list[str]) -> list[str]:
    """Mean and range over training seeds on the test set; nothing if no model has several."""
    found = {(x, name): _over_seeds(record, x, name) for x in SEEDED for name in names}
    if all(len(models) < 2 for models in found.values()):
        return []
    rows = [[METHODS[x].title, *(_range(found[x, name]) for name in names)] for x in SEEDED]
    titles = ["mean RMSE (least to most)", *(title_of(name) for name in names)]
    return ["## Spread over training seeds", f"{_SPREAD}{_drawn_in(found.values())}", table(titles, rows)]


def _over_seeds(record: Record, method: str, name: str) -> list[dict[str, Any]]:
    """Figures of models trained alike from several seeds; of all, if none tells for how long."""
    cells = [x["figures"] for x in record.entries(method=method, dataset=name, set="test") if "figures" in x]
    least = min(filter(None, map(_drawn, cells)), default=0)
    return [cell for cell in cells if min(1, least) <= _drawn(cell) <= _ALIKE * least]


def _drawn(figures: dict[str, Any]) -> int:
    """Pairs that were drawn in training; 0 if it is not told."""
    return int(figures.get("training", {}).get("drawn", 0))


def _drawn_in(found: Iterable[list[dict[str, Any]]]) -> str:
    """In words: how long the models of the table were trained."""
    drawn = [_drawn(one) for models in found if len(models) > 1 for one in models]
    if not all(drawn):
        return ""
    return f" Each drew {short(min(drawn))} to {short(max(drawn))} pairs in all its steps."


def _range(found: list[dict[str, Any]]) -> str:
    if len(found) < 2:
        return MISSING
    errors = [one["rmse"] for one in found]
    return f"{sum(errors) / len(errors):.3f} ({min(errors):.3f} to {max(errors):.3f}, {len(errors)} seeds)"
