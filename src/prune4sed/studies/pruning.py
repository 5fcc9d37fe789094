"""What is lost by pruning: the distance to the pruned target against the true one, both exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prune4sed.datasets.dataset import PairSet
from prune4sed.report.bubble_plot import bubble_figure
from prune4sed.studies.evaluated import fingerprint_of, load_predictor
from prune4sed.studies.methods import model_method
from prune4sed.studies.paper import datasets_in, title_of
from prune4sed.studies.pruned_distances import NODE_LIMIT, pruned_figures
from prune4sed.studies.pruned_targets import RULES, degree_scores, keep_scores, match_scores, random_scores
from prune4sed.studies.pruning_page import METHODS, MODELS, RATIOS, pruning_page
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Opened, Setting
from prune4sed.studies.study import Cell, Pictures, Progress, Study
from prune4sed.training.subset import some_pairs

__all__ = ["PrunedSeds"]

_PAIRS = {False: 500, True: 30}
_SET = "test"
Scores = Callable[[], list[NDArray[np.float64]]]


class PrunedSeds(Study):
    """Correlation and mean absolute error at pruning ratios 0.1, 0.3 and 0.5, as in the paper."""

    name = "pruning"
    title = "What pruning does to the distance"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        chosen = setting.chosen_methods(tuple(METHODS))
        for source in setting.opened(("aids", "citeseer", "protein")):
            for method in chosen:
                yield from _cells(method, source, setting)

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        plots = {}
        names = datasets_in(record)
        for name in names:
            for ratio in RATIOS:
                found = record.figures(method="prune4sed", dataset=name, rule="threshold", ratio=str(ratio))
                plots[title_of(name), f"r = {ratio}"] = None if found is None else _bubbles(found)
        if not any(plots.values()):
            return {}
        rows, columns = [title_of(name) for name in names], [f"r = {ratio}" for ratio in RATIOS]
        title = "SED to the target that Prune4SED has pruned, against the true SED"
        return {"pruning.png": bubble_figure(plots, rows, columns, title, ("true SED", "SED when pruned"))}

    def page(self, record: Record) -> str:
        return pruning_page(record)


def _cells(method: str, source: Opened, setting: Setting) -> Iterator[Cell]:
    """One cell for every rule and ratio; the nodes are scored once for all of them."""
    keys = [
        {"method": method, "dataset": source.name, "rule": rule, "ratio": str(ratio)}
        for rule in RULES
        for ratio in RATIOS
    ]
    data = source.data
    if data is None or _SET not in data:
        yield from (Cell.absent(source.why or f"{source.name} has no set {_SET}", **key) for key in keys)
        return
    pairs = min(_PAIRS[setting.quick], len(data[_SET].pairs))
    made = {"data": fingerprint_of(data, _SET), "pairs": pairs, "seed": setting.seed}
    made |= {"node_limit": NODE_LIMIT}
    one = some_pairs(data[_SET], pairs, setting.seed)
    if method in MODELS:
        found = model_method(method).find(data.name, setting.shelf)
        if found is None:
            yield from (Cell.absent(model_method(method).lacking(setting.shelf), **key) for key in keys)
            return
        made |= {"checkpoint": found.header.digest}
        scores = cache(lambda: keep_scores(load_predictor(found, setting.device), one))
    else:
        scores = cache(partial(_known_scores, method, one, setting.seed))
    for key in keys:
        yield Cell(key, made, partial(_figures, one, scores, key, setting.seed))


def _known_scores(method: str, one: PairSet, seed: int) -> list[NDArray[np.float64]]:
    """Scores that need no model."""
    if method == "random":
        return random_scores(one, seed)
    return degree_scores(one) if method == "degree" else match_scores(one)


def _figures(
    one: PairSet, scores: Scores, key: Mapping[str, str], seed: int, show: Progress
) -> Mapping[str, Any]:
    return pruned_figures(one, RULES[key["rule"]](scores(), float(key["ratio"]), seed))


def _bubbles(found: Mapping[str, Any]) -> tuple[list[float], list[float], list[float], str]:
    x, y, count = (list(column) for column in zip(*found["bubbles"], strict=True))
    rho = "" if found["correlation"] is None else f"ρ = {found['correlation']:.3f}, "
    return x, y, count, f"{rho}MAE = {found['mae']:.3f}"
