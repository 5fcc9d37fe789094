"""Ego-nets, grown queries, shapes and random pairings, held against networkx and the engine."""

from __future__ import annotations

import random
import signal
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import oracles
import strategies
from prune4sed.datasets.draws import Stream, distinct_pairs, ego_nets, grown, partners, shapes, strict
from prune4sed.datasets.network import Network
from prune4sed.datasets.protocol import Recipe
from prune4sed.errors import OptionError
from prune4sed.exact.engine import sed_pairs
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet

ANY = 2**62  # one strict shape in so many: as good as none


def as_network(graph: nx.Graph[int], labels: list[int]) -> Network:
    return Network.from_edges(np.array(graph.edges, dtype=np.int64).reshape(-1, 2), labels)


@st.composite
def networks(draw: st.DrawFn) -> tuple[nx.Graph[int], list[int]]:
    """Sparse random networks, labelled, with isolated nodes and small components as chance has it."""
    n, seed = draw(st.integers(6, 50)), draw(st.integers(0, 10**6))
    graph = nx.gnp_random_graph(n, draw(st.sampled_from([0.05, 0.1, 0.2])), seed=seed)
    return graph, [random.Random(seed + v).randrange(3) - 1 for v in range(n)]


def isomorphic(a: Graph, b: Graph) -> bool:
    return bool(
        nx.is_isomorphic(
            oracles.as_networkx(a),
            oracles.as_networkx(b),
            node_match=lambda x, y: x["label"] == y["label"],
            edge_match=lambda x, y: x["label"] == y["label"],
        )
    )


def wl_hash(graph: nx.Graph[int]) -> str:
    nx.set_node_attributes(graph, 0, "label")
    return str(nx.weisfeiler_lehman_graph_hash(graph, node_attr="label", iterations=6))


@given(networks(), st.integers(1, 4), st.integers(0, 2**62))
def test_an_ego_net_is_the_ball_around_its_centre(
    made: tuple[nx.Graph[int], list[int]], hops: int, seed: int
) -> None:
    graph, labels = made
    drawn = ego_nets(as_network(graph, labels), Recipe({hops: 1}, {}, 1), ANY, False, Stream(seed, 0), 5)
    nx.set_node_attributes(graph, dict(enumerate(labels)), "label")
    balls = [nx.ego_graph(graph, v, radius=hops) for v in graph]
    for net in drawn:
        found = oracles.as_networkx(net)
        assert any(
            net.labels[0] == labels[v]
            and nx.is_isomorphic(found, ball, node_match=lambda x, y: x["label"] == y["label"])
            for v, ball in enumerate(balls)
        )
        # The centre is node 0, and the others follow by distance.
        steps = nx.single_source_shortest_path_length(found, 0)
        assert len(steps) == len(found)
        assert [steps[v] for v in range(len(found))] == sorted(steps.values())
        assert max(steps.values()) <= hops


@given(networks(), st.booleans(), st.integers(0, 2**62))
@settings(max_examples=40)
def test_a_query_is_a_connected_induced_part_of_its_source(
    made: tuple[nx.Graph[int], list[int]], centred: bool, seed: int
) -> None:
    graph, labels = made
    network = as_network(graph, labels)
    recipe = Recipe({2: 1, 3: 1} if centred else {}, {1: 1, 3: 2}, smallest_query=3, largest_query=9)
    nets = Recipe({2: 1, 3: 1}, {}, smallest_target=3)
    try:
        targets = ego_nets(network, nets, ANY, False, Stream(seed, 0), 6)
        queries, sources = grown(targets, recipe, ANY, False, Stream(seed, 1), 12)
    except OptionError:
        assert max((len(part) for part in nx.connected_components(graph)), default=0) < 3
        return
    assert ((queries.num_nodes >= 3) & (queries.num_nodes <= 9)).all()
    for query, source in zip(queries, sources.tolist(), strict=True):
        part = oracles.as_networkx(query)
        assert nx.is_connected(part)
        matcher = nx.algorithms.isomorphism.GraphMatcher(
            oracles.as_networkx(targets[source]), part, node_match=lambda x, y: x["label"] == y["label"]
        )
        assert matcher.subgraph_is_isomorphic()  # induced: no edge among its nodes is missing
    found = sed_pairs(queries, targets, np.column_stack([np.arange(12), sources]), time_limit=None)
    assert found.certified.all()
    assert not found.upper.any()


