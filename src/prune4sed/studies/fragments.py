"""Molecules retrieved for functional groups: the first five of each model, with true distances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from prune4sed.datasets.dataset import Dataset
from prune4sed.datasets.functional_groups import functional_groups
from prune4sed.graphset import GraphSet
from prune4sed.models.predictor import Predictor
from prune4sed.models.solvers import Exact
from prune4sed.studies.evaluated import fingerprint_of, load_predictor
from prune4sed.studies.fragment_figures import Truth, precision_at, retrieve, true_distances
from prune4sed.studies.fragments_page import METHODS, fragments_page
from prune4sed.studies.fragments_picture import fragments_sheet
from prune4sed.studies.methods import model_method
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Opened, Setting
from prune4sed.studies.study import Cell, Pictures, Progress, Study

__all__ = ["Fragments"]

# Functional groups to search for, those of them that are drawn, and molecules to search in at most.
_GROUPS, _DRAWN = {False: 40, True: 4}, {False: 3, True: 2}
_MOLECULES = {False: 5_000, True: 200}
_SET, _FIRST, _MORE = "test", 5, 10


class Fragments(Study):
    """Precision of the first five and ten, and the first five of some functional groups drawn."""

    name = "fragments"
    title = "Molecules that contain a functional group, or nearly do"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        chosen = setting.chosen_methods(tuple(METHODS))
        for source in setting.opened(("molecules",)):
            task = None if source.data is None or _SET not in source.data else _Task(source.data, setting)
            for method in chosen:
                yield _cell(method, source, task, setting)

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        sheet = fragments_sheet(record)
        return {} if sheet is None else {"fragments.svg": sheet}

    def page(self, record: Record) -> str:
        return fragments_page(record)


class _Task:
    """What to look for, where, and the true distances; found once for all models."""

    def __init__(self, data: Dataset, setting: Setting) -> None:
        self.quick, self.seed, self.data = setting.quick, setting.seed, data
        self.made_from = {
            "data": fingerprint_of(data, _SET),
            "groups": _GROUPS[setting.quick],
            "drawn": _DRAWN[setting.quick],
            "molecules": min(len(data[_SET].targets), _MOLECULES[setting.quick]),
            "seed": setting.seed,
        }

    @cached_property
    def library(self) -> GraphSet:
        """Molecules of the test set."""
        targets, rng = self.data[_SET].targets, np.random.default_rng(self.seed)
        count = min(len(targets), _MOLECULES[self.quick])
        return targets.take(np.sort(rng.choice(len(targets), count, replace=False)))

    @cached_property
    def groups(self) -> GraphSet:
        """Functional groups in the order of the draw: the first ones are drawn."""
        known, _ = functional_groups()
        rng = np.random.default_rng(self.seed)
        return known.take(rng.permutation(len(known))[: _GROUPS[self.quick]])

    @cached_property
    def truth(self) -> Truth:
        """Distances of all groups to all molecules."""
        return true_distances(self.groups, self.library)

    def figures(self, model: Predictor, show: Progress) -> Mapping[str, Any]:
        """What a model finds for every group."""
        rows = [self._row(model, at, show) for at in range(len(self.groups))]
        names = ("precision_5", "precision_10", "true_5", "best_5")
        means = {name: float(np.mean([row[name] for row in rows])) for name in names}
        return {**means, "certified": self.truth.certified, "molecules": len(self.library), "groups": rows}

    def _row(self, model: Predictor, at: int, show: Progress) -> dict[str, Any]:
        query, true = self.groups[at], self.truth.distances[at]
        found = retrieve(model, query, self.library, true, _MORE)
        show(at + 1, len(self.groups))
        row: dict[str, Any] = {
            "group": query.id,
            "precision_5": precision_at(found.true[:_FIRST], true),
            "precision_10": precision_at(found.true, true),
            "true_5": float(found.true[:_FIRST].mean()),
            "best_5": float(np.sort(true)[:_FIRST].mean()),
        }
        if at < _DRAWN[self.quick]:
            row["query"] = {"labels": list(query.labels), "edges": [list(edge) for edge in query.edges]}
            row["hits"] = found.to_json(query, self.library)[:_FIRST]
        return row


def _cell(method: str, source: Opened, task: _Task | None, setting: Setting) -> Cell:
    key = {"method": method, "dataset": source.name}
    if task is None:
        return Cell.absent(source.why or f"{source.name} has no set {_SET}", **key)
    if method == "bounds":
        return Cell(key, task.made_from, lambda show: task.figures(Exact(0, estimate="middle"), show))
    found = model_method(method).find(task.data.name, setting.shelf)
    if found is None:
        return Cell.absent(model_method(method).lacking(setting.shelf), **key)
    made = {**task.made_from, "checkpoint": found.header.digest}
    return Cell(key, made, lambda show: task.figures(load_predictor(found, setting.device), show))
