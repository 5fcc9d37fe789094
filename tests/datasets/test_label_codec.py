"""The shipped form of labels: what goes in comes out, it is small, and damage is noticed."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import as_networkx
from prune4sed.datasets import label_codec, map_codec
from prune4sed.datasets.adjacency import Adjacency
from prune4sed.datasets.label_codec import decode, encode, read_header
from prune4sed.datasets.labelling import Labels, label_set, mapping_width
from prune4sed.datasets.map_codec import breadth_first
from prune4sed.datasets.sampled import SampledSet
from prune4sed.datasets.streams import StreamReader, StreamWriter
from prune4sed.errors import FormatError, OptionError
from prune4sed.graphset import GraphSet
from random_graphs import random_graph
from strategies import graph_lists


def same(a: Labels, b: Labels) -> bool:
    columns = [(getattr(a, name), getattr(b, name)) for name in ("lower", "upper", "mapping")]
    return all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in columns)


def made_labels(pairs: SampledSet, rng: random.Random) -> Labels:
    """Labels that look real: any injective partial maps will do, and bounds of any kind."""
    mapping = np.full((len(pairs.index), mapping_width(pairs)), -1, dtype=np.int32)
    for row, (i, j) in enumerate(pairs.index.tolist()):
        size, room = len(pairs.queries[i]), len(pairs.targets[j])
        images = rng.sample(range(room), min(size, room)) + [-1] * max(0, size - room)
        mapping[row, :size] = [v if rng.random() < 0.8 else -1 for v in images]
    upper = np.array([rng.choice([0, 3, 700]) for _ in pairs.index], dtype=np.int32)
    gap = np.array([rng.choice([0, 0, 2]) for _ in pairs.index], dtype=np.int32)
    return Labels(np.maximum(upper - gap, 0), upper, mapping)


def made_pairs(seed: int, count: int, name: str = "made", targets: GraphSet | None = None) -> SampledSet:
    rng = random.Random(seed)
    pool = targets or GraphSet(random_graph(rng, rng.randint(3, 30), 0.2, 2) for _ in range(9))
    queries = GraphSet(random_graph(rng, rng.randint(2, 9), 0.4, 2) for _ in range(count))
    return SampledSet(name, queries, pool, np.array([(i, rng.randrange(len(pool))) for i in range(count)]))


@settings(max_examples=60)
@given(some=graph_lists(text=True), many=graph_lists(text=True), seed=st.integers(0, 10**6))
def test_any_labels_come_back(some: list, many: list, seed: int) -> None:
    # Empty graphs, graphs that fall apart, queries larger than their target, no pairs at all.
    queries, targets = GraphSet(some).without_edge_labels(), GraphSet(many).without_edge_labels()
    rng = random.Random(seed)
    count = 10 if some and many else 0
    index = [(rng.randrange(len(some)), rng.randrange(len(many))) for _ in range(count)]
    pairs = SampledSet("any", queries, targets, np.array(index, dtype=np.int64).reshape(-1, 2))
    labels = made_labels(pairs, rng)
    data = encode({"any": pairs}, {"any": labels}, {"any": 5})
    assert same(decode(data, {"any": pairs})["any"], labels)


def test_labels_of_the_engine_come_back_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(map_codec, "BLOCK", 16)
    monkeypatch.setattr(label_codec, "BLOCK", 16)
    sets = {"a": made_pairs(1, 75, "a")}
    sets["b"] = made_pairs(2, 20, "b", sets["a"].targets)
    labels = {name: label_set(pairs, 50) for name, pairs in sets.items()}
    data = encode(sets, labels, {"a": 50, "b": 50}, {"seed": 3})
    found = decode(data, sets)
    assert list(found) == ["a", "b"]
    assert all(same(found[name], labels[name]) for name in sets)
    assert data == encode(sets, labels, {"a": 50, "b": 50}, {"seed": 3})
    header = read_header(data)
    assert header["meta"] == {"seed": 3}
    assert header["sets"]["a"]["pairs"] == 75
    assert header["sets"]["a"]["certified"] == labels["a"].certified.sum()
    assert header["sets"]["b"]["node_limit"] == 50


def test_a_slice_of_a_set_reads_like_the_set_itself() -> None:
    whole = made_pairs(3, 40)
    labels = label_set(whole, 50)
    data = encode({"made": whole}, {"made": labels}, {"made": 50})
    longer = GraphSet.concat([made_pairs(4, 5).queries, whole.queries])[5:]
    assert longer.node_offsets[0] != 0
    again = SampledSet("made", longer, whole.targets, whole.index)
    assert same(decode(data, {"made": again})["made"], labels)


def test_other_pairs_get_no_labels() -> None:
    pairs = made_pairs(5, 30)
    data = encode({"made": pairs}, {"made": label_set(pairs, 5)}, {"made": 5})
    assert decode(data, {"made": made_pairs(6, 30)}) == {}
    turned = SampledSet("made", pairs.queries, pairs.targets, pairs.index[::-1].copy())
    assert decode(data, {"made": turned, "unknown": pairs}) == {}
    assert decode(data, {}) == {}


def test_labels_that_do_not_fit_are_refused() -> None:
    pairs = made_pairs(7, 12)
    good = label_set(pairs, 5)
    beyond = good.mapping.copy()
    beyond[3, 0] = 99
    past_the_query = good.mapping.copy()
    short = int(np.argmin(pairs.queries.num_nodes))
    past_the_query[short, -1] = 0
    for bad in (
        Labels(good.lower[1:], good.upper[1:], good.mapping[1:]),
        Labels(good.upper + 1, good.upper, good.mapping),
        Labels(good.lower, good.upper, beyond),
        Labels(good.lower, good.upper, past_the_query),
        Labels(good.lower, good.upper, good.mapping[:, :-1]),
    ):
        with pytest.raises(OptionError, match="of made"):
            encode({"made": pairs}, {"made": bad}, {"made": 5})


def test_damage_is_one_clear_line() -> None:
    pairs = made_pairs(8, 30)
    labels = label_set(pairs, 5)
    data = encode({"made": pairs}, {"made": labels}, {"made": 5})
    for position in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[position] ^= 0x10
        with pytest.raises(FormatError) as problem:
            decode(bytes(damaged), {"made": pairs})
        assert "\n" not in str(problem.value)
    for length in (0, 10, len(label_codec.MAGIC) + 4, 60, len(data) - 1):
        with pytest.raises(FormatError):
            decode(data[:length], {"made": pairs})


def test_a_mapping_near_its_neighbours_takes_few_bits() -> None:
    """Queries cut out of their targets, so every image but the first is a neighbour's neighbour."""
    rng = random.Random(9)
    targets = GraphSet(random_graph(rng, 60, 0.05) for _ in range(40))
    chosen, index, images = [], [], []
    for j, target in enumerate(targets):
        network = as_networkx(target)
        for centre in range(60):
            nodes = list(nx.ego_graph(network, centre, 2))[:9]
            if len(nodes) == 9:
                rng.shuffle(nodes)
                index.append((len(chosen), j))
                chosen.append(target.subgraph(nodes))
                images.append(nodes)
    pairs = SampledSet("near", GraphSet(chosen), targets, np.array(index))
    zeros = np.zeros(len(chosen), dtype=np.int32)
    labels = Labels(zeros, zeros, np.array(images, dtype=np.int32))
    data = encode({"near": pairs}, {"near": labels}, {"near": 0})
    assert same(decode(data, {"near": pairs})["near"], labels)
    bits = 8 * len(data) / labels.mapping.size
    assert len(chosen) > 1000
    assert bits < 0.6 * np.log2(60), bits  # plain node numbers cannot take less than log2(60)


