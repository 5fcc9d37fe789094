"""tools/grow_plus.py: a larger model that adds up the same costs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.models.checkpoint import load_checkpoint, read_header, save_checkpoint
from prune4sed.models.prune4sed_plus import Prune4SEDPlus, Prune4SEDPlusOptions
from prune4sed.models.registry import create_model

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    import grow_plus

    yield grow_plus
    sys.modules.pop("grow_plus")


def test_it_grows_and_adds_up_the_same(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    torch.manual_seed(0)
    before = {"relations": False, "degrees": 1, "whole": False, "leaky": False, "bounded": False}
    old = create_model("prune4sed-plus", words(), width=16, pair_width=16, pair_layers=2, **before)
    given, grown = tmp_path / "old.safetensors", tmp_path / "new.safetensors"
    save_checkpoint(old, given, {"metrics": {"validation": {"rmse": 0.5}}})
    monkeypatch.setattr(sys, "argv", ["grow_plus.py", str(given), str(grown), "--layers", "4"])
    tool.main()
    new = load_checkpoint(grown, "cpu")
    assert isinstance(new, Prune4SEDPlus)
    assert new.doubt is not None
    assert (new.options.pair_layers, new.options.relations, new.options.degrees) == (4, True, 8)
    assert [bool(layer.bend.slope.any()) for layer in new.layers] == [False, False, True, True]
    assert "metrics" not in read_header(grown).info  # they were those of the smaller one
    new.doubt = None  # the distance is the sum
    queries, targets = some_graphs(0, 5, high=6), some_graphs(1, 5)
    with old.evaluating():
        before = old.predict(queries, targets)
    np.testing.assert_allclose(new.predict(queries, targets), before, atol=1e-5)


def test_what_was_chosen_otherwise_stays(tool: Any) -> None:
    chosen = Prune4SEDPlusOptions(relations=False, degrees=4, whole=False)
    assert tool.later_options(chosen) == {"relations": True, "whole": True}
