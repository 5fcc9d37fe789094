"""Numbers on how differently heads prune, against plain sets, scipy and the model itself."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from made import made_graphs, made_set
from scipy.stats import pearsonr

from prune4sed.models.prune4sed import Prune4SED, Prune4SEDOptions, Pruning
from prune4sed.nn.vocabulary import Vocabulary
from prune4sed.studies.head_figures import best_nodes, head_figures, mean_correlation, mean_jaccard
from prune4sed.training.metrics import interval_rmse

ONE = made_set(3, made_graphs(1, 6, (8, 14)), 20)


def made_model(**options: int) -> Prune4SED:
    torch.manual_seed(0)
    chosen = {"width": 16, "stages": 2, "predictor_layers": 2, "k": 2, "h": 1, **options}
    return Prune4SED(Vocabulary.of(ONE.targets, ONE.queries), Prune4SEDOptions(**chosen)).eval()


def test_jaccard_of_sets() -> None:
    rows = np.random.default_rng(0).random((4, 9)) < 0.5
    sets = [set(np.flatnonzero(row).tolist()) for row in rows]
    expected = np.mean([len(a & b) / len(a | b) for a, b in combinations(sets, 2)])
    assert mean_jaccard(rows) == pytest.approx(expected)
    assert mean_jaccard(rows[:1]) is None


def test_correlation_is_scipys() -> None:
    rows = np.random.default_rng(0).random((3, 9)).astype(np.float32)
    expected = np.mean([pearsonr(a, b).statistic for a, b in combinations(rows, 2)])
    assert mean_correlation(rows) == pytest.approx(expected, abs=1e-6)
    assert mean_correlation(np.ones((3, 9), np.float32)) is None


def test_best_nodes() -> None:
    keep = np.array([[0.1, 0.9, 0.5], [0.3, 0.2, 0.1]], np.float32)
    best = best_nodes(Pruning(keep, keep > 0), 2)
    assert best.tolist() == [[False, True, True], [True, True, False]]


def test_the_mean_of_the_heads_is_the_prediction() -> None:
    model = made_model()
    said = np.array(
        [model.predict_heads(ONE.queries[q], ONE.targets[t]) for q, t in ONE.pairs.index.tolist()]
    )
    assert said.shape == (20, 5)
    predicted = model.predict(ONE.queries, ONE.targets, ONE.pairs.index)
    np.testing.assert_allclose(said.mean(axis=1), predicted, rtol=1e-4, atol=1e-4)
    assert said.std(axis=1).min() > 0
    found = head_figures(model, ONE)
    assert found["rmse_mean"] == pytest.approx(
        interval_rmse(predicted, ONE.pairs.lower, ONE.pairs.upper), rel=1e-4
    )
    assert len(found["rmse_heads"]) == found["heads"] == 5
    # The mean cannot be worse than the heads are on average.
    assert found["rmse_mean"] <= np.sqrt(np.mean(np.square(found["rmse_heads"]))) + 1e-6
    assert 0 < found["jaccard_kept"] <= 1
    assert 0 <= found["jaccard_best"] <= 1


def test_one_head_agrees_with_nobody() -> None:
    found = head_figures(made_model(heads=1), ONE)
    assert found["jaccard_kept"] is found["jaccard_best"] is found["correlation"] is None
    assert found["spread"] == 0
