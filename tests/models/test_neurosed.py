"""NeuroSED against PyG, and its two heads."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.models.neurosed import NeuroSED, NeuroSEDOptions

sys.path.insert(0, str(Path(__file__).parent))
import naive


def test_equals_the_naive_model_with_both_heads() -> None:
    torch.manual_seed(0)
    queries, targets = some_graphs(0, 6, high=7), some_graphs(1, 6, high=25)
    for head in ("norm", "mlp"):
        model = NeuroSED(words(), NeuroSEDOptions(width=16, head=head))
        with torch.no_grad():
            z = [
                torch.stack(
                    [naive._predictor(model.encoder, naive._one_hot(model, g), naive._index(g)) for g in part]
                )
                for part in (queries, targets)
            ]
            if head == "norm":
                expected = (z[0] - z[1]).clamp(min=0).square().sum(1).sqrt()
            else:
                assert model.head is not None
                expected = model.head(torch.cat([z[1], z[0]], 1))[:, 0]
        np.testing.assert_allclose(model.predict(queries, targets), expected, rtol=1e-4, atol=1e-5)


def test_the_norm_head_keeps_the_rules_of_the_distance() -> None:
    """0 to itself, never negative, and no way round is shorter: true for any weights."""
    torch.manual_seed(1)
    graphs = some_graphs(2, 7)
    model = NeuroSED(words(), NeuroSEDOptions(width=16))
    pairs = [(i, j) for i in range(7) for j in range(7)]
    d = model.predict(graphs, graphs, pairs).reshape(7, 7)
    assert (d >= 0).all()
    np.testing.assert_allclose(np.diag(d), 0, atol=1e-4)
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :] + 1e-4).all()


def test_pairs_are_compared_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors of all pairs side by side would take memory that grows with their number."""
    torch.manual_seed(0)
    model = NeuroSED(words(), NeuroSEDOptions(width=16)).eval()
    graphs = some_graphs(0, 5)
    pairs = [(i % 5, i % 3) for i in range(17)]
    whole = model.predict(graphs, graphs, pairs)
    monkeypatch.setattr("prune4sed.models.neurosed._COMPARED", 4)
    compared, compare = [], model.compare
    monkeypatch.setattr(model, "compare", lambda q, t: compared.append(len(q)) or compare(q, t))
    assert np.array_equal(model.predict(graphs, graphs, pairs), whole)
    assert compared == [4, 4, 4, 4, 1]
