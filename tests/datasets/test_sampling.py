"""Whole datasets of pairs: sets, sizes, the strict split, and the same seed giving the same pairs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import oracles
from prune4sed.datasets.draws import shapes, strict
from prune4sed.datasets.network import Network
from prune4sed.datasets.protocol import PROTOCOLS, SMALLEST_POOL, Protocol, Recipe
from prune4sed.datasets.raw import read_raw
from prune4sed.datasets.sampling import SampledSet, fingerprint, sample, sample_own
from prune4sed.errors import GraphError, OptionError
from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

MIRROR = os.environ.get("PRUNE4SED_MIRROR")


def made_network(nodes: int = 900) -> Network:
    """Rings of rings: no library's random numbers, so that its pairs can be pinned."""
    ring = [(v, (v + 1) % nodes) for v in range(nodes)]
    chords = [(v, (v * v + 7) % nodes) for v in range(0, nodes, 2)]
    return Network.from_edges(ring + chords, [v * v % 5 for v in range(nodes)])


def made_collection(count: int = 60) -> GraphSet:
    """Caterpillars with one chord: connected, of 8 to 27 nodes, all different."""
    graphs = []
    for k in range(count):
        n = 8 + k % 20
        edges = {(v // 2 if v % 3 else v - 1, v) for v in range(1, n)} | {(0, n - 1 - k % 5)}
        graphs.append(Graph(["CNO"[(v * k) % 3] for v in range(n)], sorted(edges), id=f"g{k}"))
    return GraphSet(graphs)


@pytest.fixture(scope="module")
def network_sets() -> dict[str, SampledSet]:
    return sample("citeseer", made_network(), (300, 40, 100), seed=5)


def check_form(sets: dict[str, SampledSet]) -> None:
    for name, found in sets.items():
        assert found.name == name
        assert found.index.dtype == np.int64
        assert found.index[:, 0].tolist() == list(range(len(found.queries)))
        assert found.index[:, 1].min() >= 0
        assert found.index[:, 1].max() < len(found.targets)


def test_the_sets_of_a_network(network_sets: dict[str, SampledSet]) -> None:
    parts = ("train", "validation", "test")
    sizes = [f"{size}_{part}" for size in ("small", "medium", "large") for part in parts]
    assert list(network_sets) == [*parts, "strict_test", *sizes, "large_queries"]
    lengths = {name: len(found) for name, found in network_sets.items()}
    assert [lengths[part] for part in parts] == [300, 40, 100]
    assert lengths["strict_test"] == 100
    assert [lengths[f"medium_{part}"] for part in parts] == [16, 2, 2]
    assert lengths["large_queries"] == 20
    check_form(network_sets)


def test_sets_share_their_pool(network_sets: dict[str, SampledSet]) -> None:
    pools = [network_sets[name].targets for name in ("train", "validation", "test")]
    assert pools[0] is pools[1] is pools[2]
    assert len(pools[0]) == 440
    assert len({id(found.targets) for found in network_sets.values()}) == 6
    queries = [network_sets[name].queries.edges for name in ("train", "test")]
    assert np.shares_memory(*queries)


def test_a_set_of_few_pairs_still_has_targets_to_choose_from() -> None:
    sets = sample("pubmed", made_network(), (1, 1, 1))
    assert {name: len(found.targets) for name, found in sets.items()} == dict.fromkeys(sets, SMALLEST_POOL)


@pytest.mark.skipif(not MIRROR, reason="PRUNE4SED_MIRROR names no folder of raw data")
def test_few_pairs_of_any_seed_can_be_drawn() -> None:
    network = read_raw("cora_ml", Path(MIRROR or ""))
    for seed in range(12):  # with one target to grow in, every twelfth failed
        assert len(sample("cora_ml", network, (3, 1, 1), seed=seed)["large_queries"]) == 1


def test_node_limits_of_every_set(network_sets: dict[str, SampledSet]) -> None:
    for name, found in network_sets.items():
        low, high = (26, 50) if name == "large_queries" else (5, 25)
        assert found.queries.num_nodes.min() >= low
        assert found.queries.num_nodes.max() <= high
        for query in found.queries:
            assert nx.is_connected(oracles.as_networkx(query))
    medians = [
        np.median(network_sets[f"{size}_train"].targets.num_nodes) for size in ("small", "medium", "large")
    ]
    assert medians == sorted(medians)
    assert medians[0] < 23 < 42 <= medians[1] <= 90 < medians[2]


def test_strict_shapes_are_nowhere_else(network_sets: dict[str, SampledSet]) -> None:
    apart = network_sets["strict_test"]
    others = [found for name, found in network_sets.items() if name != "strict_test"]

    def hashes(graphs: GraphSet) -> set[str]:
        return {
            nx.weisfeiler_lehman_graph_hash(oracles.as_networkx(graph), node_attr="label", iterations=4)
            for graph in graphs
        }

    # Another one's hash: what differs there is not isomorphic.
    pools = {id(found.targets): found.targets for found in others}.values()
    assert not hashes(apart.queries) & set().union(*(hashes(found.queries) for found in others))
    assert not hashes(apart.targets) & set().union(*map(hashes, pools))


def test_queries_come_out_of_the_pool() -> None:
    sets = sample("pubmed", made_network(60), (6, 1, 1), extras=False)
    found = sets["train"]
    every = [(i, j) for i in range(len(found.queries)) for j in range(len(found.targets))]
    table = sed_pairs(found.queries, found.targets, every, time_limit=None)
    assert table.certified.all()
    assert (table.upper.reshape(len(found.queries), -1).min(axis=1) == 0).all()


def test_the_same_seed_gives_the_same_pairs(network_sets: dict[str, SampledSet]) -> None:
    again = sample("Citeseer", made_network(), (300, 40, 100), seed=5)
    other = sample("citeseer", made_network(), (300, 40, 100), seed=6)
    for name, found in network_sets.items():
        assert fingerprint(found) == fingerprint(again[name])
        assert fingerprint(found) != fingerprint(other[name])


def test_pairs_are_pinned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shipped labels are found by such hashes: a sampler that fails here draws other pairs than before."""
    large = Recipe({4: 100}, {4: 50, 5: 50}, smallest_query=26, largest_query=50, pool=4)
    rules = Protocol(Recipe({2: 70, 3: 30}, {2: 40, 3: 60}, pool=25), strict_pool=20, large_queries=large)
    monkeypatch.setitem(PROTOCOLS, "pubmed", rules)
    sets = sample("pubmed", made_network(), (30, 5, 20), seed=1)
    assert {name: fingerprint(found)[:16] for name, found in sets.items()} == {
        "train": "ed7650f9c781452a",
        "validation": "893092db26ba4bdb",
        "test": "ffaaf6f7d1c08bc3",
        "strict_test": "c0c053f576700267",
        "large_queries": "235dee9647a28521",
    }


def test_more_pairs_begin_like_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    # With the pool at its full size, more pairs change none of those before.
    monkeypatch.setitem(PROTOCOLS, "pubmed", Protocol(Recipe({2: 100}, {2: 100}, pool=50)))
    few = sample("pubmed", made_network(), (60, 1, 1), extras=False)["train"]
    many = sample("pubmed", made_network(), (300, 1, 1), extras=False)["train"]
    assert len(few.targets) == len(many.targets) == 50
    first = SampledSet("train", many.queries[:60], many.targets, many.index[:60])
    assert fingerprint(few) == fingerprint(first)


def test_a_collection_gives_its_graphs() -> None:
    source = made_collection()
    sets = sample("protein", source, (80, 20, 20), seed=2)
    assert list(sets) == ["train", "validation", "test", "strict_test"]
    check_form(sets)
    ids = [set(sets[name].targets.ids) for name in ("train", "strict_test")]
    assert ids[0] | ids[1] == set(source.ids)
    assert not ids[0] & ids[1]
    assert any(oracles.contained(sets["train"].queries[0], target) for target in sets["train"].targets)


def fragments() -> GraphSet:
    chains = [Graph(["C"] * n, [(i, i + 1) for i in range(n - 1)], id=f"chain {n}") for n in range(3, 24)]
    rings = [Graph(["N"] * n, [(i, (i + 1) % n) for i in range(n)], id=f"ring {n}") for n in range(5, 20)]
    again = [graph.permuted([*range(1, len(graph)), 0]) for graph in rings]
    return GraphSet(chains + rings + again)


def test_fragments_are_queries_of_aids() -> None:
    sets = sample("aids", made_collection(), (300, 40, 40), fragments=fragments())
    check_form(sets)
    assert set(sets["train"].queries.ids) <= set(fragments().ids)
    assert min(found.queries.num_nodes.min() for found in sets.values()) >= 5
    pairs = [(q, t) for name in ("train", "validation", "test") for q, t in named_pairs(sets[name])]
    assert len(set(pairs)) == len(pairs) == 380  # what is tested on was not trained on
    apart = shapes(sets["strict_test"].queries)
    assert not set(apart.tolist()) & set(shapes(sets["train"].queries).tolist())


def named_pairs(found: SampledSet) -> list[tuple[str, str]]:
    queries, targets = list(found.queries.ids), list(found.targets.ids)
    return [(queries[i], targets[j]) for i, j in found.index.tolist()]


def test_a_shape_comes_once_among_the_fragments() -> None:
    sets = sample("aids", made_collection(), (1200, 10, 10), extras=False, fragments=fragments())
    kinds = {query.id: shape for query, shape in zip(*shaped(sets["train"]), strict=True)}
    assert len(set(kinds.values())) == len(kinds)


def shaped(found: SampledSet) -> tuple[GraphSet, list[int]]:
    return found.queries, shapes(found.queries).tolist()


def test_too_few_combinations_is_one_line() -> None:
    with pytest.raises(OptionError, match=r"make only [\d,]+ pairs, but 100,002 are wanted for train"):
        sample("aids", made_collection(), (100_000, 1, 1), fragments=fragments())


def test_queries_that_are_all_kept_for_the_strict_set() -> None:
    apart = fragments().take(strict(fragments(), PROTOCOLS["aids"].strict_one_in))
    with pytest.raises(OptionError, match=r"none of the \d+ queries can be used for train, validation, test"):
        sample("aids", made_collection(), (1, 1, 1), fragments=apart)


def test_own_targets_and_queries() -> None:
    queries = fragments()[:36]  # each once
    sets = sample_own(made_collection(), queries, (200, 30, 30), seed=4)
    assert list(sets) == ["train", "validation", "test", "strict_test"]
    check_form(sets)
    pairs = [pair for found in sets.values() for pair in named_pairs(found)]
    assert len(set(pairs)) == len(pairs)
    assert {query for query, _ in pairs} <= set(queries.ids)


def test_own_targets_alone_keep_their_edge_labels() -> None:
    bonds = GraphSet(
        [
            Graph(["C"] * n, [(i, (i + 1) % n) for i in range(n)], ["ab"[i % 2] for i in range(n)])
            for n in range(6, 30)
        ]
    )
    sets = sample_own(bonds, pairs=(20, 5, 5))
    assert sets["train"].queries.edge_vocabulary == ("a", "b")
    query = sets["train"].queries[0]
    assert any(oracles.contained(query, target) for target in sets["train"].targets)


def test_own_graphs_without_strict_shapes_have_no_strict_test() -> None:
    for n in range(6, 12):
        ring = GraphSet([Graph(["C"] * n, [(i, (i + 1) % n) for i in range(n)])])
        if shapes(ring)[0] % 10:
            assert list(sample_own(ring, pairs=(3, 2, 1))) == ["train", "validation", "test"]


def test_own_graphs_that_cannot_be_compared() -> None:
    numbers = GraphSet([Graph([1, 2], [(0, 1)])])
    with pytest.raises(GraphError, match="can never be equal"):
        sample_own(made_collection(), numbers, (1, 1, 1))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pairs": (1, 2)}, "three numbers"),
        ({"pairs": "abc"}, "three numbers"),
        ({"pairs": (10, 0, 5)}, "1 or more; got 0"),
        ({"pairs": (10, 5, 5.5)}, "whole number"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"seed": True}, "seed must be a whole number"),
        ({"seed": 2**63}, r"seed must be less than 2\*\*63"),
        ({"name": "protein"}, "protein is drawn from a GraphSet, not from a Network"),
        ({"name": "karate"}, "karate"),
    ],
)
def test_bad_arguments_are_one_line(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=words) as caught:
        sample(**{"name": "pubmed", "source": made_network(60), "pairs": (2, 1, 1), **arguments})
    assert "\n" not in str(caught.value)


def test_a_network_too_small_for_the_extra_sets() -> None:
    with pytest.raises(OptionError, match="no ego-net"):
        sample("pubmed", made_network(20), (2, 1, 1))


def pair_of(query: Graph, target: Graph) -> SampledSet:
    return SampledSet("test", GraphSet([query]), GraphSet([target]), np.array([[0, 0]]))


def test_a_fingerprint_sees_graphs_and_not_how_they_are_stored(network_sets: dict[str, SampledSet]) -> None:
    test = network_sets["test"]
    copy = SampledSet("other", GraphSet(list(test.queries)), GraphSet(list(test.targets)), test.index.copy())
    assert fingerprint(copy) == fingerprint(test)
    codes = GraphSet.from_arrays([0, 2], [1, 0], [0, 1], [[0, 1]], node_vocabulary=["O", "C", "unused"])
    edge = Graph(["C", "O"], [(0, 1)], id="named")
    stored = SampledSet("test", codes, GraphSet([edge]), np.array([[0, 0]]))
    assert fingerprint(stored) == fingerprint(pair_of(edge, edge))


@pytest.mark.parametrize(
    "other",
    [
        Graph(["C", "N", "O"], [(0, 1)]),
        Graph(["C", "O", "N"], [(1, 2)]),
        Graph(["C", "O", "N"], [(0, 1), (1, 2)]),
        Graph(["C", "O"], [(0, 1)]),
        Graph([1, 2, 3], [(0, 1)]),
        Graph(["C", "O", "N"], [(0, 1)], ["single"]),
    ],
)
def test_a_fingerprint_sees_every_difference(other: Graph) -> None:
    graph = Graph(["C", "O", "N"], [(0, 1)])
    assert len({fingerprint(pair_of(a, b)) for a in (graph, other) for b in (graph, other)}) == 4


@pytest.mark.skipif(not MIRROR, reason="PRUNE4SED_MIRROR names no folder of raw data")
def test_real_queries_are_found_in_their_pool() -> None:
    sets = sample("citeseer", read_raw("citeseer", Path(MIRROR or "")), (20, 2, 20), seed=9)
    for name in ("train", "strict_test", "small_train"):
        found = sets[name]
        for query in list(found.queries)[:3]:
            assert sed_pairs(query, found.targets, time_limit=None, node_limit=500).upper.min() == 0
