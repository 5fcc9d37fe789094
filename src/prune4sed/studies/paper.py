"""The paper's figures, to set beside ours; they stand in ``paper.json``."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from prune4sed.datasets.catalogue import DATASETS
from prune4sed.datasets.shipped import shipped_header
from prune4sed.studies.record import Record

__all__ = ["PAPER_PRUNING", "datasets_in", "differences", "paper_figures", "paper_value", "title_of"]

#: What hard pruning starts from and how far it goes in the paper.
PAPER_PRUNING = {"k": 5, "h": 4}
_FILE = Path(__file__).with_name("paper.json")


@cache
def paper_figures() -> dict[str, Any]:
    """All of them."""
    found: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def paper_value(table: str, row: str | None, column: str) -> float | None:
    """One figure; None if the paper has none.

    Examples
    --------
    >>> paper_value("rmse", "Prune4SED", "citeseer"), paper_value("rmse", "Prune4SED", "imdb")
    (0.365, None)
    """
    value: float | None = paper_figures()[table].get(row, {}).get(column)
    return value


def datasets_in(record: Record) -> list[str]:
    """Names of the datasets that a record tells of, in the order of the paper, then of their making."""
    there = dict.fromkeys(entry["key"]["dataset"] for entry in record.entries())
    paper = list(paper_figures()["rmse"]["Prune4SED"])
    return [name for name in paper if name in there] + [name for name in there if name not in paper]


def title_of(dataset: str) -> str:
    """A dataset's name as the paper writes it."""
    return DATASETS[dataset].title if dataset in DATASETS else dataset


def differences(record: Record) -> str:
    """What differs from the paper's data, and from our standard data, in markdown."""
    lines = [f"- **{entry.title}**: {entry.differs}." for entry in DATASETS.values() if entry.differs]
    lines += [
        f"- **{title_of(name)}** as used here is not the standard dataset but of another seed or size."
        for name in datasets_in(record)
        if name in DATASETS and not _is_standard(record, name)
    ]
    rest = (
        "- The paper's own labelled pairs are not public. Ours are drawn by its protocol, with hop counts "
        "chosen so that mean sizes come near its table, and labelled by the exact engine. The paper's "
        "figures are therefore of other pairs, and those of its baselines were taken from the NeuroSED paper."
    )
    return "\n".join([*lines, rest])


def _is_standard(record: Record, name: str) -> bool:
    """Whether the test pairs that were measured are those whose labels ship."""
    header = shipped_header(name)
    known = {} if header is None else header["sets"].get("test", {})
    used = {entry["from"]["data"] for entry in record.entries(dataset=name, set="test") if "from" in entry}
    return used <= {known.get("fingerprint")}
