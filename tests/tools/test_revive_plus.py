"""tools/revive_plus.py: dead units are replaced, and predictions stay as they were."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.graphset import GraphSet
from prune4sed.models.checkpoint import load_checkpoint, read_header, save_checkpoint
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.models.registry import create_model
from prune4sed.nn.bend import LEAK

TOOLS = Path(__file__).parents[2] / "tools"
PAIRS = np.array([(i % 5, (3 * i) % 5) for i in range(20)])


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    import revive_plus

    yield revive_plus
    for name in ("revive_plus", "grow_plus"):
        sys.modules.pop(name)


OLD = {"width": 16, "pair_width": 16, "pair_layers": 2, "leaky": False, "bounded": False}


def half_dead() -> Prune4SEDPlus:
    """Query-aware features that are all zero, and six units of the second layer that nothing turns on."""
    torch.manual_seed(0)
    model = create_model("prune4sed-plus", words(), **OLD)
    assert isinstance(model, Prune4SEDPlus)
    with torch.no_grad():
        model.aware.out[2].bias.fill_(-1e3)
        model.aware.layers[-1].bias.fill_(-1e3)
        model.layers[1].first.bias[:6] = -1e3
    return model


def placed_graphs(model: Prune4SEDPlus) -> Any:
    return model.place(some_graphs(0, 5, high=6)), model.place(some_graphs(1, 5))


def test_dead_parts_are_renewed_and_nothing_changes(tool: Any) -> None:
    old = half_dead()
    placed, new = placed_graphs(old), tool.grow(old, 2)
    assert tool.renew_features(new, old, placed, PAIRS)
    assert tool.renew_units(new.layers[1], lambda: tool.ask(new, placed, PAIRS)) >= 6
    torch.testing.assert_close(tool.ask(new, placed, PAIRS), tool.ask(old, placed, PAIRS), atol=1e-5, rtol=0)
    assert (new.layers[1].bend.slope[:6] == LEAK).all()
    heard = tool.overheard(new.aware, lambda: tool.ask(new, placed, PAIRS))
    assert heard.std(0).max() > 1e-3
    inputs = tool.overheard(new.layers[1].first, lambda: tool.ask(new, placed, PAIRS))
    assert ((inputs[:, :6] > 0).float().mean(0) > 0.1).all()


def test_what_is_alive_stays(tool: Any) -> None:
    torch.manual_seed(0)
    old = create_model("prune4sed-plus", words(), **OLD)
    assert isinstance(old, Prune4SEDPlus)
    assert not tool.renew_features(tool.grow(old, 2), old, placed_graphs(old), PAIRS)
    old = half_dead()
    torch.nn.init.zeros_(old.aware.layers[-1].bias)  # those of queries live on
    assert not tool.renew_features(tool.grow(old, 2), old, placed_graphs(old), PAIRS)


def test_a_whole_model(tool: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old, given, out = half_dead(), tmp_path / "old.safetensors", tmp_path / "new.safetensors"
    queries, targets = GraphSet(some_graphs(0, 5, high=6)), GraphSet(some_graphs(1, 5))
    pairs = MagicMock(index=PAIRS, __len__=lambda _: len(PAIRS))
    train = SimpleNamespace(queries=queries, targets=targets, pairs=pairs)
    monkeypatch.setattr(tool.loading, "load", lambda name: SimpleNamespace(train=train))
    save_checkpoint(old, given)
    monkeypatch.setattr(sys, "argv", ["revive_plus.py", str(given), str(out), "--dataset", "made"])
    tool.main()
    new = load_checkpoint(out, "cpu")
    np.testing.assert_allclose(new.predict(queries, targets), old.predict(queries, targets), atol=1e-3)
    assert read_header(out).info["grown"]["revived"]["units"][1] >= 6
    assert not new.options.to_dict()["bounded"]
    save_checkpoint(create_model("prune4sed-plus", words(), **{**OLD, "whole": False}), given)
    with pytest.raises(SystemExit, match="earlier kind"):
        tool.main()
