"""The paper's main table: RMSE of all methods on the seven datasets, and of ours beyond it."""

from __future__ import annotations

from collections.abc import Iterator

from prune4sed.studies.accuracy_claims import SEEDED
from prune4sed.studies.accuracy_page import accuracy_page
from prune4sed.studies.accuracy_plot import accuracy_figure
from prune4sed.studies.evaluated import evaluation_cell
from prune4sed.studies.methods import METHODS, model_method
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Opened, Setting
from prune4sed.studies.study import Cell, Pictures, Study

__all__ = ["SETS", "Accuracy"]

#: The paper's test set, and the one whose graphs are all new.
SETS = ("test", "strict_test")


class Accuracy(Study):
    """Every method on every dataset: interval RMSE, and RMSE over certified pairs."""

    name = "accuracy"
    title = "How accurate the methods are"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        chosen = setting.chosen_methods(tuple(METHODS))
        for source in setting.opened():
            for method in chosen:
                for name in SETS:
                    yield evaluation_cell(METHODS[method], source, name, setting)
                    yield from _other_seeds(method, source, name, setting)

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        figure = accuracy_figure(record)
        return {} if figure is None else {"accuracy.svg": figure}

    def page(self, record: Record) -> str:
        return accuracy_page(record)


def _other_seeds(method: str, source: Opened, name: str, setting: Setting) -> Iterator[Cell]:
    """The main models again, as trained from other seeds, for the spread; none if there are no such runs."""
    if method not in SEEDED:
        return
    model = model_method(method)
    for checkpoint in setting.shelf.seeds(source.name, model.model, **model.options)[1:]:
        key = {"method": method, "dataset": source.name, "set": name, "training_seed": str(checkpoint.seed)}
        yield evaluation_cell(model, source, name, setting, key, checkpoint)
