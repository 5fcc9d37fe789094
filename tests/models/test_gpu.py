"""A GPU gives what the CPU gives: predictions, and gradients of training batches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.models.base import SedModel
from prune4sed.models.registry import create_model
from prune4sed.nn.batch import Budget, pair_batch

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

MODELS: list[tuple[str, dict[str, Any]]] = [
    ("prune4sed", {"k": 2, "h": 2}),
    ("prune4sed", {"hard": False, "width": 48, "attention_heads": 3}),
    ("neurosed", {}),
    ("neurosed", {"head": "mlp"}),
    ("simgnn", {}),
    ("h2mn", {}),
    ("h2mn", {"hyperedges": "walk"}),
    ("prune4sed-plus", {"pair_layers": 2}),
    ("prune4sed-plus", {"pair_layers": 2, "keep": 8, "whole": False, "leaky": False, "bounded": False}),
]
PAIRS = np.array([(i % 8, (3 * i) % 10) for i in range(40)])


@pytest.fixture(autouse=True)
def _full_precision() -> Iterator[None]:
    """Ten bits of mantissa are enough for training, but not to tell right from wrong here."""
    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest")
    yield
    torch.set_float32_matmul_precision(before)


@pytest.fixture(params=MODELS, ids=lambda chosen: f"{chosen[0]}-{chosen[1]}")
def model(request: pytest.FixtureRequest) -> SedModel:
    return fresh(request.param, 0)


def fresh(chosen: tuple[str, dict[str, Any]], bonds: int) -> SedModel:
    torch.manual_seed(0)
    return create_model(chosen[0], words(bonds), **chosen[1])


def test_predictions_agree(model: SedModel) -> None:
    queries, targets = some_graphs(0, 8, low=0, high=12), some_graphs(1, 10, low=0, high=150)
    plain = model.predict(queries, targets, PAIRS)
    placed = model.to("cuda")
    np.testing.assert_allclose(placed.predict(queries, targets, PAIRS), plain, rtol=1e-4, atol=1e-4)
    again = placed.predict(queries, targets, PAIRS, batch_size=7)
    np.testing.assert_allclose(again, plain, rtol=1e-4, atol=1e-4)
    one = placed.predict(queries[3], targets)
    np.testing.assert_allclose(one, model.to("cpu").predict(queries[3], targets), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("bonds", [0, 2])
@pytest.mark.parametrize("extra", [0, 9])
@pytest.mark.parametrize("chosen", MODELS, ids=str)
def test_gradients_agree(chosen: tuple[str, dict[str, Any]], extra: int, bonds: int) -> None:
    model = fresh(chosen, bonds).train()
    state = {name: x.clone() for name, x in model.state_dict().items()}
    plain, plain_gradients = answers(model, extra, bonds)
    model.load_state_dict(state)  # running means move when training
    found, gradients = answers(model.to("cuda"), extra, bonds)
    torch.testing.assert_close(found, plain, rtol=1e-4, atol=1e-4)
    # Some gradients are nothing but rounding (of a bias that the distance takes off again).
    floor = 1e-2 * max(float(x.abs().max()) for x in plain_gradients.values())
    for name, x in plain_gradients.items():
        worst = (gradients[name] - x).abs().max() / max(float(x.abs().max()), floor)
        # A value that is 0 but for rounding may pass a ReLU on one device only: one row of several hundred.
        assert worst < 5e-3, f"gradient of {name}"


def answers(model: SedModel, extra: int, bonds: int) -> tuple[torch.Tensor, dict[str, torch.Tensor]]:
    """Distances and gradients of one training batch, on the host."""
    queries = model.place(some_graphs(2, 12, high=9, bonds=bonds))
    targets = model.place(some_graphs(3, 12, high=120, bonds=bonds))
    sizes = [int(sizes.sum()) for s in (queries, targets) for sizes in (s.num_nodes, s.num_arcs)]
    budget = Budget(*(n + extra for n in sizes)) if extra else None
    at = torch.arange(12, device=model.device)
    model.zero_grad()
    found = model(pair_batch(queries, targets, at, at, budget))
    found.square().mean().backward()
    # Copies, for those of a model that moves to a GPU would move with it.
    gradients = {n: x.grad.detach().cpu().clone() for n, x in model.named_parameters() if x.grad is not None}
    return found.detach().cpu(), gradients
