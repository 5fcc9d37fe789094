"""Evaluation of any predictor on labelled pairs."""

from __future__ import annotations

import json
import math
from time import sleep

import numpy as np
import pytest
from scipy.stats import kendalltau

from prune4sed.datasets.dataset import Dataset, PairSet
from prune4sed.datasets.table import PairTable
from prune4sed.errors import OptionError
from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from prune4sed.models.bounds import Bounded
from prune4sed.models.engine_first import EngineFirst
from prune4sed.models.predictor import Predictor
from prune4sed.models.solvers import Branch, Exact
from prune4sed.training import evaluation
from prune4sed.training.evaluation import default_sets, evaluate
from prune4sed.training.latency import measure_latency
from prune4sed.training.ranking import ranking_set
from prune4sed.training.subset import some_pairs


class Told(Predictor):
    """Predicts what a table says, and counts how often it is asked."""

    name = "told"

    def __init__(self, answers: np.ndarray) -> None:
        self.answers, self.asked = answers, []

    def _distances(self, queries, targets, index, batch_size):  # type: ignore[no-untyped-def]
        self.asked.append(len(index))
        return self.answers[index[:, 0], index[:, 1]].astype(np.float32)


def paths(*sizes: int) -> GraphSet:
    return GraphSet([Graph(["C"] * n, [(i, i + 1) for i in range(n - 1)], id=f"p{n}") for n in sizes])


@pytest.fixture
def one() -> PairSet:
    """60 queries, each with one of 10 targets; the bounds of every fourth pair are apart."""
    queries, targets = paths(*(2 + i % 7 for i in range(60))), paths(*range(1, 11))
    index = np.column_stack([np.arange(60), np.arange(60) * 3 % 10])
    true = sed_pairs(queries, targets, index, time_limit=None)
    lower = true.lower - (np.arange(60) % 4 == 0)
    return PairSet(queries, targets, PairTable(index, lower, true.upper, true.mapping))


def test_figures_are_those_of_the_predictions(one: PairSet) -> None:
    rng = np.random.default_rng(0)
    answers = rng.normal(2, 2, (60, 10)).astype(np.float32)
    found = evaluate(Told(answers), one, latency=False)
    y, pairs = answers[one.pairs.query, one.pairs.target].astype(float), one.pairs
    miss = np.maximum(pairs.lower - y, 0) + np.maximum(y - pairs.upper, 0)
    sure = pairs.certified
    assert found.metrics.rmse == pytest.approx(math.sqrt((miss**2).mean()))
    assert found.metrics.mae == pytest.approx(np.abs(y - pairs.upper)[sure].mean())
    assert found.metrics.certified == pytest.approx(0.75)
    assert found.metrics.rmse_low < found.metrics.rmse < found.metrics.rmse_high
    assert math.isnan(found.metrics.kendall)  # no query has two targets
    assert math.isnan(found.proven)
    assert found.latency is None
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert record["kendall"] is None
    assert record["pairs"] == 60


def test_kendall_is_over_the_ranked_pairs(one: PairSet) -> None:
    ranking = ranking_set(one, seed=3)
    rng = np.random.default_rng(1)
    answers = rng.normal(2, 2, (60, 10)).astype(np.float32)
    table = ranking.pairs
    assert len(table) == 20 * 10  # no more targets than there are
    taus = [
        kendalltau(
            answers[i, table.target[table.query == i]].astype(np.float32), table.lower[table.query == i]
        )
        for i in np.unique(table.query)
    ]
    expected = np.nanmean([tau.statistic for tau in taus])
    assert evaluate(Told(answers), one, ranking=ranking, latency=False).metrics.kendall == pytest.approx(
        expected
    )
    assert evaluate(Exact(), one, ranking=ranking, latency=False).metrics.kendall == pytest.approx(1)


def test_ranked_pairs_are_few_true_and_repeatable(one: PairSet) -> None:
    for most in (1, 10, 100):
        ranking = ranking_set(one, most)
        assert len(ranking.pairs) <= max(2, most)
        assert np.array_equal(ranking.pairs.index, ranking_set(one, most).pairs.index)
    assert not np.array_equal(ranking_set(one, 50, 0).pairs.index, ranking_set(one, 50, 1).pairs.index)
    for (i, j), distance in zip(ranking.pairs.index.tolist(), ranking.pairs.upper.tolist(), strict=True):
        short, room = len(one.queries[i]), len(one.targets[j])
        assert distance == 2 * max(0, short - room)  # a path loses a node and an edge for each one too many
    with pytest.raises(OptionError, match="pairs must be 1 or more"):
        ranking_set(one, 0)


