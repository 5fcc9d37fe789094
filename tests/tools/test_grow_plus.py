"""tools/grow_plus.py: a larger model that predicts the same."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.models.checkpoint import load_checkpoint, save_checkpoint
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
    old = create_model("prune4sed-plus", words(), width=16, pair_width=16, pair_layers=2, relations=False)
    given, grown = tmp_path / "old.safetensors", tmp_path / "new.safetensors"
    save_checkpoint(old, given)
    monkeypatch.setattr(sys, "argv", ["grow_plus.py", str(given), str(grown), "--layers", "4"])
    tool.main()
    new = load_checkpoint(grown, "cpu")
    assert (new.options.to_dict()["pair_layers"], new.options.to_dict()["relations"]) == (4, True)
    queries, targets = some_graphs(0, 5, high=6), some_graphs(1, 5)
    with old.evaluating():
        before = old.predict(queries, targets)
    np.testing.assert_allclose(new.predict(queries, targets), before, atol=1e-5)
