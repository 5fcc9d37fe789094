"""Retrieval of molecules: precision by its definition, distances by RDKit where they are 0."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rdkit")
sys.path.insert(0, str(Path(__file__).parent.parent / "search"))

from molecules import fragments, library

from oracles import contained
from prune4sed.graphset import GraphSet
from prune4sed.models.solvers import Exact
from prune4sed.studies.fragment_figures import precision_at, retrieve, true_distances


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.data())
def test_right_is_what_some_best_answer_has(true: list[int], data: st.DataObject) -> None:
    k = data.draw(st.integers(1, len(true)))
    found = data.draw(st.permutations(range(len(true))))[:k]
    totals = {answer: sum(true[i] for i in answer) for answer in combinations(range(len(true)), k)}
    right = {i for answer, total in totals.items() if total == min(totals.values()) for i in answer}
    distances = np.array(true, dtype=float)
    expected = sum(i in right for i in found) / k
    assert precision_at(distances[found], distances) == pytest.approx(expected)


def test_distance_0_is_containment() -> None:
    queries, molecules = GraphSet(fragments()[:5]), library(40)
    truth = true_distances(queries, molecules)
    assert truth.certified == 1
    for i, query in enumerate(queries):
        for j, target in enumerate(molecules):
            assert (truth.distances[i, j] == 0) == contained(query, target)


def test_the_exact_engine_retrieves_the_nearest() -> None:
    query, molecules = fragments()[3], library(60)
    truth = true_distances(GraphSet([query]), molecules)
    found = retrieve(Exact(10.0), query, molecules, truth.distances[0], 5)
    assert found.true.tolist() == sorted(truth.distances[0].tolist())[:5]
    assert precision_at(found.true, truth.distances[0]) == 1
    told = found.to_json(query, molecules)
    assert [hit["id"] for hit in told] == [molecules.ids[at] for at in found.positions.tolist()]
    assert [hit["upper"] for hit in told] == found.true.tolist()
