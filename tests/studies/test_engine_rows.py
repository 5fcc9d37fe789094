"""Rows of the engine before a model: on the sample that solvers get, and better than the model alone."""

from __future__ import annotations

import pytest
from made_studies import Bench

from prune4sed.models.engine_first import EngineFirst
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.studies import evaluated
from prune4sed.studies.accuracy import Accuracy
from prune4sed.studies.methods import model_method
from prune4sed.studies.running import reproduce
from prune4sed.studies.time import Time


def test_the_engine_before_a_model(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluated, "SOLVER_PAIRS", {False: 12, True: 6})
    bench.model("prune4sed-plus")
    record = reproduce(Accuracy(), bench.setting(methods=("plus", "plus-1ms", "plus-100ms"))).record
    alone, short, long = (
        record.figures(method=x, dataset="made", set="test") or {} for x in ("plus", "plus-1ms", "plus-100ms")
    )
    assert (alone["pairs"], short["pairs"], long["pairs"]) == (30, 12, 12)
    assert alone["rmse"] > short["rmse"]
    assert long["rmse"] == 0  # graphs of nine nodes are no task for it
    entry = record.entry(method="plus-1ms", dataset="made", set="test") or {}
    assert entry["from"]["engine"] == 0.001
    assert "engine" not in (record.entry(method="plus", dataset="made", set="test") or {})["from"]


def test_the_predictor_is_the_one_that_the_method_says(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.model("prune4sed-plus")
    seen: list[object] = []

    def measured(predictor: object, *rest: object) -> dict[str, float]:
        seen.append(predictor)
        return {"batch_us": 1.0, "single_us": 1.0}

    monkeypatch.setattr("prune4sed.studies.time._measured", measured)
    reproduce(Time(), bench.setting(methods=("plus", "plus-10ms"), quick=True))
    plain, first = seen
    assert isinstance(plain, Prune4SEDPlus)
    assert isinstance(first, EngineFirst)
    assert isinstance(first.model, Prune4SEDPlus)
    assert first.time_limit == 0.01


def test_what_a_method_is_made_of_is_told_where_it_is_used_otherwise() -> None:
    assert model_method("plus-beam").use() == {"bounds": False, "beam": True}
    assert model_method("plus-10ms").use() == {"bounds": False, "beam": False, "engine": 0.01}
