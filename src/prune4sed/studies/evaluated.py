"""Cells that hold the quality of a method's predictions on a set of pairs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from prune4sed.datasets.dataset import Dataset, PairSet, figures
from prune4sed.datasets.sampled import SampledSet, fingerprint
from prune4sed.errors import OptionError
from prune4sed.studies.methods import ModelMethod, SolverMethod
from prune4sed.studies.study import Cell, Progress

if TYPE_CHECKING:
    from prune4sed.models.base import SedModel
    from prune4sed.models.predictor import Predictor
    from prune4sed.studies.setting import Opened, Setting
    from prune4sed.studies.shelf import Checkpoint

__all__ = ["MODEL_PAIRS", "SOLVER_PAIRS", "evaluation_cell", "fingerprint_of", "load_predictor"]

# Pairs that a study takes of every set, in full and in quick form; None for all. Solvers take their time, so
# whatever has one in it gets the same sample.
MODEL_PAIRS: dict[bool, int | None] = {False: None, True: 200}
SOLVER_PAIRS: dict[bool, int | None] = {False: 500, True: 20}


def evaluation_cell(
    method: SolverMethod | ModelMethod,
    source: Opened,
    name: str,
    setting: Setting,
    key: Mapping[str, str] | None = None,
    checkpoint: Checkpoint | None = None,
    override: Mapping[str, Any] | None = None,
) -> Cell:
    """The figures of a method on one set of a dataset.

    Parameters
    ----------
    method : SolverMethod or ModelMethod
        What predicts.
    source : Opened
        The dataset.
    name : str
        Which set.
    setting : Setting
        How the study is run.
    key : mapping, optional
        Of the cell; method, dataset and set by default.
    checkpoint : Checkpoint, optional
        Of the model; the one that the method finds by default.
    override : mapping, optional
        Options of the model that are changed after training.
    """
    key, data = key or {"method": method.name, "dataset": source.name, "set": name}, source.data
    if data is None or name not in data:
        return Cell.absent(source.why or f"{source.name} has no set {name}", **key)
    timed = isinstance(method, SolverMethod) or method.engine is not None
    count = (SOLVER_PAIRS if timed else MODEL_PAIRS)[setting.quick]
    pairs = min(count or len(data[name].pairs), len(data[name].pairs))
    made: dict[str, Any] = {"data": fingerprint_of(data, name), "labels": _labels(data[name])}
    made |= {"pairs": pairs, "seed": setting.seed}
    if isinstance(method, SolverMethod):
        made |= {"limits": dict(method.limits)}
        return Cell(key, made, lambda show: _figures(method.make(), data[name], made, False, show))
    found = checkpoint or method.find(data.name, setting.shelf)
    if found is None:
        return Cell.absent(method.lacking(setting.shelf), **key)
    made |= {"checkpoint": found.header.digest, **method.use()}
    made |= {"override": dict(override)} if override else {}

    def compute(show: Progress) -> Mapping[str, Any]:
        predictor = load_predictor(found, setting.device, method, override)
        measured = _figures(predictor, data[name], made, method.bounds, show)
        return {**measured, "model": found.name, "training": found.training}

    return Cell(key, made, compute)


def load_predictor(
    found: Checkpoint,
    device: str,
    method: ModelMethod | None = None,
    override: Mapping[str, Any] | None = None,
) -> Predictor:
    """A model ready to predict, by itself or as the method uses it, with options changed if asked for."""
    from prune4sed.models.checkpoint import load_checkpoint

    model = load_checkpoint(found.path, device)
    if override:
        from prune4sed.studies.overriding import override_options

        model = override_options(model, override)
    predictor = _with_beam(model) if method is not None and method.beam else model
    if method is None or method.engine is None:
        return predictor
    from prune4sed.models.engine_first import EngineFirst

    return EngineFirst(predictor, method.engine)


def _with_beam(model: SedModel) -> Predictor:
    from prune4sed.models.beam_predictor import BeamPredictor
    from prune4sed.models.prune4sed_plus import Prune4SEDPlus

    if not isinstance(model, Prune4SEDPlus):
        raise OptionError(f"{model.name} matches no nodes, so there is no beam to search with")
    return BeamPredictor(model)


def _figures(
    predictor: Predictor, whole: PairSet, made: Mapping[str, Any], bounds: bool, show: Progress
) -> Mapping[str, Any]:
    from prune4sed.training.evaluation import evaluate
    from prune4sed.training.subset import some_pairs

    one = some_pairs(whole, made["pairs"], made["seed"])
    found = evaluate(predictor, one, bounds=bounds, latency=False, seed=made["seed"], progress=show)
    sizes = {name: value for name, value in figures(one).items() if name.endswith("_nodes")}
    return {**found.to_dict(), **sizes}


def _labels(one: PairSet) -> list[float]:
    """What changes when a later engine proves more: the sums of both bounds."""
    return [float(one.pairs.lower.sum()), float(one.pairs.upper.sum())]


def fingerprint_of(data: Dataset, name: str) -> str:
    """What identifies the pairs of a set."""
    known = data.info.get("sets", {}).get(name, {}).get("fingerprint")
    one = data[name]
    return str(known or fingerprint(SampledSet(name, one.queries, one.targets, one.pairs.index)))
