"""Mappings of Prune4SED-plus: injective, of the cost that is said, and optimal if the beam is wide enough."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from made_batches import some_graphs, words

from prune4sed.errors import OptionError
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.edits import edit_script
from prune4sed.exact.engine import sed_pairs
from prune4sed.exact.maps import check_mapping
from prune4sed.graph import Graph
from prune4sed.models.beam_predictor import BeamPredictor
from prune4sed.models.matching import match_pairs
from prune4sed.models.prune4sed_plus import Prune4SEDPlus, Prune4SEDPlusOptions
from prune4sed.nn.vocabulary import Vocabulary

SMALL = {"width": 16, "stages": 1, "pair_width": 8, "pair_heads": 2, "pair_layers": 1}


def small(bonds: int = 0, keep: int = 30, vocabulary: Vocabulary | None = None) -> Prune4SEDPlus:
    torch.manual_seed(0)
    return Prune4SEDPlus(vocabulary or words(bonds), Prune4SEDPlusOptions(**SMALL, keep=keep))


@pytest.mark.parametrize("bonds", [0, 2])
@pytest.mark.parametrize("keep", [6, 30])
def test_mappings_are_valid_and_cost_what_is_said(bonds: int, keep: int) -> None:
    queries = some_graphs(0, 30, low=0, high=9, bonds=bonds)
    targets = some_graphs(1, 30, low=0, high=20, bonds=bonds)
    model = small(bonds, keep)
    found, true = match_pairs(model, queries, targets, beam=8), sed_pairs(queries, targets)
    np.testing.assert_allclose(found.predicted, model.predict(queries, targets), rtol=1e-5)
    assert (found.upper >= true.lower).all()
    for i, (q, t) in enumerate(zip(queries, targets, strict=True)):
        one = model.match(q, t, beam=8)
        check_mapping(q, t, one.mapping)
        assert sum(edit.cost for edit in edit_script(q, t, one.mapping, EditCosts())) == one.upper
        assert one.upper == found.upper[i]


@pytest.mark.parametrize("bonds", [0, 2])
def test_a_beam_that_leaves_nothing_out_is_exact(bonds: int) -> None:
    """Whatever the weights; the engine says what is exact."""
    queries = some_graphs(2, 20, low=1, high=4, bonds=bonds)
    targets = some_graphs(3, 20, low=1, high=7, bonds=bonds)
    found = match_pairs(small(bonds), queries, targets, beam=8**4)
    assert found.upper.tolist() == sed_pairs(queries, targets).upper.tolist()


def test_a_wider_beam_finds_better_mappings() -> None:
    queries, targets = some_graphs(4, 40, low=6, high=9), some_graphs(5, 40, low=10, high=20)
    costs = [float(match_pairs(small(), queries, targets, beam=w).upper.sum()) for w in (1, 8, 64)]
    assert costs[0] > costs[1] > costs[2]


def test_two_threads_find_what_one_finds() -> None:
    model, queries = small(), some_graphs(6, 40, low=3, high=9)
    targets = some_graphs(7, 40, low=0, high=60)
    alone = match_pairs(model, queries, targets, beam=4)
    torch.set_num_threads(2)
    try:
        found = match_pairs(model, queries, targets, beam=4)
    finally:
        torch.set_num_threads(1)
    np.testing.assert_allclose(found.predicted, alone.predicted, rtol=1e-5)
    assert found.upper.tolist() == alone.upper.tolist()
    assert found.mapping.tolist() == alone.mapping.tolist()


def test_mappings_do_not_depend_on_the_batch() -> None:
    queries, targets = some_graphs(6, 10, high=9), some_graphs(7, 10, high=30)
    model = small(keep=12)
    together = match_pairs(model, queries, targets, beam=16)
    some = match_pairs(model, queries, targets, [(i, i) for i in (7, 2)], batch_size=1, beam=16)
    assert some.upper.tolist() == together.upper[[7, 2]].tolist()


def test_labels_that_the_model_does_not_know_never_agree() -> None:
    model = small(vocabulary=Vocabulary(("C",), unknown=True))
    q = Graph(["C", "X"], [(0, 1)])
    assert model.match(q, Graph(["C", "Y"], [(0, 1)])).upper == 1
    assert model.match(q, q).upper == 1  # no less is proven, and no less is claimed


def test_a_beam_of_nothing_is_refused() -> None:
    for beam in (0, -1, 2.0, True):
        with pytest.raises(OptionError, match="beam must be a whole number"):
            small().match(Graph([0]), Graph([0]), beam=beam)


def test_a_predictor_with_a_beam_keeps_within_what_is_proven() -> None:
    queries, targets = some_graphs(8, 30, low=3, high=8), some_graphs(9, 30, low=5, high=15)
    model, true = small(), sed_pairs(queries, targets)
    alone, upper = model.predict(queries, targets), match_pairs(model, queries, targets, beam=16).upper
    found = BeamPredictor(model, 16).predict(queries, targets)
    assert (upper < alone - 0.1).any()
    assert (upper > alone + 0.1).any()
    np.testing.assert_allclose(found, np.minimum(upper, alone), rtol=1e-5)
    predicted, low, high = BeamPredictor(model, 16).predict(queries, targets, bounds=True)
    assert (low <= true.lower).all()
    assert (true.upper <= high).all()
    assert (high <= upper).all()
    assert ((low <= predicted) & (predicted <= high)).all()


def test_only_the_graphs_of_the_pairs_are_put_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    queries, targets, model = some_graphs(4, 9, high=5), some_graphs(5, 12), small()
    whole = match_pairs(model, queries, targets, [(3, 7), (8, 0), (3, 2)], beam=8)
    sizes: list[int] = []
    place = Prune4SEDPlus.place
    monkeypatch.setattr(
        Prune4SEDPlus, "place", lambda self, graphs: sizes.append(len(graphs)) or place(self, graphs)
    )
    some = match_pairs(model, queries, targets, [(3, 7), (3, 2)], beam=8)
    assert sizes == [1, 2]
    assert np.array_equal(some.upper, whole.upper[[0, 2]])
    np.testing.assert_allclose(some.predicted, whole.predicted[[0, 2]], rtol=1e-5)
