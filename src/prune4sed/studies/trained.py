"""How long the models of a study were trained, in a table."""

from __future__ import annotations

from collections.abc import Iterable

from prune4sed.studies.markdown import MISSING, table
from prune4sed.studies.methods import Method, ModelMethod
from prune4sed.studies.paper import PAPER_PRUNING, title_of
from prune4sed.studies.record import Record

__all__ = ["TOLD", "short", "training_table", "tuned"]

TOLD = (
    "How long the models were trained: pairs drawn in all steps, those of the models that training started "
    "from among them, of how many there were in the end (× n where each had n - 1 variants beside it)."
)


def training_table(record: Record, methods: Iterable[Method], names: list[str]) -> str:
    """One row per model that was trained, one column per dataset; empty if no model tells of its training."""
    rows = []
    for method in methods:
        if isinstance(method, ModelMethod) and not any(method.use().values()):
            row = [_told(record, method.name, name) for name in names]
            rows += [[method.title, *row]] if set(row) != {MISSING} else []
    return table(["training", *(title_of(name) for name in names)], rows) if rows else ""


def tuned(record: Record, names: list[str], **key: str) -> str:
    """A sentence on datasets whose model prunes by another k or h than the paper's; empty if there is none.

    Parameters
    ----------
    record : Record
        Of the study.
    names : list of str
        The datasets.
    **key
        What tells the model's cell of a dataset from others.
    """
    found = []
    for name in names:
        told = (record.figures(dataset=name, **key) or {}).get("training", {})
        changed = [f"{x} = {told[x]}" for x in PAPER_PRUNING if x in told]
        found += [f"that of {title_of(name)} by {' and '.join(changed)}"] if changed else []
    usual = " and ".join(f"{x} = {value}" for x, value in PAPER_PRUNING.items())
    return f"Prune4SED prunes by the paper's {usual}, but {', '.join(found)}." if found else ""


def _told(record: Record, method: str, name: str) -> str:
    told = (record.figures(method=method, dataset=name, set="test") or {}).get("training", {})
    if told.get("drawn") is None or told.get("pairs") is None:
        return MISSING
    times = f" × {1 + told['variants']}" if told.get("variants") else ""
    return f"{short(told['drawn'])} of {short(told['pairs'])}{times}"


def short(count: int) -> str:
    """Such as 1.3 M or 100 k."""
    if count < 1000:
        return str(count)
    number, unit = (count / 1e6, "M") if count >= 999_500 else (count / 1e3, "k")
    return f"{number:.1f} {unit}" if number < 9.95 and unit == "M" else f"{number:.0f} {unit}"
