"""Labels that a model knows from targets alone change names with labels that it knows from queries."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from prune4sed import EditCosts, Graph, GraphSet, Index, sed_pairs
from prune4sed.datasets.building import draw, standard_groups
from prune4sed.datasets.dataset import PairSet
from prune4sed.datasets.raw import raw_file, read_raw
from prune4sed.datasets.table import PairTable
from prune4sed.errors import GraphError
from prune4sed.models.base import SedModel
from prune4sed.models.bundled import bundled
from prune4sed.models.checkpoint import load_checkpoint, save_checkpoint
from prune4sed.models.matching import match_pairs
from prune4sed.models.prune4sed_plus import Prune4SEDPlus
from prune4sed.models.registry import create_model
from prune4sed.models.stand_ins import in_known_labels, query_labels, stand_ins, told_labels
from prune4sed.nn.vocabulary import Vocabulary

LABELS = "CFNOS"


def chain(labels: str) -> Graph:
    return Graph(list(labels), [(i, i + 1) for i in range(len(labels) - 1)])


QUERIES = GraphSet([chain(text) for text in ("CN", "FCF", "CCO", "SNOCF", "")])
TARGETS = GraphSet([chain(text) for text in ("CFCS", "NCFO", "FFFCC")])
PAIRS = np.array([(q, t) for t in range(3) for q in range(5)])


@pytest.fixture(params=["neurosed", "prune4sed", "prune4sed-plus", "simgnn", "h2mn"])
def model(request: pytest.FixtureRequest) -> SedModel:
    torch.manual_seed(0)
    found = create_model(request.param, Vocabulary(tuple(LABELS)))
    found.met = ("S", "N", "O", "C")
    return found.eval()


def test_a_model_is_asked_in_labels_of_queries(model: SedModel) -> None:
    found = model.predict(QUERIES, TARGETS, PAIRS)
    others = GraphSet([chain(text) for text in ("SCS", "CSCF", "NCSO", "SSSCC")])
    wanted = model.predict(others, others, [(0, 1), (0, 2), (0, 3)])
    assert np.allclose(found.reshape(3, 5)[:, 1], wanted, atol=1e-5)
    # All others as before: nothing is foreign to them, or nothing is left to stand in.
    model.met = None
    plain = model.predict(QUERIES, TARGETS, PAIRS)
    same = np.array([True, False, True, True, True])
    assert np.allclose(found.reshape(3, 5)[:, same], plain.reshape(3, 5)[:, same], atol=1e-5)
    assert not np.allclose(found, plain, atol=1e-5)


def test_mappings_are_of_the_graphs_as_they_are() -> None:
    torch.manual_seed(1)
    model = create_model("prune4sed-plus", Vocabulary(tuple(LABELS)))
    assert isinstance(model, Prune4SEDPlus)
    model.met = ("S", "N", "O", "C")
    found = match_pairs(model, QUERIES, TARGETS, PAIRS)
    for (q, t), images, upper in zip(PAIRS, found.mapping, found.upper, strict=True):
        query = QUERIES[int(q)]
        mapping = [None if v < 0 else int(v) for v in images[: query.num_nodes]]
        assert EditCosts().map_cost(query, TARGETS[int(t)], mapping) == upper
    assert np.allclose(found.predicted, model.predict(QUERIES, TARGETS, PAIRS), atol=1e-5)
    query, target = QUERIES[1], TARGETS[0]
    renamed = model.prune(chain("SCS"), chain("CSCF"))
    assert np.allclose(model.prune(query, target).keep, renamed.keep, atol=1e-6)


def test_every_pair_is_asked_about_once_and_at_the_same_distance() -> None:
    met, known = ("S", "N"), frozenset(LABELS)
    asked = list(in_known_labels(QUERIES[1:], TARGETS[:2], PAIRS[PAIRS.max(1) < 2], met, known))
    rows = np.concatenate([one.rows for one in asked])
    assert sorted(rows.tolist()) == list(range(len(rows)))
    true = sed_pairs(QUERIES[1:], TARGETS[:2], PAIRS[PAIRS.max(1) < 2]).upper
    for one in asked:
        assert np.array_equal(sed_pairs(one.queries, one.targets, one.pairs).upper, true[one.rows])


def test_labels_that_the_model_lacks_are_still_refused(model: SedModel) -> None:
    assert stand_ins({"C", "Zn"}, ("S", "C"), frozenset("CS")) == ()
    with pytest.raises(GraphError, match="'Zn', which the model has never seen"):
        model.predict(Graph(["C", "Zn"], [(0, 1)]), TARGETS)


def test_headers_tell_what_queries_had(tmp_path: Path) -> None:
    table = PairTable(np.array([[0, 0], [2, 1]]), np.zeros(2), np.zeros(2), np.zeros((2, 3), dtype=np.int32))
    told = query_labels(PairSet(QUERIES, TARGETS, table))
    assert told == ["N", "O", "C"]  # F is of another query; C is the commonest in targets
    model = create_model("neurosed", Vocabulary(tuple(LABELS)))
    model.met = tuple(told)
    save_checkpoint(model, tmp_path / "model.safetensors", {"dataset": {"name": "aids"}})
    again = load_checkpoint(tmp_path / "model.safetensors")
    assert again.met == ("N", "O", "C")
    save_checkpoint(again, tmp_path / "again.safetensors")
    assert load_checkpoint(tmp_path / "again.safetensors").met == ("N", "O", "C")
    assert (
        told_labels({}) is told_labels({"dataset": None}) is told_labels({"dataset": {"name": "own"}}) is None
    )


def test_what_queries_have_most_often_stands_in_first() -> None:
    table = PairTable(np.array([[1, 0]]), np.zeros(1), np.zeros(1), np.zeros((1, 3), dtype=np.int32))
    assert query_labels(PairSet(QUERIES, TARGETS, table)) == ["F", "C"]


def test_an_index_keeps_them(tmp_path: Path) -> None:
    model = create_model("prune4sed", Vocabulary(tuple(LABELS)))
    model.met = ("S", "N", "O", "C")
    Index.build(TARGETS, model=model).save(tmp_path / "index")
    found = Index.open(tmp_path / "index").models.model
    assert isinstance(found, SedModel)
    expected = model.predict(QUERIES, TARGETS, PAIRS)
    assert np.allclose(found.predict(QUERIES, TARGETS, PAIRS), expected, atol=1e-5)


def test_only_labels_that_the_model_tells_apart_stand_in() -> None:
    assert stand_ins({"C", "Cl"}, ("Pd", "O", "C"), frozenset(["C", "Cl", "O"])) == (("Cl", "O"),)


def test_numbers_as_labels_and_slices(model: SedModel) -> None:
    words = Vocabulary(tuple(range(5)))
    numbered = create_model(model.name, words)
    numbered.load_state_dict(model.state_dict())
    numbered.met = (4, 2, 3, 0)  # S, N, O and C
    sets = [
        GraphSet([Graph([LABELS.index(x) for x in graph.labels], graph.edges) for graph in graphs])
        for graphs in (QUERIES, TARGETS)
    ]
    found = numbered.eval().predict(sets[0][1:3], sets[1][1:], [(0, 1), (1, 0)])
    assert np.allclose(found, model.predict(QUERIES, TARGETS, [(1, 2), (2, 1)]), atol=1e-5)


def test_a_damaged_set_is_refused_by_name(model: SedModel) -> None:
    graphs = GraphSet._of(replace(QUERIES._arrays, node_labels=QUERIES.node_labels + 9), False, GraphError)
    with pytest.raises(GraphError, match="graph 0"):
        model.predict(graphs, TARGETS, [(0, 0)])


def test_the_models_for_aids_know_halogens_in_queries() -> None:
    model = load_checkpoint(bundled()["aids-plus"], "cpu")
    difluoride = Graph(["F", "C", "F"], [(0, 1), (1, 2)])
    ring = Graph(["C"] * 6 + ["F"], [(i, (i + 1) % 6) for i in range(6)] + [(0, 6)])
    assert model.predict(difluoride, [difluoride, ring]) == pytest.approx([0, 1], abs=0.3)


@pytest.mark.skipif(
    not os.environ.get("PRUNE4SED_MIRROR"), reason="PRUNE4SED_MIRROR names no folder of raw data"
)
def test_what_is_told_of_aids_is_true() -> None:
    train = draw("aids", read_raw("aids", raw_file("aids")), standard_groups("aids"))[0]["train"]
    empty = np.zeros((len(train), 0), np.int32)
    pairs = PairTable(train.index, np.zeros(len(train)), np.zeros(len(train)), empty)
    found = query_labels(PairSet(train.queries, train.targets, pairs))
    assert tuple(found) == told_labels({"dataset": {"name": "aids"}})


def test_renamed_sets() -> None:
    found = TARGETS[1:].renamed({"F": "C", "C": "F"})
    assert [graph.labels for graph in found] == [tuple("NFCO"), tuple("CCCFF")]
    assert list(TARGETS[1:]) == [chain("NCFO"), chain("FFFCC")]
    with pytest.raises(GraphError, match="more than once"):
        TARGETS.renamed({"F": "C"})