@given(graph_lists(min_size=1, text=True))
def test_breadth_first_against_networkx(graphs: list) -> None:
    every = GraphSet(graphs)
    width = int(every.num_nodes.max())
    order, parents = breadth_first(Adjacency.of(every), np.arange(len(every)), width)
    for graph, nodes, above in zip(graphs, order.tolist(), parents.tolist(), strict=True):
        size = len(graph)
        assert sorted(nodes[:size]) == list(range(size))
        assert nodes[size:] == above[size:] == [-1] * (width - size)
        expected: dict[int, int] = {}
        network = as_networkx(graph)
        for start in range(size):
            if start not in expected:
                expected[start] = -1
                sorted_edges = nx.bfs_edges(network, start, sort_neighbors=sorted)
                expected.update((child, parent) for parent, child in sorted_edges)
        assert list(expected.items()) == list(zip(nodes[:size], above[:size], strict=True))


@given(graph_lists(min_size=1, text=True))
def test_adjacency_against_networkx(graphs: list) -> None:
    lists = Adjacency.of(GraphSet(graphs))
    for i, graph in enumerate(graphs):
        network = as_networkx(graph)
        for v in range(len(graph)):
            owner, found = lists.around(np.array([lists.offsets[i] + v]))
            assert found.tolist() == sorted(network[v])
            assert owner.tolist() == [0] * len(found)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 2**32 - 1)), max_size=30), st.integers(1, 7))
def test_streams_keep_the_order_within_a_context(numbers: list[tuple[int, int]], chunk: int) -> None:
    contexts, values = (np.array([n[k] for n in numbers], dtype=np.int64) for k in (0, 1))
    writer = StreamWriter()
    writer.add(contexts, values)
    data = writer.to_bytes()
    reader = StreamReader(b"front" + data + b"back", 5)
    assert reader.stop == 5 + len(data)
    parts = [reader.take(contexts[k : k + chunk]) for k in range(0, len(numbers), chunk)]
    assert np.concatenate([*parts, values[:0]]).tolist() == values.tolist()
    with pytest.raises(FormatError, match="too early"):
        reader.take(np.array([0]))
