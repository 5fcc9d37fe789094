"""tools/grow_plus.py: a larger model that adds up the same costs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.models.checkpoint import load_checkpoint, save_checkpoint
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.models.registry import create_model

TOOLS = Path(__file__).parents[2] / "tools"


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    import grow_plus

    yield grow_plus
    sys.modules.pop("grow_plus")


def test_it_grows_and_predicts_the_same(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    torch.manual_seed(0)
    before = {"relations": False, "degrees": 1, "whole": False}
    old = create_model("prune4sed-plus", words(), width=16, pair_width=16, pair_layers=2, **before)
    given, grown = tmp_path / "old.safetensors", tmp_path / "new.safetensors"
    save_checkpoint(old, given)
    monkeypatch.setattr(sys, "argv", ["grow_plus.py", str(given), str(grown), "--layers", "4"])
    tool.main()
    new = load_checkpoint(grown, "cpu")
    assert isinstance(new, Prune4SEDPlus)
    assert new.doubt is not None
    assert (new.options.pair_layers, new.options.relations, new.options.degrees) == (4, True, 8)
    torch.nn.init.constant_(new.doubt.out.bias, 50.0)  # in great doubt, no distance is moved to a whole one
    queries, targets = some_graphs(0, 5, high=6), some_graphs(1, 5)
    with old.evaluating():
        before = old.predict(queries, targets)
    np.testing.assert_allclose(new.predict(queries, targets), before, atol=1e-3)
