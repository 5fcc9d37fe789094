"""The sizes study: whole sets of every size, and large queries."""

from __future__ import annotations

import math

import numpy as np
import pytest
from made_studies import Bench

from prune4sed.studies.running import reproduce
from prune4sed.studies.sizes import Sizes


def test_all_parts_of_a_size_are_used(bench: Bench) -> None:
    model = bench.model("neurosed").eval()
    setting = bench.setting(methods=("neurosed", "prune4sed"))
    found = reproduce(Sizes(), setting)
    assert (found.computed, len(found.missing)) == (4, 4)
    squares, nodes = [], []
    for part in ("train", "validation", "test"):
        queries, targets, pairs = bench.data[f"small_{part}"]
        squares += ((model.predict(queries, targets, pairs.index) - pairs.upper) ** 2).tolist()
        nodes += targets.num_nodes[pairs.target].tolist()
    cell = found.record.figures(method="neurosed", dataset="made", set="small") or {}
    assert cell["pairs"] == 12
    assert cell["rmse"] == pytest.approx(math.sqrt(np.mean(squares)), rel=1e-5)
    assert cell["target_nodes"] == pytest.approx(np.mean(nodes), rel=1e-5)
    page = (setting.pages / "sizes.md").read_text()
    assert "| Prune4SED | – | – | – |" in page
    assert f"{cell['rmse']:.3f} ({cell['rmse_low']:.3f} to {cell['rmse_high']:.3f})" in page
    assert "certified share | 100 % |" in page
    assert (setting.out / "sizes.svg").exists()


def test_nothing_to_draw(bench: Bench) -> None:
    setting = bench.setting(methods=("plus",))
    found = reproduce(Sizes(), setting)
    assert found.computed == 0
    assert [path.name for path in found.files] == ["sizes.json", "sizes.md"]
