"""How long a prediction takes: every method, on a CPU and on a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from prune4sed.datasets.dataset import PairSet
from prune4sed.models.solvers import Exact
from prune4sed.studies.evaluated import fingerprint_of, load_predictor
from prune4sed.studies.methods import METHODS, Method, SolverMethod
from prune4sed.studies.provenance import load_average
from prune4sed.studies.record import Record
from prune4sed.studies.setting import Opened, Setting
from prune4sed.studies.study import Cell, Pictures, Progress, Study
from prune4sed.studies.time_page import DEVICES, TIMED, time_page
from prune4sed.studies.time_plot import time_figure

__all__ = ["Time"]

_PAIRS = {False: 4096, True: 200}
# The engine until it has a proof, which the other studies have no use for.
PROOF = SolverMethod(
    "exact-proof", "exact engine, to the proof", lambda: Exact(10.0), {"solver": "exact", "time_limit": 10.0}
)


class Time(Study):
    """Microseconds per pair, among many and alone."""

    name = "time"
    title = "How long a prediction takes"

    def cells(self, setting: Setting) -> Iterator[Cell]:
        # Later on it is the study itself that keeps the machine busy.
        load = load_average()
        for source in setting.opened(("citeseer", "cora_ml")):
            for name in setting.chosen_methods(TIMED):
                method = PROOF if name == PROOF.name else METHODS[name]
                for device in DEVICES if not isinstance(method, SolverMethod) else DEVICES[:1]:
                    yield _noting(load, _cell(method, device, source, setting))

    def pictures(self, record: Record, setting: Setting) -> Pictures:
        figure = time_figure(record)
        return {} if figure is None else {"time.svg": figure}

    def page(self, record: Record) -> str:
        return time_page(record)


def _cell(method: Method, device: str, source: Opened, setting: Setting) -> Cell:
    key = {"method": method.name, "dataset": source.name, "device": device}
    data = source.data
    if data is None or "test" not in data:
        return Cell.absent(source.why or f"{source.name} has no set test", **key)
    one, pairs = data["test"], min(_PAIRS[setting.quick], len(data["test"].pairs))
    made: dict[str, Any] = {"data": fingerprint_of(data, "test"), "pairs": pairs, "seed": setting.seed}
    if isinstance(method, SolverMethod):
        made |= {"limits": dict(method.limits)}
        return Cell(key, made, lambda show: _measured(method.make(), one, made))
    found = method.find(source.name, setting.shelf)
    if found is None:
        return Cell.absent(method.lacking(setting.shelf), **key)
    made |= {"checkpoint": found.header.digest, **method.use()}
    if device == "cuda" and not _has_gpu():
        return Cell.absent("there was no GPU", **key)

    def compute(show: Progress) -> Mapping[str, Any]:
        import torch

        measured = _measured(load_predictor(found, device, method), one, made)
        return {**measured, "threads": torch.get_num_threads()} if device == "cpu" else measured

    return Cell(key, made, compute)


def _noting(load: float | None, cell: Cell) -> Cell:
    """The same cell, which also tells how busy the machine was before the study began."""
    compute = cell.compute
    if compute is None:
        return cell
    return replace(cell, compute=lambda show: {**compute(show), "load_at_start": load})


def _measured(predictor: Any, whole: PairSet, made: Mapping[str, Any]) -> Mapping[str, Any]:
    from prune4sed.training.latency import measure_latency
    from prune4sed.training.subset import some_pairs

    one = some_pairs(whole, made["pairs"], made["seed"])
    # The first call loads kernels and fills caches, which is nobody's time per pair.
    predictor.predict(one.queries, one.targets, one.pairs.index[:1])
    return asdict(measure_latency(predictor, one, bounds=made.get("bounds", False)))


def _has_gpu() -> bool:
    import torch

    return torch.cuda.is_available()
