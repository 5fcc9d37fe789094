"""What the parts of Prune4SED are worth: query-aware learning, several heads, hard and soft pruning."""

from __future__ import annotations

from collections.abc import Iterator

from prune4sed.studies.ablation_page import VARIANTS, ablation_page
from prune4sed.studies.ablation_plot import ablation_figure
from prune4sed.studies.evaluated import evaluation_cell
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Setting
from prune4sed.studies.study import Cell, Pictures, Study

__all__ = ["Ablation"]


class Ablation(Study):
    """Variants that were trained without a part, on the paper's test set."""

    name = "ablation"
    title = "What the parts of Prune4SED are worth"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        chosen = setting.chosen_methods(tuple(VARIANTS))
        for source in setting.opened():
            for name in chosen:
                yield evaluation_cell(VARIANTS[name], source, "test", setting)

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        figure = ablation_figure(record)
        return {} if figure is None else {"ablation.svg": figure}

    def page(self, record: Record) -> str:
        return ablation_page(record)
