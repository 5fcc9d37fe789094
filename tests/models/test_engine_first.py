"""The engine settles what it can, a model the rest."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
import torch
from made_batches import words
from numpy.typing import NDArray

from oracles import brute_force
from prune4sed.errors import GraphError
from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.base import SedModel
from prune4sed.models.beam_predictor import BeamPredictor
from prune4sed.models.engine_first import EngineFirst
from prune4sed.models.matching import match_pairs
from prune4sed.models.predictor import Predictor
from prune4sed.models.registry import create_model
from random_graphs import hard_pair, random_graph


def small(name: str = "prune4sed", **options: Any) -> SedModel:
    torch.manual_seed(0)
    return create_model(name, words(), width=16, **options)


class Says(Predictor):
    """Answers with what it is given, and keeps in mind which pairs it was asked about."""

    name = "says"

    def __init__(self, said: NDArray[np.float32]) -> None:
        self.said = said
        self.asked: list[list[int]] = []

    def _distances(
        self, queries: GraphSet, targets: GraphSet, index: NDArray[np.int64], batch_size: int | None
    ) -> NDArray[np.float32]:
        self.asked.append(index[:, 0].tolist())
        return self.said


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


def test_the_rest_is_what_the_model_says_within_what_is_proven() -> None:
    queries, targets = mixed_pairs()
    limit = {"time_limit": None, "node_limit": 3}
    engine = sed_pairs(queries, targets, **limit)
    open_ = np.flatnonzero(~engine.certified)
    assert len(open_) == 4
    low, high = engine.lower[open_], engine.upper[open_]
    assert ((low < 4.5) & (high > 4.5)).all()
    said = np.array([4.5, -3, 1e3, 4.5], np.float32)
    model = Says(said)
    predicted, lower, upper = EngineFirst(model, **limit).predict(queries, targets, bounds=True)
    assert model.asked == [open_.tolist()]
    assert predicted[open_].tolist() == [4.5, lower[open_[1]], upper[open_[2]], 4.5]
    np.testing.assert_array_equal(predicted[engine.certified], engine.upper[engine.certified])
    np.testing.assert_array_equal((lower, upper), (engine.lower, engine.upper))
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


@pytest.mark.parametrize("limit", [0, 10])
def test_what_the_model_cannot_read_is_an_error_whatever_the_engine_proves(limit: float) -> None:
    q, t = Graph(["Xx", "Yy"], [(0, 1)]), Graph(["Xx", "Zz"], [(0, 1)])
    first = EngineFirst(small(), limit)
    with pytest.raises(GraphError, match="the model has never seen"):
        first.predict(q, t)
    with pytest.raises(GraphError, match="takes no edge labels"):
        first.predict(Graph([0, 1], [(0, 1)], edge_labels=[1]), Graph([0, 1], [(0, 1)], edge_labels=[1]))
    with pytest.raises(GraphError, match="never be equal"):
        first.predict(q, Graph([0]))
    assert first.predict([], []).shape == (0,)
    known, odd = Graph([0]), Graph([77])
    assert first.predict([odd, known], [odd, known], [(1, 1)]).tolist() == [0]  # nobody asks for the other
