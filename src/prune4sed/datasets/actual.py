"""The figures of our datasets, to set beside the paper's.

Those of a dataset that was built come from its folder. Those of the standard ones ship in ``actual.json``,
which ``tools/actual_figures.py`` writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prune4sed.datasets.dataset_read import read_info
from prune4sed.datasets.loading import find

__all__ = ["SHIPPED", "Figures", "actual", "figures_of"]

#: The file with the figures of the standard datasets.
SHIPPED = Path(__file__).with_name("actual.json")


@dataclass(frozen=True)
class Figures:
    """Means over the pairs of train, validation and test.

    Attributes
    ----------
    pairs : int
        How many there are.
    query_nodes, target_nodes : float
        Mean sizes.
    labels : int
        Different node labels of the raw data.
    certified : float, optional
        Certified share of the test pairs.
    """

    pairs: int
    query_nodes: float
    target_nodes: float
    labels: int
    certified: float | None


def actual(name: str) -> Figures | None:
    """The figures of one of the seven datasets as it was built, or else of the standard one, if known."""
    folder = find(name)
    if folder is not None:
        info = read_info(folder)
        labels = info.get("source", {}).get("labels")
        return None if labels is None or "test" not in info["sets"] else figures_of(info["sets"], labels)
    known = json.loads(SHIPPED.read_text(encoding="utf-8")).get(name) if SHIPPED.is_file() else None
    return None if known is None else Figures(**known)


def figures_of(sets: Mapping[str, Mapping[str, Any]], labels: int) -> Figures:
    """Figures out of those of the sets, as `dataset.figures` gives them.

    Examples
    --------
    >>> one = {"pairs": 3, "query_nodes": 10.0, "target_nodes": 40.0, "certified": 0.5}
    >>> figures_of({"train": one, "test": {**one, "pairs": 1, "query_nodes": 6.0}}, labels=2)
    Figures(pairs=4, query_nodes=9.0, target_nodes=40.0, labels=2, certified=0.5)
    """
    parts = [sets[name] for name in ("train", "validation", "test") if name in sets]
    pairs = int(sum(part["pairs"] for part in parts))

    def mean(key: str) -> float:
        return round(float(sum(part["pairs"] * part[key] for part in parts)) / pairs, 3)

    return Figures(pairs, mean("query_nodes"), mean("target_nodes"), labels, sets["test"].get("certified"))
