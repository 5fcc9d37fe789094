"""Cells that look at how a trained Prune4SED prunes the targets of a dataset."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from prune4sed.datasets.dataset import PairSet
from prune4sed.studies.evaluated import fingerprint_of, load_predictor
from prune4sed.studies.methods import model_method
from prune4sed.studies.setting import Opened, Setting
from prune4sed.studies.study import Cell, Progress

if TYPE_CHECKING:
    from prune4sed.models.prune4sed import Prune4SED

__all__ = ["DATASETS", "pruner_cells"]

#: Those of the paper's drawings.
DATASETS = ("aids", "citeseer", "protein")
_SET, _MODEL = "test", "prune4sed"
Look = Callable[["Prune4SED", PairSet, int], Mapping[str, Any]]


def pruner_cells(setting: Setting, pairs: Mapping[bool, int], look: Look) -> Iterator[Cell]:
    """A cell for every dataset.

    Parameters
    ----------
    setting : Setting
        How the study is run.
    pairs : mapping of bool to int
        How many pairs are looked at, in full and in quick form.
    look : callable
        From the model, the test set and the number of pairs to figures.
    """
    setting.chosen_methods((_MODEL,))
    for source in setting.opened(DATASETS):
        yield _cell(source, setting, pairs[setting.quick], look)


def _cell(source: Opened, setting: Setting, count: int, look: Look) -> Cell:
    key, data = {"method": _MODEL, "dataset": source.name}, source.data
    if data is None or _SET not in data:
        return Cell.absent(source.why or f"{source.name} has no set {_SET}", **key)
    found = model_method(_MODEL).find(data.name, setting.shelf)
    if found is None:
        return Cell.absent(model_method(_MODEL).lacking(setting.shelf), **key)
    count = min(count, len(data[_SET].pairs))
    made = {"data": fingerprint_of(data, _SET), "pairs": count, "seed": setting.seed}
    made |= {"checkpoint": found.header.digest}

    def compute(show: Progress) -> Mapping[str, Any]:
        model: Any = load_predictor(found, setting.device)
        return look(model, data[_SET], count)

    return Cell(key, made, compute)