def test_a_neighbour_is_taken_half_of_the_time() -> None:
    star = GraphSet([Graph([0] * 21, [(0, v) for v in range(1, 21)])])
    queries, _ = grown(star, Recipe({1: 1}, {1: 1}, smallest_query=1), ANY, False, Stream(3, 1), 4000)
    leaves = queries.num_nodes - 1
    assert leaves.mean() == pytest.approx(10, abs=0.2)
    assert leaves.var() == pytest.approx(5, rel=0.1)  # binomial


def test_a_neighbour_of_two_has_two_chances() -> None:
    # 0 is joined to 1 and 2, and both to 3: within two steps 3 is taken by 1, by 2 or not at all.
    square = GraphSet([Graph(list(range(4)), [(0, 1), (0, 2), (1, 3), (2, 3)])])
    queries, _ = grown(square, Recipe({1: 1}, {2: 1}, smallest_query=1), ANY, False, Stream(3, 1), 8000)
    sets = [frozenset(graph.labels) for graph in queries]
    both = sum({1, 2} <= labels for labels in sets)
    assert sum({1, 2, 3} <= labels for labels in sets) / both == pytest.approx(0.75, abs=0.03)
    one = sum(len({1, 2} & labels) == 1 for labels in sets)
    assert one / len(sets) == pytest.approx(0.5, abs=0.02)


def test_the_nodes_of_a_query_come_in_random_order() -> None:
    path = GraphSet([Graph(list(range(5)), [(v, v + 1) for v in range(4)])])
    queries, _ = grown(path, Recipe({1: 1}, {5: 1}, smallest_query=3), ANY, False, Stream(0, 1), 600)
    first = np.array([graph.labels.index(0) / (len(graph) - 1) for graph in queries])
    assert first.mean() == pytest.approx(0.5, abs=0.06)


def test_edge_labels_come_along() -> None:
    ring = Graph(["C"] * 6, [(i, (i + 1) % 6) for i in range(6)], ["a", "b"] * 3)
    queries, _ = grown(GraphSet([ring]), Recipe({}, {5: 1}, smallest_query=4), ANY, False, Stream(0, 1), 30)
    assert all(oracles.contained(query, ring) for query in queries)
    assert queries.edge_vocabulary == ("a", "b")


