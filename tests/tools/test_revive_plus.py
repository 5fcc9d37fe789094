"""tools/revive_plus.py: dead units are replaced, and predictions stay as they were."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

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


def half_dead() -> Prune4SEDPlus:
    """Query-aware features that are all zero, and six units of the second layer that nothing turns on."""
    torch.manual_seed(0)
    model = create_model("prune4sed-plus", words(), width=16, pair_width=16, pair_layers=2, leaky=False)
    assert isinstance(model, Prune4SEDPlus)
    with torch.no_grad():
        model.aware.out[2].bias.fill_(-1e3)
        model.aware.layers[-1].bias.fill_(-1e3)
        model.layers[1].first.bias[:6] = -1e3
    return model


def test_dead_parts_are_renewed_and_nothing_changes(tool: Any) -> None:
    old = half_dead()
    queries, targets = some_graphs(0, 5, high=6), some_graphs(1, 5)
    placed = old.place(queries), old.place(targets)
    new = tool.grow(old, 2)
    assert tool.renew_features(new, old, lambda: tool.ask(old, placed, PAIRS))
    assert tool.renew_units(new.layers[1], lambda: tool.ask(new, placed, PAIRS)) >= 6
    np.testing.assert_allclose(new.predict(queries, targets), old.predict(queries, targets), atol=1e-3)
    assert (new.layers[1].bend.slope[:6] == LEAK).all()
    heard = tool.overheard(new.aware, lambda: tool.ask(new, placed, PAIRS))
    assert heard.std(0).max() > 1e-3
    inputs = tool.overheard(new.layers[1].first, lambda: tool.ask(new, placed, PAIRS))
    assert ((inputs[:, :6] > 0).float().mean(0) > 0.1).all()


def test_what_is_alive_stays(tool: Any) -> None:
    torch.manual_seed(0)
    old = create_model("prune4sed-plus", words(), width=16, pair_width=16, pair_layers=2, leaky=False)
    placed = old.place(some_graphs(0, 5, high=6)), old.place(some_graphs(1, 5))
    assert not tool.renew_features(tool.grow(old, 2), old, lambda: tool.ask(old, placed, PAIRS))
