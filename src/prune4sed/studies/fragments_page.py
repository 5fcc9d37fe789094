"""The page of the study of functional groups."""

from __future__ import annotations

from typing import Any

from prune4sed.studies.markdown import MISSING, figure, table
from prune4sed.studies.paper import datasets_in, title_of
from prune4sed.studies.record import Record

__all__ = ["METHODS", "fragments_page", "title_in"]

#: Methods by name, as the page calls them.
METHODS = {
    "prune4sed": "Prune4SED",
    "neurosed": "NeuroSED",
    "plus": "Prune4SED-plus",
    "bounds": "certified bounds alone",
}

_TOLD = (
    "Every model ranks {molecules} by their predicted distance to a functional group, and the exact engine "
    "says what the first ones are worth. Under each molecule: its true distance, and the predicted one; what "
    "matches is green, what has to be edited is orange. Bonds carry no label here, so all are drawn single. "
    "The seed chooses the groups."
)
_COLUMNS = (
    "A molecule among the first k is right if it is as near as the k-th nearest of all, so ties count as "
    "right. `SED of the first 5`: the mean true distance, and beside it that of the best five there are. "
    "`certified bounds alone` ranks by the middle of the engine's first bounds, without a model."
)
# The dataset of this study, whose test molecules are in no training set; those of others may be.
_USUAL, _UNSEEN = "molecules", "molecules of the NCI collection that it was not trained on"


def fragments_page(record: Record) -> str:
    """What is known, in tables; dashes where nothing is."""
    told = _TOLD.format(molecules=" and ".join(_whose(name, record.quick) for name in datasets_in(record)))
    titles = ["model", "functional groups", "molecules", "precision at 5", "precision at 10"]
    titles += ["SED of the first 5", "of the best 5"]
    rows = [[title_in(record, e), *_row(e.get("figures"))] for e in record.entries()]
    parts = [told, "## Precision", _COLUMNS, table(titles, rows)]
    groups = _groups(record)
    return "\n\n".join([*parts, "## Group by group", groups] if groups else parts)


def title_in(record: Record, entry: dict[str, Any]) -> str:
    """What the model of a cell is called, with its dataset where there are several."""
    name = title_of(entry["key"]["dataset"]) if len(datasets_in(record)) > 1 else ""
    return METHODS[entry["key"]["method"]] + (f", {name}" if name else "")


def _whose(dataset: str, quick: bool) -> str:
    """Which molecules are searched."""
    if dataset != _USUAL:
        return f"molecules of the test set of {title_of(dataset)}"
    return _UNSEEN if quick else f"the {_UNSEEN}"


def _row(found: dict[str, Any] | None) -> list[str]:
    if found is None:
        return [MISSING] * 6
    names = ("precision_5", "precision_10", "true_5", "best_5")
    return [str(len(found["groups"])), f"{found['molecules']:,}", *(figure(found[name]) for name in names)]


def _groups(record: Record) -> str:
    """Precision at 5 of every group."""
    found = {title_in(record, e): e["figures"]["groups"] for e in record.entries() if "figures" in e}
    if not found:
        return ""
    by_name = {title: {row["group"]: row["precision_5"] for row in rows} for title, rows in found.items()}
    names = dict.fromkeys(name for rows in by_name.values() for name in rows)
    lines = [[name, *(figure(rows.get(name), 1) for rows in by_name.values())] for name in names]
    return table(["precision at 5", *by_name], lines)
