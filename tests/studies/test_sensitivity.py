"""The sensitivity study: a changed k or h is that of hard pruning, and trained models are kept apart."""

from __future__ import annotations

import numpy as np
import pytest
from made_studies import Bench

from prune4sed.models.base import SedModel
from prune4sed.models.prune4sed import Prune4SED
from prune4sed.studies.overriding import override_options
from prune4sed.studies.running import reproduce
from prune4sed.studies.sensitivity import Sensitivity


def interval_rmse(model: SedModel, bench: Bench) -> float:
    queries, targets, pairs = bench.data["test"]
    return float(np.sqrt(((model.predict(queries, targets, pairs.index) - pairs.upper) ** 2).mean()))


def test_changed_at_prediction_and_trained(bench: Bench) -> None:
    standard = bench.model("prune4sed", "standard").eval()
    trained = bench.model("prune4sed", "k1", seed=3, k=1).eval()
    setting = bench.setting()
    record = reproduce(Sensitivity(), setting).record

    def cell(option: str, value: int, how: str) -> float | None:
        found = record.figures(dataset="made", option=option, value=str(value), how=how)
        return None if found is None else found["rmse"]

    assert cell("k", 5, "at prediction") == pytest.approx(interval_rmse(standard, bench), rel=1e-5)
    assert cell("k", 5, "trained") == cell("h", 4, "trained") == cell("k", 5, "at prediction")
    assert cell("k", 1, "trained") == pytest.approx(interval_rmse(trained, bench), rel=1e-5)
    assert cell("k", 3, "trained") is None
    changed = override_options(standard, {"k": 1})
    assert cell("k", 1, "at prediction") == pytest.approx(interval_rmse(changed, bench), rel=1e-5)
    page = (setting.pages / "sensitivity.md").read_text()
    assert "no trained prune4sed with k=3 was found in the folder of runs (1 cell)" in page
    assert (setting.out / "sensitivity.svg").exists()


def test_without_runs_nothing_is_said_of_trained_models(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.model("prune4sed")
    path = bench.runs / "prune4sed" / "model.safetensors"
    monkeypatch.setattr("prune4sed.studies.shelf.bundled", lambda: {"made": path})
    setting = bench.setting(runs=None, quick=True)
    reproduce(Sensitivity(), setting)
    page = (setting.pages / "sensitivity.md").read_text()
    assert "**Trained**: a model would be trained with every value" in page
    assert "GPU" not in page
    assert "| Changed at prediction | k = 1 |" in page
    assert "| Trained |" not in page
    assert "no prune4sed with k=3 ships for this dataset: train one and name the folder" in page
    picture = (setting.out / "sensitivity.svg").read_text()
    assert "RMSE, at prediction" in picture
    assert "RMSE, trained" not in picture
    again = bench.setting(quick=True)
    reproduce(Sensitivity(), again)
    page = (again.pages / "sensitivity.md").read_text()
    assert "every value has a model trained with it, as the paper's experiment reads; so the one" in page
    assert "| Trained | k = 1 |" in page
    assert "GPU" not in page


def test_what_is_not_varied_is_the_papers(bench: Bench) -> None:
    """Also for a model that predicts with another k than it was trained with."""
    model = bench.model("prune4sed", k=9, trained_with=5).eval()
    record = reproduce(Sensitivity(), bench.setting()).record
    for option, value, other in (("h", 1, {"k": 5}), ("k", 1, {})):
        found = record.figures(dataset="made", option=option, value=str(value), how="at prediction")
        expected = interval_rmse(override_options(model, {option: value, **other}), bench)
        assert found is not None
        assert found["rmse"] == pytest.approx(expected, rel=1e-5)


def test_an_overridden_model_prunes_otherwise_with_the_same_weights(bench: Bench) -> None:
    model = bench.model("prune4sed", k=5, h=4).eval()
    changed = override_options(model, {"k": 1, "h": 0})
    assert isinstance(changed, Prune4SED)
    query, target = bench.data["test"].queries[0], bench.data["test"].targets[0]
    before, after = model.prune(query, target), changed.prune(query, target)
    assert after.kept.sum(axis=1).tolist() == [1] * 5
    assert np.allclose(before.keep, after.keep, atol=1e-6)
    assert before.kept.sum() > after.kept.sum()
