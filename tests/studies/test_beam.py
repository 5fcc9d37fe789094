"""A beam makes predictions those of matches; a model that matches nothing has none."""

from __future__ import annotations

import pytest
from made_studies import Bench

from prune4sed.errors import OptionError
from prune4sed.models.beam_predictor import BeamPredictor
from prune4sed.models.matching import match_pairs
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.studies.accuracy import Accuracy
from prune4sed.studies.evaluated import load_predictor
from prune4sed.studies.methods import model_method
from prune4sed.studies.running import reproduce


def test_a_model_without_matches(bench: Bench) -> None:
    bench.model("neurosed")
    found = bench.setting().shelf.find("made", "neurosed")
    assert found is not None
    with pytest.raises(OptionError, match="neurosed matches no nodes"):
        load_predictor(found, "cpu", model_method("plus-beam"))


def test_the_cell_is_that_of_the_beam(bench: Bench) -> None:
    model = bench.model("prune4sed-plus").eval()
    assert isinstance(model, Prune4SEDPlus)
    queries, targets, pairs = bench.data["test"]
    assert (match_pairs(model, queries, targets, pairs.index).upper >= pairs.upper).all()
    found = BeamPredictor(model).predict(queries, targets, pairs.index)
    record = reproduce(Accuracy(), bench.setting(methods=("plus", "plus-beam"))).record
    cell = record.figures(method="plus-beam", dataset="made", set="test") or {}
    assert cell["rmse"] == pytest.approx(float(((found - pairs.upper) ** 2).mean() ** 0.5), rel=1e-5)
