"""The pruning study on a tiny dataset: all cells, the same again, and dashes where a model is missing."""

from __future__ import annotations

import numpy as np
import pytest
from made_studies import Bench

from prune4sed.studies.pruning import PrunedSeds
from prune4sed.studies.pruning_page import METHODS, RATIOS
from prune4sed.studies.running import reproduce


def test_the_more_goes_the_larger_the_error(bench: Bench) -> None:
    bench.model("prune4sed")
    found = reproduce(PrunedSeds(), bench.setting(quick=True))
    assert found.computed == 4 * 2 * len(RATIOS)
    assert {why for _, why in found.missing} == {"no trained prune4sed-plus was found"}
    record = found.record
    for method in ("prune4sed", "random", "degree", "match"):
        for rule in ("threshold", "each"):
            cells = [
                record.figures(method=method, dataset="made", rule=rule, ratio=str(ratio)) for ratio in RATIOS
            ]
            errors = [cell["mae"] for cell in cells if cell is not None]
            assert errors == sorted(errors)
            for cell, ratio in zip(cells, RATIOS, strict=True):
                assert cell is not None
                assert cell["pruned"] == pytest.approx(ratio, abs=0.03 if rule == "threshold" else 0.1)
                x, y, count = np.array(cell["bubbles"]).T
                assert (y >= x).all()
                assert count.sum() == cell["pairs"] == 30
                assert cell["mae"] == pytest.approx(((y - x) * count).sum() / 30)
    knows, guesses = (
        record.figures(method=method, dataset="made", rule="threshold", ratio="0.3")
        for method in ("match", "random")
    )
    assert knows is not None
    assert guesses is not None
    assert knows["mae"] < guesses["mae"]
    assert (bench.folder / "out" / "pruning.png").stat().st_size > 5000
    page = (bench.folder / "out" / "pruning.md").read_text()
    assert "| made, Prune4SED-plus | – | – | – | – | – | – |" in page
    for title in METHODS.values():
        assert page.count(f"| made, {title} |") == 4
    assert reproduce(PrunedSeds(), bench.setting(quick=True)).computed == 0


def test_another_checkpoint_is_computed_anew(bench: Bench) -> None:
    bench.model("prune4sed")
    reproduce(PrunedSeds(), bench.setting(quick=True, methods=("prune4sed", "random")))
    bench.model("prune4sed", seed=1)
    again = reproduce(PrunedSeds(), bench.setting(quick=True, methods=("prune4sed", "random")))
    assert (again.computed, again.kept) == (6, 6)


def test_without_models_nothing_is_drawn(bench: Bench) -> None:
    found = reproduce(PrunedSeds(), bench.setting(quick=True, methods=("prune4sed",)))
    assert found.computed == 0
    assert [path.name for path in found.files] == ["pruning.json", "pruning.md"]
    assert "no trained prune4sed was found (6 cells)" in found.files[-1].read_text()
