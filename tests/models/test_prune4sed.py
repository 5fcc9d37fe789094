"""Prune4SED against its slow twin, and what it promises."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from made_batches import shuffled, some_graphs, words

from prune4sed.errors import OptionError
from prune4sed.graph import Graph
from prune4sed.models.prune4sed import Prune4SED, Prune4SEDOptions

sys.path.insert(0, str(Path(__file__).parent))
from naive import naive_pruning, naive_sed

VARIANTS = [
    {},
    {"heads": 1, "k": 1, "h": 1},
    {"heads": 3, "k": 2, "h": 0},
    {"use_qal": False, "k": 2, "h": 1},
    {"hard": False},
    {"soft": False, "k": 2, "h": 1},
    {"stages": 1, "predictor_layers": 3},
]


def settled(model: Prune4SED, seed: int = 0) -> Prune4SED:
    """The model with all buffers and biases away from their plain starting values."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, x in model.state_dict().items():
            if name.endswith("running_var"):
                x.uniform_(0.5, 2)
            elif name.endswith(("running_mean", "bias")):
                x.normal_(0, 0.3)
    return model.eval()


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_equals_the_naive_model(options: dict[str, int]) -> None:
    torch.manual_seed(1)
    model = settled(Prune4SED(words(), Prune4SEDOptions(**{"width": 16, **options})))
    queries, targets = some_graphs(0, 6, high=6), some_graphs(1, 6, high=24, degree=2.2)
    expected = [naive_sed(model, q, t) for q, t in zip(queries, targets, strict=True)]
    assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(model.predict(queries, targets), expected, rtol=1e-4, atol=1e-4)
    for q, t in zip(queries, targets, strict=True):
        logits, kept = naive_pruning(model, q, t)
        pruned = model.prune(q, t)
        np.testing.assert_allclose(pruned.keep, torch.stack(logits).sigmoid().numpy(), atol=1e-5)
        assert [np.flatnonzero(row).tolist() for row in pruned.kept] == [row.tolist() for row in kept]


def test_hard_pruning_drops_nodes_and_changes_the_answer() -> None:
    torch.manual_seed(2)
    whole = Prune4SED(words(), Prune4SEDOptions(width=16, hard=False))
    cut = Prune4SED(words(), Prune4SEDOptions(width=16, k=1, h=1))
    cut.load_state_dict(whole.state_dict())
    q, t = some_graphs(2, 1, low=5)[0], some_graphs(3, 1, low=25, high=25, degree=2)[0]
    assert whole.prune(q, t).kept.all()
    assert cut.prune(q, t).kept.mean() < 0.7
    assert abs(whole.predict(q, t) - cut.predict(q, t))[0] > 1e-3


def test_edge_labels_matter_exactly_if_the_model_takes_them() -> None:
    torch.manual_seed(3)
    one = Graph([0, 1, 2, 1], [(0, 1), (1, 2), (2, 3)], [0, 1, 1])
    other = Graph([0, 1, 2, 1], [(0, 1), (1, 2), (2, 3)], [0, 1, 0])
    model = settled(Prune4SED(words(2), Prune4SEDOptions(width=16)))
    a, b = model.predict(one, [one, other])
    assert abs(a - b) > 1e-4


def test_nodes_left_out_send_nothing_along_labelled_edges() -> None:
    """Cut to a lone node, a target is the same whatever it hung on."""
    torch.manual_seed(4)
    model = settled(Prune4SED(words(2), Prune4SEDOptions(width=16, heads=1, k=1, h=0, soft=False)))
    t = Graph([0, 1, 2, 3], [(0, 1), (1, 2), (1, 3)], [0, 1, 0])
    q = Graph([0, 1], [(0, 1)], [1])
    kept = np.flatnonzero(model.prune(q, t).kept[0])
    assert len(kept) == 1
    alone = Graph([t.labels[kept[0]]])
    np.testing.assert_allclose(model.predict(q, t), model.predict(q, alone), rtol=1e-5)


@pytest.mark.parametrize("bonds", [0, 2])
def test_gradients_reach_every_parameter(bonds: int) -> None:
    torch.manual_seed(5)
    model = Prune4SED(words(bonds), Prune4SEDOptions(width=16))
    queries, targets = some_graphs(4, 12, low=4, bonds=bonds), some_graphs(5, 12, low=4, bonds=bonds)
    model.predict_placed(
        model.place(queries), model.place(targets), np.column_stack([np.arange(12)] * 2)
    ).sum().backward()
    for name, x in model.named_parameters():
        assert x.grad is not None, name
        assert float(x.grad.abs().max()) > 1e-9, name


def test_keep_probabilities_follow_their_nodes() -> None:
    model = settled(Prune4SED(words(), Prune4SEDOptions(width=16, k=2, h=1)))
    for seed in range(5):
        q, t = some_graphs(seed, 1, low=6)[0], some_graphs(seed + 50, 1, low=30, high=30)[0]
        moved, place = shuffled(t, seed)
        a, b = model.prune(q, t), model.prune(q, moved)
        np.testing.assert_allclose(a.keep, b.keep[:, place], atol=1e-5)
        assert np.array_equal(a.kept, b.kept[:, place])


def test_prune_stands_the_smallest_graphs() -> None:
    model = settled(Prune4SED(words(), Prune4SEDOptions(width=16)))
    assert model.prune(Graph([]), Graph([0])).kept.tolist() == [[True]] * 5
    assert model.prune(Graph([0]), Graph([])).keep.shape == (5, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k must be 1 or more, got 0"),
        ({"h": -1}, "h must be 0 or more"),
        ({"heads": 2.0}, "heads must be a whole number"),
        ({"hard": 1}, "hard must be True or False"),
        ({"width": 30}, "no multiple of 4"),
    ],
)
def test_bad_options(options: dict[str, int], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Prune4SEDOptions(**options)
