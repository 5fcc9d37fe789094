"""How much hangs on k and h, which say how much hard pruning leaves."""

from __future__ import annotations

from collections.abc import Iterator

from prune4sed.studies.evaluated import evaluation_cell
from prune4sed.studies.methods import ModelMethod, model_method
from prune4sed.studies.paper import PAPER_PRUNING
from prune4sed.studies.record import Record
from prune4sed.studies.sensitivity_page import AT_PREDICTION, GRID, TRAINED, sensitivity_page
from prune4sed.studies.sensitivity_plot import sensitivity_figure
from prune4sed.studies.setting import Opened, Setting
from prune4sed.studies.study import Cell, Pictures, Study

__all__ = ["Sensitivity"]


class Sensitivity(Study):
    """One of k and h is varied, the other stays as in the paper."""

    name = "sensitivity"
    title = "How much hangs on k and h"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        for source in setting.opened():
            for option, values in GRID.items():
                for value in values:
                    yield _changed(source, option, value, setting)
                    yield _trained(source, option, value, setting)

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        figure = sensitivity_figure(record)
        return {} if figure is None else {"sensitivity.svg": figure}

    def page(self, record: Record) -> str:
        return sensitivity_page(record)


def _changed(source: Opened, option: str, value: int, setting: Setting) -> Cell:
    """The standard model with another value at prediction, and the paper's of the other."""
    method, key = model_method("prune4sed"), _key(source, option, value, AT_PREDICTION)
    found = method.find(source.name, setting.shelf)
    ours = {} if found is None else found.header.options
    others = {x: paper for x, paper in PAPER_PRUNING.items() if ours.get(x, paper) != paper}
    return evaluation_cell(method, source, "test", setting, key, override={**others, option: value})


def _trained(source: Opened, option: str, value: int, setting: Setting) -> Cell:
    """A model that was trained with the value, in the folder of runs.

    What ships was trained for far longer than those, and would make its own value look best.
    """
    options = {} if value == PAPER_PRUNING[option] else {option: value}
    method = ModelMethod("prune4sed", "Prune4SED", "prune4sed", options=options, own=True)
    return evaluation_cell(method, source, "test", setting, _key(source, option, value, TRAINED))


def _key(source: Opened, option: str, value: int, how: str) -> dict[str, str]:
    return {"dataset": source.name, "option": option, "value": str(value), "how": how}