def test_bounds_make_a_predictor_better_and_tell_what_is_proven(one: PairSet) -> None:
    wild = Told(np.random.default_rng(0).normal(0, 9, (60, 10)))
    plain, within = (evaluate(wild, one, latency=False, bounds=b) for b in (False, True))
    assert within.metrics.rmse < plain.metrics.rmse
    found = wild.predict(*one[:2], one.pairs.index, bounds=True)
    assert isinstance(found, Bounded)
    assert within.proven == pytest.approx((found.lower == found.upper).mean())
    assert evaluate(Exact(), one, latency=False, bounds=True).proven == 1


def test_what_a_solver_proves_is_told_unasked(one: PairSet) -> None:
    assert evaluate(Exact(), one, latency=False).proven == 1
    lower, upper = Branch().predict(*one[:2], one.pairs.index, bounds=True)[1:]
    assert evaluate(Branch(), one, latency=False).proven == pytest.approx((lower == upper).mean())
    blind = EngineFirst(Told(np.zeros((60, 10))), time_limit=None)
    assert evaluate(blind, one, latency=False).proven == 1


def test_a_slow_predictor_is_asked_little_at_a_time(one: PairSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "_FIRST", 4)
    monkeypatch.setattr(evaluation, "_SECONDS", 0.0)
    slow, told = Told(np.zeros((60, 10))), []
    evaluate(slow, one, latency=False, progress=lambda done, total: told.append((done, total)))
    assert slow.asked == [4] + [1] * 56
    assert (told[0], told[-1]) == ((4, 60), (60, 60))
    monkeypatch.setattr(evaluation, "_SECONDS", 100.0)
    quick = Told(np.zeros((60, 10)))
    evaluate(quick, one, latency=False)
    assert quick.asked == [4, 32, 24]


def test_some_pairs_keep_their_labels(one: PairSet) -> None:
    few = some_pairs(one, 20, seed=1)
    assert len(few.pairs) == len(few.queries) == 20
    assert len(few.targets) <= 10
    known = {(one.queries.ids[i], one.targets.ids[j]) for i, j in one.pairs.index.tolist()}
    assert {(few.queries.ids[i], few.targets.ids[j]) for i, j in few.pairs.index.tolist()} <= known
    true = sed_pairs(few.queries, few.targets, few.pairs.index, time_limit=None)
    assert np.array_equal(true.upper, few.pairs.upper)
    assert some_pairs(one, None) is one
    assert some_pairs(one, 60) is one
    assert not np.array_equal(few.queries.num_nodes, some_pairs(one, 20, seed=2).queries.num_nodes)
    with pytest.raises(OptionError, match="pairs must be 1 or more, got 0"):
        some_pairs(one, 0)


def test_latency_is_plausible(one: PairSet) -> None:
    found = measure_latency(Branch(), one)
    assert 1 < found.batch_us < 1e6
    assert 1 < found.single_us < 1e6
    assert 1 <= found.batch_pairs <= 60
    assert measure_latency(Branch(), one, guess=10.0).batch_pairs == 1


def test_what_costs_the_same_for_many_is_asked_for_many(one: PairSet) -> None:
    class Slow(Told):
        def _distances(self, queries, targets, index, batch_size):  # type: ignore[no-untyped-def]
            sleep(0.1)
            return super()._distances(queries, targets, index, batch_size)

    slow = Slow(np.zeros((60, 10)))
    found = measure_latency(slow, one)
    assert found.batch_pairs == 60
    assert found.batch_us < 0.2 * found.single_us


def test_the_paper_s_test_and_the_strict_one_are_the_default(one: PairSet) -> None:
    sets = dict.fromkeys(("train", "test", "strict_test", "small_test"), one)
    assert default_sets(Dataset("d", 0, sets)) == ["test", "strict_test"]
    assert default_sets(Dataset("d", 0, {"train": one, "own": one})) == ["own"]


def test_nothing_to_evaluate() -> None:
    table = PairTable(np.zeros((0, 2), np.int64), np.zeros(0), np.zeros(0), np.zeros((0, 0), np.int32))
    with pytest.raises(OptionError, match="no pairs to evaluate on"):
        evaluate(Exact(), PairSet(paths(2), paths(2), table))