@given(st.lists(strategies.graphs(), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_a_shape_does_not_depend_on_the_numbering(graphs: list[Graph], rng: random.Random) -> None:
    shuffled = [graph.permuted(rng.sample(range(len(graph)), len(graph))) for graph in graphs]
    # In a set of their own the labels have other codes.
    apart = np.concatenate([shapes(GraphSet([graph])) for graph in shuffled])
    assert shapes(GraphSet(graphs)).tolist() == apart.tolist()


def test_shapes_tell_small_graphs_apart() -> None:
    # All graphs of up to six nodes; refinement cannot tell the regular ones of a size apart.
    atlas = [graph for graph in nx.graph_atlas_g()[:209] if len(graph)]
    found = shapes(GraphSet([Graph([0] * len(graph), list(graph.edges)) for graph in atlas]))
    degrees = [tuple(sorted(dict(graph.degree).values())) for graph in atlas]
    regular = [len(set(row)) == 1 for row in degrees]
    for i, j in combinations(range(len(atlas)), 2):
        if found[i] == found[j]:
            assert degrees[i] == degrees[j]
            assert wl_hash(atlas[i]) == wl_hash(atlas[j])
        elif regular[i] and regular[j]:
            assert degrees[i] != degrees[j]
    assert len(set(found.tolist())) > 195


def test_shapes_heed_labels_and_their_type() -> None:
    path = [(0, 1), (1, 2)]
    graphs = [["C", "C", "O"], ["C", "O", "C"], ["1", "1", "1"]]
    one, two, three = shapes(GraphSet([Graph(labels, path) for labels in graphs]))
    (number,) = shapes(GraphSet([Graph([1, 1, 1], path)]))
    (bonds,) = shapes(GraphSet([Graph([1, 1, 1], path, ["a", "a"])]))
    assert len({int(x) for x in (one, two, three, number, bonds)}) == 5


@given(networks(), st.integers(0, 2**62))
@settings(max_examples=30)
def test_strict_graphs_are_isomorphic_to_no_others(made: tuple[nx.Graph[int], list[int]], seed: int) -> None:
    network, recipe = as_network(*made), Recipe({1: 1}, {1: 1}, 2, 60, 2, 25)
    try:
        apart = ego_nets(network, recipe, 3, True, Stream(seed, 0), 8)
        others = ego_nets(network, recipe, 3, False, Stream(seed, 1), 8)
    except OptionError:
        return
    assert strict(apart, 3).all()
    assert not strict(others, 3).any()
    assert not any(isomorphic(a, b) for a in apart for b in others)


def test_a_long_draw_begins_like_a_short_one() -> None:
    network = as_network(nx.gnp_random_graph(200, 0.02, seed=1), [0] * 200)
    recipe = Recipe({1: 1, 2: 1}, {2: 1})
    short, long = (ego_nets(network, recipe, 10, False, Stream(0, 0), n) for n in (5, 40))
    assert list(short) == list(long[:5])
    few, many = (grown(short, recipe, 10, False, Stream(0, 1), n)[0] for n in (5, 40))
    assert list(few) == list(many[:5])
    assert partners(7, Stream(0, 2), 50)[:9].tolist() == partners(7, Stream(0, 2), 9).tolist()
    assert (
        distinct_pairs(3, 50, Stream(0, 2), 99)[:9].tolist()
        == distinct_pairs(3, 50, Stream(0, 2), 9).tolist()
    )


def test_streams_and_seeds_differ() -> None:
    draws = [partners(1000, Stream(*key), 50).tolist() for key in [(0, 0), (0, 1), (1, 0), (1, 1)]]
    assert len({tuple(draw) for draw in draws}) == 4


@given(st.integers(1, 12), st.integers(1, 12), st.integers(0, 300), st.integers(0, 2**62))
def test_every_pair_comes_once_before_any_comes_twice(rows: int, columns: int, count: int, seed: int) -> None:
    pairs = list(map(tuple, distinct_pairs(rows, columns, Stream(seed, 0), count).tolist()))
    room = rows * columns
    for start in range(0, count, room):
        assert len(set(pairs[start : start + room])) == min(room, count - start)
    assert all(0 <= i < rows and 0 <= j < columns for i, j in pairs)


def test_what_cannot_be_drawn_is_one_line() -> None:
    pair = as_network(nx.path_graph(2), [0, 0])
    with pytest.raises(OptionError, match="no ego-net has 5 to 1200 nodes"):
        ego_nets(pair, Recipe({1: 1}, {}), ANY, False, Stream(0, 0), 1)
    with pytest.raises(OptionError, match=r"no query of 5 to 25 nodes .* could be grown"):
        grown(GraphSet([Graph(["C"])]), Recipe({}, {1: 1}), ANY, False, Stream(0, 0), 1)
    with pytest.raises(OptionError, match="no targets"):
        grown(GraphSet([]), Recipe({}, {1: 1}), ANY, False, Stream(0, 0), 1)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals on this system")
def test_a_long_draw_can_be_interrupted() -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    network = as_network(nx.path_graph(50), [0] * 50)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(KeyboardInterrupt):
            ego_nets(network, Recipe({2: 1}, {}, 1), ANY, False, Stream(0, 0), 10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
