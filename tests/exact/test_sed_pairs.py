"""sed_pairs: the same as sed pair by pair, from any kind of set, with progress, on any number of threads."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from effort import cases
from oracles import brute_force, costs, graphs
from prune4sed.errors import FormatError, GraphError, OptionError
from prune4sed.exact.costs import EditCosts
from prune4sed.exact.engine import sed, sed_pairs
from prune4sed.exact.table import SedTable
from prune4sed.graph import Graph
from prune4sed.graphset import GraphSet
from random_graphs import hard_pair, random_graph


def library(seed: int, count: int, nodes: int = 8, labels: int = 3, edge_labels: int = 0) -> list[Graph]:
    rng = random.Random(seed)
    return [random_graph(rng, rng.randint(0, nodes), 0.35, labels, edge_labels) for _ in range(count)]


def check(table: SedTable, pairs: list[tuple[Graph, Graph]], **options: Any) -> None:
    """Row by row what `sed` says."""
    assert len(table) == len(pairs)
    for k, (q, t) in enumerate(pairs):
        result = sed(q, t, time_limit=None, **options)
        assert (table.lower[k], table.upper[k]) == (result.lower, result.upper)
        assert table.certified[k] == result.certified
        row = [-1 if v is None else v for v in result.mapping]
        assert table.mapping[k].tolist() == row + [-1] * (table.mapping.shape[1] - len(q))
        assert table.nodes[k] == result.nodes


@settings(max_examples=cases(60))
@given(
    st.sampled_from([None, ("x", "y")]).flatmap(
        lambda bonds: st.tuples(
            st.lists(graphs(4, edge_alphabet=bonds), min_size=1, max_size=4),
            st.lists(graphs(5, edge_alphabet=bonds), min_size=1, max_size=4),
        )
    ),
    costs(),
)
def test_all_against_all(sets: tuple[list[Graph], list[Graph]], prices: EditCosts) -> None:
    queries, targets = sets
    index = [(i, j) for i in range(len(queries)) for j in range(len(targets))]
    table = sed_pairs(queries, targets, index, time_limit=None, costs=prices)
    truth = [brute_force(queries[i], targets[j], prices) for i, j in index]
    assert table.upper.tolist() == pytest.approx(truth, rel=1e-9)
    check(table, [(queries[i], targets[j]) for i, j in index], costs=prices)


def test_one_query_meets_every_target_and_equals_are_paired() -> None:
    queries, targets = library(1, 6), library(2, 6)
    check(sed_pairs(queries[0], targets, time_limit=None), [(queries[0], t) for t in targets])
    check(sed_pairs(queries[:1], GraphSet(targets), time_limit=None), [(queries[0], t) for t in targets])
    check(sed_pairs(iter(queries), targets, time_limit=None), list(zip(queries, targets, strict=True)))
    check(sed_pairs(queries[3], targets[4], time_limit=None), [(queries[3], targets[4])])
    with pytest.raises(OptionError, match="6 queries and 5 targets"):
        sed_pairs(queries, targets[:5])
    with pytest.raises(OptionError, match="6 queries and 1 targets"):
        sed_pairs(queries, targets[:1])


@pytest.mark.parametrize(
    "index", [[(2, 0), (2, 0), (5, 3)], np.array([[2, 0], [2, 0], [5, 3]], dtype=np.uint8)]
)
def test_pairs_may_repeat_and_come_as_any_integers(index: Any) -> None:
    queries, targets = library(3, 6), library(4, 6)
    chosen = [(queries[2], targets[0]), (queries[2], targets[0]), (queries[5], targets[3])]
    check(sed_pairs(queries, targets, index, time_limit=None), chosen)


def test_nothing_to_compare() -> None:
    for table in (
        sed_pairs([], []),
        sed_pairs(library(1, 2), library(2, 2), []),
        sed_pairs(Graph(["C"]), []),
    ):
        assert len(table) == 0
        assert table.mapping.shape == (0, 0)
        assert (table.lower.dtype, table.certified.dtype, table.mapping.dtype) == (
            np.float64,
            np.bool_,
            np.int32,
        )


def test_slices_share_arrays_and_give_the_same() -> None:
    queries, targets = library(5, 12), library(6, 12)
    table = sed_pairs(GraphSet(queries)[4:9], GraphSet(targets)[2:7], time_limit=None)
    check(table, list(zip(queries[4:9], targets[2:7], strict=True)))
    table = sed_pairs(GraphSet(queries)[::3], GraphSet(targets)[[7, 1, 1, 0]], time_limit=None)
    check(table, list(zip(queries[::3], [targets[k] for k in (7, 1, 1, 0)], strict=True)))


def test_vocabularies_in_another_order() -> None:
    """The same labels get other codes in each set; only their names count."""
    a = Graph(["C", "N", "O"], [(0, 1), (1, 2)], ["single", "double"])
    b = Graph(["O", "N", "C"], [(0, 1), (1, 2)], ["double", "single"])
    odd = Graph(["X", "O"], [(0, 1)], ["triple"])
    queries, targets = GraphSet([a, b]), GraphSet([odd, b, a])
    assert queries.node_vocabulary != targets.node_vocabulary
    assert queries.edge_vocabulary != targets.edge_vocabulary
    table = sed_pairs(queries, targets, [(0, 1), (1, 2), (0, 2), (0, 0)], time_limit=None)
    assert table.upper.tolist() == [0, 0, 0, brute_force(a, odd)]


@pytest.mark.parametrize("edge_labels", [0, 2])
def test_sets_mapped_from_disk(tmp_path: Path, edge_labels: int) -> None:
    queries, targets = library(7, 20, edge_labels=edge_labels), library(8, 20, edge_labels=edge_labels)
    GraphSet(queries).save(tmp_path / "q.arrow")
    GraphSet(targets).save(tmp_path / "t.arrow")
    q, t = GraphSet.load(tmp_path / "q.arrow"), GraphSet.load(tmp_path / "t.arrow")
    check(sed_pairs(q, t, time_limit=None), list(zip(queries, targets, strict=True)))
    check(sed_pairs(q[5:11], t[9:15], time_limit=None), list(zip(queries[5:11], targets[9:15], strict=True)))


PATH = Graph([k % 3 for k in range(40)], [(k, k + 1) for k in range(39)])


def damage(path: Path, array: np.ndarray[Any, Any], position: int, value: int) -> None:
    """Overwrite one number of one array in a file."""
    data, spoilt = path.read_bytes(), array.copy()
    spoilt.reshape(-1)[position] = value
    assert data.count(array.tobytes()) == 1
    path.write_bytes(data.replace(array.tobytes(), spoilt.tobytes()))


@pytest.mark.parametrize("value", [-1, 40, 41, 10**9, 0])
def test_a_damaged_edge_is_named(tmp_path: Path, value: int) -> None:
    """Opening a file does not read it through, so the engine is the first to see."""
    path = tmp_path / "t.arrow"
    lib = GraphSet([PATH])
    lib.save(path)
    damage(path, lib.edges, 1, value)
    with pytest.raises(GraphError, match=r"pair 0 \(query 0, target 0\): edge 0") as caught:
        sed_pairs(PATH, GraphSet.load(path))
    assert "\n" not in str(caught.value)
    with pytest.raises(GraphError, match="edge 0"):
        sed_pairs(GraphSet.load(path), PATH)


@pytest.mark.parametrize("value", [-1, 3, 10**9])
def test_a_damaged_label_is_named(tmp_path: Path, value: int) -> None:
    path = tmp_path / "t.arrow"
    lib = GraphSet([PATH])
    lib.save(path)
    damage(path, lib.node_labels, 5, value)
    with pytest.raises(GraphError, match=f"node label code {value} is not in the vocabulary"):
        sed_pairs(PATH, GraphSet.load(path))


def test_random_damage_never_crashes(tmp_path: Path) -> None:
    """Any outcome but a crash or a stray exception: a table, or an error that says what is wrong."""
    path, rng = tmp_path / "x.arrow", random.Random(0)
    lib = GraphSet(library(9, 12, edge_labels=2))
    lib.save(path)
    good, outcomes = path.read_bytes(), {"fine": 0, "refused": 0}
    for _ in range(cases(400)):
        data = bytearray(good)
        for _ in range(rng.choice([1, 1, 4])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data)
        try:
            sed_pairs(lib[:1], GraphSet.load(path), node_limit=5)
            sed_pairs(GraphSet.load(path), lib, node_limit=5)
            outcomes["fine"] += 1
        except (GraphError, FormatError, OptionError):
            outcomes["refused"] += 1
    assert min(outcomes.values()) > 0


def test_progress_grows_and_ends_full() -> None:
    queries, targets = library(10, 200, nodes=14), library(11, 200, nodes=20)
    calls: list[tuple[int, int]] = []
    sed_pairs(queries, targets, time_limit=None, node_limit=200, progress=lambda *call: calls.append(call))
    done = [call[0] for call in calls]
    assert {call[1] for call in calls} == {200}
    assert done == sorted(done)
    assert done[-1] == 200
    assert all(0 <= k <= 200 for k in done)


def test_progress_is_called_while_a_pair_is_still_running() -> None:
    calls: list[tuple[int, int]] = []
    sed_pairs(*hard_pair(), time_limit=0.3, progress=lambda *call: calls.append(call))
    assert calls.count((0, 1)) >= 3
    assert calls[-1] == (1, 1)


class Stop(Exception):
    pass


@pytest.mark.parametrize("at", ["first", "last"])
def test_what_progress_raises_comes_through(at: str) -> None:
    def progress(done: int, total: int) -> None:
        if at == "first" or done == total:
            raise Stop(done)

    q, t = hard_pair()
    with pytest.raises(Stop):
        sed_pairs([q] * 4, [t] * 4, time_limit=60 if at == "first" else 0.1, progress=progress)


@pytest.mark.parametrize("chosen", [EditCosts(), EditCosts(edge_deletion=1 / 3)])
def test_finished_hands_over_every_row_once(chosen: EditCosts) -> None:
    queries, targets = library(21, 300, 9, 2), library(22, 300, 14, 2)
    seen: dict[int, tuple[float, float, list[int]]] = {}

    def keep(rows: NDArray[np.int64], table: SedTable) -> None:
        assert len(rows) == len(table)
        for i, row in enumerate(rows.tolist()):
            assert row not in seen
            seen[row] = (table.lower[i], table.upper[i], table.mapping[i].tolist())

    whole = sed_pairs(queries, targets, time_limit=None, node_limit=200, costs=chosen, finished=keep)
    assert sorted(seen) == list(range(300))
    for row, (lower, upper, mapping) in seen.items():
        assert (lower, upper, mapping) == (whole.lower[row], whole.upper[row], whole.mapping[row].tolist())


def test_a_value_error_of_the_caller_stays_one() -> None:
    def refuse(rows: NDArray[np.int64], table: SedTable) -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine") as caught:
        sed_pairs(*hard_pair(), time_limit=0.05, finished=refuse)
    assert not isinstance(caught.value, GraphError)


@pytest.mark.parametrize("edge_labels", [0, 2])
def test_the_number_of_threads_changes_nothing(edge_labels: int) -> None:
    queries, targets = library(12, 60, 9, 2, edge_labels), library(13, 60, 14, 2, edge_labels)
    tables = [sed_pairs(queries, targets, time_limit=None, node_limit=40, threads=n) for n in (1, 2, 7, None)]
    for table in tables[1:]:
        for column in ("lower", "upper", "certified", "mapping", "nodes"):
            assert np.array_equal(table[column], tables[0][column])


def test_the_time_limit_is_for_each_pair() -> None:
    q, t = hard_pair()
    table = sed_pairs([q] * 4, [t] * 4, time_limit=0.1, threads=2)
    assert not table.certified.any()
    assert ((table.seconds >= 0.09) & (table.seconds < 0.3)).all()


def test_a_threshold_in_bulk() -> None:
    queries, targets = library(14, 40), library(15, 40)
    table = sed_pairs(queries, targets, time_limit=None, threshold=2)
    truth = sed_pairs(queries, targets, time_limit=None).upper
    assert ((table.lower > 2) == (truth > 2)).all()
    assert (table.lower <= truth).all()
    assert (truth <= table.upper).all()


def test_memory_does_not_grow() -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process()
    queries, targets = GraphSet(library(16, 1000, 6)), GraphSet(library(17, 1000, 8))
    q, t = queries[1], targets[1]

    def bulk(rounds: int) -> int:
        for _ in range(rounds):
            sed_pairs(queries, targets, time_limit=None)
        return int(process.memory_info().rss)

    def single(rounds: int) -> int:
        for _ in range(rounds):
            sed(q, t, time_limit=None)
        return int(process.memory_info().rss)

    bulk(5), single(2000)  # first uses fill pools and caches
    before = bulk(1)
    assert bulk(20) - before < 4e6
    before = single(1)
    assert single(20_000) - before < 2e6
