"""Predictions by beam are costs of matches; a model that matches nothing has none."""

from __future__ import annotations

import pytest
from made_studies import Bench

from prune4sed.errors import OptionError
from prune4sed.models.registry import model_names
from prune4sed.studies.accuracy import Accuracy
from prune4sed.studies.beam import WithBeam
from prune4sed.studies.running import reproduce


def test_a_model_without_matches(bench: Bench) -> None:
    with pytest.raises(OptionError, match="neurosed matches no nodes"):
        WithBeam(bench.model("neurosed"))


@pytest.mark.skipif("prune4sed-plus" not in model_names(), reason="this version has no prune4sed-plus")
def test_a_beam_never_undercuts_the_true_distance(bench: Bench) -> None:
    model = bench.model("prune4sed-plus").eval()
    queries, targets, pairs = bench.data["test"]
    found = WithBeam(model).predict(queries, targets, pairs.index)
    assert (found >= pairs.upper).all()
    assert (found == found.round()).all()
    record = reproduce(Accuracy(), bench.setting(methods=("plus", "plus-beam"))).record
    cell = record.figures(method="plus-beam", dataset="made", set="test") or {}
    assert cell["rmse"] == pytest.approx(float(((found - pairs.upper) ** 2).mean() ** 0.5), rel=1e-5)
