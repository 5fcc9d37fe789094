"""RMSE against the size of targets, and on queries larger than any that was trained on."""

from __future__ import annotations

from collections.abc import Iterator

from prune4sed.datasets.catalogue import DATASETS
from prune4sed.datasets.dataset import Dataset
from prune4sed.datasets.joining import join_pairs
from prune4sed.studies.evaluated import evaluation_cell
from prune4sed.studies.methods import METHODS
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Opened, Setting
from prune4sed.studies.sizes_page import METHODS_HERE, SIZES, sizes_page
from prune4sed.studies.sizes_plot import sizes_figure
from prune4sed.studies.study import Cell, Pictures, Study

__all__ = ["Sizes"]

_PARTS = ("train", "validation", "test")


class Sizes(Study):
    """Small, medium and large targets of CiteSeer and Cora_ML, and queries of 26 to 50 nodes."""

    name = "sizes"
    title = "How accuracy changes with the size of the graphs"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        networks = tuple(name for name, entry in DATASETS.items() if entry.single_network)
        for source in setting.opened(networks):
            by_size = _by_size(source)
            names = [*SIZES, "large_queries"] if by_size.data is None else list(by_size.data)
            for method in setting.chosen_methods(METHODS_HERE):
                for name in names:
                    yield evaluation_cell(METHODS[method], by_size, name, setting)

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        figure = sizes_figure(record)
        return {} if figure is None else {"sizes.svg": figure}

    def page(self, record: Record) -> str:
        return sizes_page(record)


def _by_size(source: Opened) -> Opened:
    """The sets of every size as wholes: no model here was trained on any part of them."""
    data = source.data
    if data is None:
        return source
    sets = {
        size: join_pairs([data[f"{size}_{part}"] for part in _PARTS])
        for size in SIZES
        if all(f"{size}_{part}" in data for part in _PARTS)
    }
    if "large_queries" in data:
        sets["large_queries"] = data["large_queries"]
    return Opened(source.name, Dataset(data.name, data.seed, sets))
