"""The engine settles what it can, a model the rest."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from made_batches import words

from oracles import brute_force
from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.base import SedModel
from prune4sed.models.beam_predictor import BeamPredictor
from prune4sed.models.engine_first import EngineFirst
from prune4sed.models.matching import match_pairs
from prune4sed.models.registry import create_model
from random_graphs import hard_pair, random_graph


def small(name: str = "prune4sed", **options: Any) -> SedModel:
    torch.manual_seed(0)
    return create_model(name, words(), width=16, **options)


def mixed_pairs() -> tuple[GraphSet, GraphSet]:
    """Six easy pairs, and four that take the engine more than a few search nodes."""
    rng = random.Random(5)
    pairs = [(random_graph(rng, 4, 0.5, 3), random_graph(rng, 8, 0.4, 3)) for _ in range(6)]
    pairs += [hard_pair(seed=seed) for seed in range(4)]
    rng.shuffle(pairs)
    queries, targets = zip(*pairs, strict=True)
    return GraphSet(queries), GraphSet(targets)


def test_what_is_proven_is_the_distance() -> None:
    rng = random.Random(3)
    queries = GraphSet([random_graph(rng, rng.randint(1, 5), 0.6, 2) for _ in range(12)])
    targets = GraphSet([random_graph(rng, rng.randint(1, 5), 0.5, 2) for _ in range(12)])
    true = [brute_force(q, t) for q, t in zip(queries, targets, strict=True)]
    answers = EngineFirst(small(), time_limit=None).predict(queries, targets)
    assert answers.dtype == np.float32
    assert answers.tolist() == true


def test_the_rest_is_what_the_model_says_within_what_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    queries, targets = mixed_pairs()
    model, limit = small(), {"time_limit": None, "node_limit": 3}
    engine = sed_pairs(queries, targets, **limit)
    open_ = np.flatnonzero(~engine.certified)
    assert 0 < len(open_) < len(queries)
    said = model.predict(queries, targets, [(i, i) for i in open_])
    asked: list[int] = []
    distances = type(model)._distances

    def spy(self: SedModel, *args: Any) -> Any:
        asked.append(len(args[2]))
        return distances(self, *args)

    monkeypatch.setattr(type(model), "_distances", spy)
    predicted, lower, upper = EngineFirst(model, **limit).predict(queries, targets, bounds=True)
    assert asked == [len(open_)]
    assert (lower >= engine.lower).all()
    assert (upper <= engine.upper).all()
    proven = engine.certified
    np.testing.assert_array_equal(predicted[proven], engine.upper[proven])
    np.testing.assert_allclose(predicted[open_], np.clip(said, lower[open_], upper[open_]), rtol=1e-6)
    np.testing.assert_array_equal(EngineFirst(model, **limit).predict(queries, targets), predicted)


def test_the_mapping_of_a_beam_counts_too() -> None:
    queries, targets = mixed_pairs()
    plus = small("prune4sed-plus", stages=1, pair_width=8, pair_layers=1)
    limit = {"time_limit": None, "node_limit": 1}
    beam = BeamPredictor(plus, 64)  # type: ignore[arg-type]
    _, lower, upper = EngineFirst(beam, **limit).predict(queries, targets, bounds=True)
    engine, true = sed_pairs(queries, targets, **limit), sed_pairs(queries, targets, time_limit=10)
    mapped = match_pairs(plus, queries, targets, beam=64).upper  # type: ignore[arg-type]
    np.testing.assert_array_equal(
        upper, np.where(engine.certified, engine.upper, np.minimum(engine.upper, mapped))
    )
    assert ((lower <= true.lower) & (true.upper <= upper)).all()


def test_labels_that_the_model_does_not_know_are_no_matter_where_it_is_not_asked() -> None:
    q, t = Graph(["Xx", "Yy"], [(0, 1)]), Graph(["Xx", "Zz"], [(0, 1)])
    assert EngineFirst(small()).predict(q, t).tolist() == [1]
