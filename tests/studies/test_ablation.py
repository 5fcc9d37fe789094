"""The ablation study: variants against the full model."""

from __future__ import annotations

import pytest
from made_studies import Bench

from prune4sed.studies.ablation import Ablation
from prune4sed.studies.ablation_page import change
from prune4sed.studies.running import reproduce


def test_changes_are_relative_to_the_full_model(bench: Bench) -> None:
    bench.model("prune4sed", "full")
    bench.model("prune4sed", "one", seed=1, heads=1)
    bench.model("prune4sed", "soft", seed=2, hard=False)
    setting = bench.setting()
    found = reproduce(Ablation(), setting)
    assert (found.computed, len(found.missing)) == (3, 3)
    record = found.record
    full, one = (record.figures(method=x, dataset="made", set="test") or {} for x in ("prune4sed", "1-head"))
    assert change(record, "1-head", "made") == pytest.approx(one["rmse"] / full["rmse"] - 1)
    assert change(record, "no-qal", "made") is None
    page = (setting.pages / "ablation.md").read_text()
    assert f"| Prune4SED, 1 head | {100 * (one['rmse'] / full['rmse'] - 1):+.1f} % |" in page
    assert "| Prune4SED, no QAL | – |" in page
    assert "no hard pruning" in (setting.out / "ablation.svg").read_text()
