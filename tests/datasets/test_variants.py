"""Variants of pairs have the distances that are claimed for them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import brute_force
from prune4sed import EditCosts, Graph, GraphSet, sed_pairs
from prune4sed.datasets.dataset import KNOWN_LABELS, Dataset, PairSet
from prune4sed.datasets.table import PairTable
from prune4sed.datasets.variants import variants, with_variants
from prune4sed.errors import OptionError
from strategies import graphs

LABELS, BONDS = st.sampled_from("CNO"), st.sampled_from("12")


def labelled(pairs: list[tuple[Graph, Graph]], **limits: int) -> PairSet:
    """Pairs of graphs with the labels that the engine gives them."""
    queries, targets = (GraphSet(graphs) for graphs in zip(*pairs, strict=True))
    index = np.repeat(np.arange(len(pairs)), 2).reshape(-1, 2)
    found = sed_pairs(queries, targets, index, **limits)
    return PairSet(queries, targets, PairTable(index, found.lower, found.upper, found.mapping))


def costs_of_mappings(one: PairSet) -> list[float]:
    price = EditCosts().map_cost
    found = []
    for (q, t), row in zip(one.pairs.index, one.pairs.mapping, strict=True):
        query = one.queries[int(q)]
        images = [None if v < 0 else int(v) for v in row[: query.num_nodes]]
        found.append(price(query, one.targets[int(t)], images))
    return found


def lists(bonds: st.SearchStrategy[str] | None) -> st.SearchStrategy[list[tuple[Graph, Graph]]]:
    return st.lists(st.tuples(graphs(LABELS, bonds), graphs(LABELS, bonds)), min_size=1, max_size=3)


@pytest.mark.parametrize("bonds", [None, BONDS])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_distances_are_those_of_brute_force(
    bonds: st.SearchStrategy[str] | None, data: st.DataObject
) -> None:
    pairs = [(q, t) for q, t in data.draw(lists(bonds)) if q.num_nodes + t.num_nodes <= 11]
    if not pairs:
        return
    found = variants(labelled(pairs), 4, seed=data.draw(st.integers(0, 9)))
    assert len(found.pairs) == 4 * len(pairs)
    assert costs_of_mappings(found) == found.pairs.upper.tolist()
    true = [brute_force(found.queries[int(q)], found.targets[int(t)]) for q, t in found.pairs.index]
    assert found.pairs.lower.tolist() == true == found.pairs.upper.tolist()


def random_pairs(count: int) -> list[tuple[Graph, Graph]]:
    random = np.random.default_rng(4)

    def graph(size: int) -> Graph:
        edges = [(i, int(random.integers(i))) for i in range(1, size)]
        more = {tuple(sorted(random.choice(size, 2, replace=False).tolist())) for _ in range(size)}
        return Graph(random.choice(list("CNO"), size).tolist(), sorted({(b, a) for a, b in edges} | more))

    return [(graph(9), graph(14)) for _ in range(count)]


def test_bounds_of_open_pairs_stay_bounds() -> None:
    one = labelled(random_pairs(60), node_limit=0)
    assert not one.pairs.certified.all()
    found = variants(one, 3)
    assert costs_of_mappings(found) == found.pairs.upper.tolist()
    true = sed_pairs(found.queries, found.targets, found.pairs.index)
    assert true.certified.all()
    assert (found.pairs.lower <= true.upper).all()
    assert (true.upper <= found.pairs.upper).all()


def test_variants_differ_and_are_the_same_for_a_seed() -> None:
    one = labelled(random_pairs(40))
    found, again, other = variants(one, 2), variants(one, 2), variants(one, 2, seed=1)
    assert list(found.targets) == list(again.targets)
    assert list(found.targets) != list(other.targets)
    # Some of each kind of change, and some graphs that keep all they had.
    lost = found.targets.num_nodes < np.tile(one.targets.num_nodes[one.pairs.target], 2)
    closer = found.pairs.upper < np.tile(one.pairs.upper, 2)
    renamed = [q.labels != one.queries[i % 40].labels for i, q in enumerate(found.queries)]
    for changed in (lost, closer, np.array(renamed)):
        assert changed.mean() > 0.2
    assert lost.mean() < 0.6 > closer.mean()


def test_no_label_comes_up_that_no_graph_has() -> None:
    sets = [
        GraphSet(side)[1:] for side in zip(*[(Graph(["Rh"]), Graph(["Rh"])), *random_pairs(9)], strict=True)
    ]
    assert "Rh" in sets[0].node_vocabulary
    index = np.repeat(np.arange(9), 2).reshape(-1, 2)
    labels = sed_pairs(*sets, index)
    found = variants(PairSet(*sets, PairTable(index, labels.lower, labels.upper, labels.mapping)), 5)
    assert {label for graphs in found[:2] for graph in graphs for label in graph.labels} == set("CNO")


def test_labels_that_are_all_one_to_a_model_keep_their_names() -> None:
    one = labelled(random_pairs(30))
    data = Dataset("own", 0, {"train": one}, {KNOWN_LABELS: ["C", "N"]})
    found = with_variants(data, 2).train
    whole = [
        (before.labels, after.labels)
        for before, after in zip([*one.targets] * 2, list(found.targets)[30:], strict=True)
        if before.num_nodes == after.num_nodes
    ]
    assert all([a == "O" for a in before] == [b == "O" for b in after] for before, after in whole)
    assert any(before != after for before, after in whole)
    true = sed_pairs(found.queries, found.targets, found.pairs.index)
    assert np.array_equal(true.upper, found.pairs.upper)


def test_nothing_has_no_variants() -> None:
    one = labelled(random_pairs(2))
    for pairs, copies in ((one, 0), (one._replace(pairs=one.pairs[:0]), 1)):
        with pytest.raises(OptionError, match="cannot be made"):
            variants(pairs, copies)


def test_only_the_training_set_grows() -> None:
    one = labelled(random_pairs(5))
    data = Dataset("own", 0, {"train": one, "test": one}, {"sets": {"train": {"fingerprint": "x"}}})
    found = with_variants(data, 3)
    assert len(found.train.pairs) == 20
    assert found.train.pairs.upper[:5].tolist() == one.pairs.upper.tolist()
    assert found.test is one
    assert found.info == {"sets": {}, "variants": 3}
    assert with_variants(data, 0) is data
