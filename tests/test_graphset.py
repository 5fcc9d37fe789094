"""GraphSet: the same graphs come out that went in, from memory, slices and files; damage is named."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune4sed import Graph, GraphSet
from prune4sed.errors import FormatError, GraphError, GraphTypeError
from strategies import graph_lists, same

A = Graph(["C", "O"], [(0, 1)], id="a")
B = Graph(["N", "C", "C"], [(2, 0), (1, 2)])
C = Graph([], [])
SET = GraphSet([A, B, C, A])


@given(graph_lists())
def test_gives_back_what_it_was_given(graphs: list[Graph]) -> None:
    lib = GraphSet(graphs)
    assert len(lib) == len(graphs)
    assert all(same(x, y) for x, y in zip(lib, graphs, strict=True))
    assert lib.num_nodes.tolist() == [g.num_nodes for g in graphs]
    assert lib.num_edges.tolist() == [g.num_edges for g in graphs]
    assert list(lib.ids) == [str(i) if g.id is None else g.id for i, g in enumerate(graphs)]


@settings(max_examples=40)
@given(graphs=graph_lists())
def test_file_round_trip(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("set") / "set.arrow"
    lib = GraphSet(graphs)
    lib.save(path)
    again = GraphSet.load(path).validate()
    assert len(again) == len(graphs)
    assert all(same(x, y) for x, y in zip(again, graphs, strict=True))
    assert again.ids == lib.ids
    assert again.node_vocabulary == lib.node_vocabulary


@given(graph_lists(min_size=1), st.data())
def test_slices_are_those_of_a_list(graphs: list[Graph], data: st.DataObject) -> None:
    lib = GraphSet(graphs)
    key = data.draw(st.slices(len(graphs)))
    part = lib[key]
    assert all(same(x, y) for x, y in zip(part, graphs[key], strict=True))
    inner = data.draw(st.slices(len(part)))
    assert all(same(x, y) for x, y in zip(part[inner], graphs[key][inner], strict=True))
    chosen = data.draw(st.lists(st.sampled_from(range(-len(graphs), len(graphs)))))
    assert all(same(x, graphs[i]) for x, i in zip(lib[chosen], chosen, strict=True))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(lib), max_size=len(lib))))
    assert all(same(x, graphs[i]) for x, i in zip(lib[mask], np.flatnonzero(mask), strict=True))


@settings(max_examples=40)
@given(graphs=graph_lists(min_size=2), data=st.data())
def test_a_slice_is_saved_alone(
    graphs: list[Graph], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    start = data.draw(st.integers(0, len(graphs)))
    path = tmp_path_factory.mktemp("set") / "part.arrow"
    GraphSet(graphs)[start:].save(path)
    loaded = GraphSet.load(path)
    assert all(same(x, y) for x, y in zip(loaded.validate(), graphs[start:], strict=True))
    assert all(same(x, y) for x, y in zip(loaded[1:], graphs[start + 1 :], strict=True))
    assert len(loaded.node_labels) == sum(g.num_nodes for g in graphs[start:])


def test_slices_share_memory(tmp_path: Path) -> None:
    SET.save(tmp_path / "s.arrow")
    for lib in (SET, GraphSet.load(tmp_path / "s.arrow")):
        part = lib[1:3]
        for name in ("node_offsets", "node_labels", "edge_offsets", "edges"):
            assert np.shares_memory(getattr(part, name), getattr(lib, name)), name
            assert not getattr(part, name).flags.writeable
        assert part.node_offsets[0] == 2
        assert part.node_offsets.dtype == part.edge_offsets.dtype == np.int64
        assert part.node_labels.dtype == part.edges.dtype == np.int32
        assert part.edges.flags.c_contiguous


def test_indexing() -> None:
    assert SET[-1] == A
    assert SET[np.int64(1)] == B
    assert A in SET
    for i in (4, -5):
        with pytest.raises(IndexError, match=f"graph {i} does not exist: the set has 4 graphs"):
            SET[i]
    for key in ("a", 1.5, [0.5], None):
        with pytest.raises(GraphTypeError):
            SET[key]  # type: ignore[call-overload]
    with pytest.raises(GraphError, match="mask"):
        SET[np.array([True])]


def test_ids_of_slices() -> None:
    assert list(SET.ids) == ["a", "1", "2", "a"]
    assert list(SET[1:].ids) == ["0", "1", "a"]
    assert (SET[0].id, SET[1].id) == ("a", None)
    assert SET.ids[-1] == "a"
    assert SET.ids[1:3] == ["1", "2"]


def test_mixed_graphs_are_refused_by_position() -> None:
    with pytest.raises(GraphError, match="graph 2 has integer labels, but graph 1 has string labels"):
        GraphSet([C, A, Graph([1])])
    with pytest.raises(GraphError, match="graph 1 has some, but graph 0 has no edge labels"):
        GraphSet([A, Graph(["C", "O"], [(0, 1)], ["x"])])
    with pytest.raises(GraphTypeError, match="item 1 is a str, not a Graph"):
        GraphSet([A, "CCO"])  # type: ignore[list-item]
    with pytest.raises(GraphTypeError, match="made from graphs, not from 5"):
        GraphSet(5)  # type: ignore[arg-type]


def test_edgeless_graphs_fit_either_kind() -> None:
    lib = GraphSet([Graph(["C"]), Graph(["C", "O"], [(0, 1)], ["double"]), Graph(["C"], [], [])])
    assert lib.edge_vocabulary == ("double",)
    assert lib[0] == lib[2] == Graph(["C"])
    assert GraphSet([Graph(["C"]), A, Graph(["C"], [], [])]).edge_vocabulary is None


def test_large_sets_are_built_in_pieces() -> None:
    rng = random.Random(1)
    graphs = [Graph([str(rng.randrange(50))] * 2, [(0, 1)], [i % 7], id=f"g{i}") for i in range(40_000)]
    lib = GraphSet(iter(graphs))
    assert lib.node_vocabulary == tuple(sorted({g.labels[0] for g in graphs}))
    assert all(same(lib[i], graphs[i]) for i in range(0, 40_000, 97))
    with pytest.raises(GraphError, match="edge labels"):
        GraphSet([*graphs, Graph(["1", "2"], [(0, 1)])])


@given(graph_lists(text=True), graph_lists(text=True))
def test_concat(one: list[Graph], two: list[Graph]) -> None:
    kinds = {g.edge_labels is not None for g in (*one, *two) if g.edges}
    if len(kinds) > 1:
        with pytest.raises(GraphError):
            GraphSet.concat([GraphSet(one), GraphSet(two)])
    else:
        both = GraphSet.concat([GraphSet(one), GraphSet(two)])
        assert all(same(x, y) for x, y in zip(both, one + two, strict=True))


def test_without_edge_labels() -> None:
    lib = GraphSet([Graph([1, 2], [(0, 1)], [3])])
    assert lib.without_edge_labels()[0] == Graph([1, 2], [(0, 1)])
    assert lib[0].edge_labels == (3,)


# -- from_arrays ---------------------------------------------------------------------------------------------


@given(graph_lists())
def test_from_arrays_takes_its_own_arrays(graphs: list[Graph]) -> None:
    lib = GraphSet(graphs)
    again = GraphSet.from_arrays(
        lib.node_offsets,
        lib.node_labels,
        lib.edge_offsets,
        lib.edges,
        node_vocabulary=lib.node_vocabulary,
        edge_labels=lib.edge_label_codes,
        edge_vocabulary=lib.edge_vocabulary,
        ids=[g.id for g in graphs],
    )
    assert all(same(x, y) for x, y in zip(again, graphs, strict=True))


def test_from_arrays_without_a_vocabulary_has_integer_labels() -> None:
    lib = GraphSet.from_arrays([0, 2, 3], [9, 7, 9], [0, 1, 1], [[0, 1]], edge_labels=[-4])
    assert (lib[0].labels, lib[1].labels, lib[0].edge_labels) == ((9, 7), (9,), (-4,))


GOOD: dict[str, Any] = {
    "node_offsets": [0, 2, 5],
    "node_labels": [0, 1, 0, 0, 1],
    "edge_offsets": [0, 1, 3],
    "edges": [[0, 1], [0, 1], [2, 1]],
    "node_vocabulary": ["C", "O"],
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"edges": [[0, 1], [0, 1], [3, 1]]}, "graph 1: edge 1 is (3, 1), but node 3 does not exist"),
        ({"edges": [[0, -1], [0, 1], [2, 1]]}, "graph 0: edge 0 is (0, -1)"),
        ({"edges": [[0, 1], [0, 1], [1, 0]]}, "graph 1: edge 1 (1, 0) repeats edge 0"),
        ({"edges": [[0, 1], [0, 1], [1, 1]]}, "graph 1: edge 1 (1, 1) is a self-loop"),
        ({"node_labels": [0, 1, 0, 2, 1]}, "graph 1: the label of node 1 is number 2 of a vocabulary of 2"),
        ({"node_labels": [-1, 1, 0, 0, 1]}, "graph 0: the label of node 0 is number -1"),
        ({"node_offsets": [0, 2, 6]}, "graph 1: its nodes are said to be 2 to 6 of 5"),
        ({"node_offsets": [2, 0, 5]}, "graph 0: its nodes are said to be 2 to 0"),
        ({"edge_offsets": [0, 1]}, "3 node offsets but 2 edge offsets"),
        ({"node_offsets": []}, "node_offsets is empty"),
        ({"edges": [0, 1, 2]}, "edges must have shape (n, 2)"),
        ({"node_labels": [0.5] * 5}, "node_labels must hold integers"),
        ({"node_labels": [2**40] * 5}, "do not fit in 32 bits"),
        ({"node_vocabulary": ["C", "C"]}, "lists 'C' more than once"),
        ({"node_vocabulary": ["C", 1]}, "labels mix strings and integers"),
        ({"edge_labels": [0], "edge_vocabulary": ["x"]}, "1 edge labels for 3 edges"),
        ({"ids": ["a"]}, "1 ids were given for 2 graphs"),
        ({"ids": ["a", 2]}, "the id of graph 1 is 2"),
    ],
)
def test_from_arrays_names_the_offender(change: dict[str, Any], words: str) -> None:
    assert len(GraphSet.from_arrays(**GOOD)) == 2
    with pytest.raises(GraphError) as caught:
        GraphSet.from_arrays(**{**GOOD, **change})
    assert words in str(caught.value)


def test_repeats_are_found_in_graphs_too_large_for_one_key() -> None:
    n = 2**31 - 1  # such a graph is never made here: only its offsets say so
    from prune4sed.arrays import GraphArrays, _bad_edges_of, offsets_of
    from prune4sed.ids import Ids

    def arrays(edges: list[list[int]]) -> GraphArrays:
        ends = np.array(edges, dtype=np.int32)
        return GraphArrays(
            offsets_of([n, n]),
            np.zeros(0, np.int32),
            offsets_of([1, len(edges) - 1]),
            ends,
            None,
            (0,),
            None,
            Ids(2),
        )

    assert _bad_edges_of(arrays([[0, n - 1], [0, n - 1], [1, 2]])) is None
    assert _bad_edges_of(arrays([[0, n - 1], [n - 1, 5], [5, n - 1]])) == 1


# -- files ---------------------------------------------------------------------------------------------------


def test_another_arrow_reader_agrees(tmp_path: Path) -> None:
    """The layout as documented, read by pyarrow alone."""
    path = tmp_path / "s.arrow"
    GraphSet([Graph(["C", "O"], [(0, 1)], ["x"], "a"), Graph(["O"])]).save(path)
    table = pa.ipc.open_file(path).read_all()
    assert table.to_pydict() == {
        "labels": [[0, 1], [1]],
        "edges": [[[0, 1]], []],
        "edge_labels": [[0], []],
        "id": ["a", None],
    }
    metadata = {key.decode(): value.decode() for key, value in table.schema.metadata.items()}
    assert metadata["format"] == "prune4sed.graphset"
    assert metadata["version"] == "1"
    assert json.loads(metadata["node_labels"]) == ["C", "O"]
    assert json.loads(metadata["edge_labels"]) == ["x"]


def _write(path: Path, columns: dict[str, Any], metadata: dict[str, str], batches: int = 1) -> Path:
    batch = pa.record_batch(columns).replace_schema_metadata(metadata)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, batch.schema) as writer:
        for _ in range(batches):
            writer.write_batch(batch)
    return path


META = {"format": "prune4sed.graphset", "version": "1", "node_labels": '["C", "O"]', "edge_labels": "null"}
LABELS = pa.array([[0, 1], [1]], pa.large_list(pa.int32()))
EDGES = pa.array([[[0, 1]], []], pa.large_list(pa.list_(pa.int32(), 2)))
FINE = {"labels": LABELS, "edges": EDGES}


@pytest.mark.parametrize(
    ("columns", "metadata", "words"),
    [
        (FINE, {**META, "format": "other"}, "not one that GraphSet.save wrote"),
        (FINE, {}, "not one that GraphSet.save wrote"),
        (FINE, {**META, "version": "2"}, "version 2 of the GraphSet format; this prune4sed reads version 1"),
        (FINE, {**META, "node_labels": "[1, 1]"}, "vocabulary is damaged"),
        (FINE, {**META, "node_labels": "{"}, "vocabulary is damaged"),
        (FINE, {**META, "node_labels": "5"}, "vocabulary is damaged"),
        ({"labels": LABELS}, META, "column 'edges' is missing"),
        ({"labels": EDGES, "edges": EDGES}, META, "column 'labels' is"),
        ({**FINE, "edge_labels": LABELS}, META, "the edge labels do not fit the edges"),
        ({"labels": pa.array([None, [1]], LABELS.type), "edges": EDGES}, META, "never null"),
    ],
)
def test_wrong_files(tmp_path: Path, columns: dict[str, Any], metadata: dict[str, str], words: str) -> None:
    assert len(GraphSet.load(_write(tmp_path / "fine.arrow", FINE, META))) == 2
    path = _write(tmp_path / "x.arrow", columns, metadata)
    with pytest.raises(FormatError) as caught:
        GraphSet.load(path)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_other_wrong_files(tmp_path: Path) -> None:
    (tmp_path / "empty.arrow").write_bytes(b"")
    (tmp_path / "text.arrow").write_text("CCO ethanol\n" * 100)
    (tmp_path / "folder.arrow").mkdir()
    _write(tmp_path / "two.arrow", FINE, META, batches=2)
    for name in ("empty", "text", "folder", "two", "missing"):
        with pytest.raises(FormatError) as caught:
            GraphSet.load(tmp_path / f"{name}.arrow")
        assert f"{name}.arrow" in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "edges"),
    [([[0, 9], [1]], [[[0, 1]], []]), ([[0, -1], [1]], [[[0, 1]], []]), ([[0, 1], [1]], [[[0, 2]], []])],
)
def test_bad_numbers_in_a_file_are_found_when_touched(tmp_path: Path, labels: Any, edges: Any) -> None:
    columns = {"labels": pa.array(labels, LABELS.type), "edges": pa.array(edges, EDGES.type)}
    lib = GraphSet.load(_write(tmp_path / "x.arrow", columns, META))
    assert lib[1] == Graph(["O"])
    for touch in (lambda: lib[0], lib.validate, lambda: lib[[0]], lambda: GraphSet.concat([lib])):
        with pytest.raises(FormatError, match="graph 0: "):
            touch()
    assert lib[1:].validate()[0] == Graph(["O"])


def test_damaged_files_never_crash(tmp_path: Path) -> None:
    """Flip bytes and cut at random: every outcome is a set that can be walked or a FormatError."""
    path = tmp_path / "x.arrow"
    GraphSet([Graph(["C", "O", "N"], [(0, 1), (1, 2)], ["x", "y"], id=f"g{i}") for i in range(20)]).save(path)
    good = path.read_bytes()
    rng = random.Random(0)
    fine, refusals = 0, []
    for _ in range(1500):
        data = bytearray(good)
        for _ in range(rng.choice([1, 1, 4])):
            data[rng.randrange(len(data))] = rng.randrange(256)
        path.write_bytes(data[: rng.randrange(len(data))] if rng.random() < 0.2 else data)
        try:
            lib = GraphSet.load(path)
            for graph in lib:
                assert isinstance(graph, Graph)
            assert all(isinstance(name, str) for name in lib.ids)
            lib.validate()
            fine += 1
        except FormatError as error:
            refusals.append(str(error))
    assert min(fine, len(refusals)) > 50
    assert not [text for text in refusals if "\n" in text]


def test_saving_is_all_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "s.arrow"
    SET.save(path)
    before = path.read_bytes()

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FormatError, match="No space left"):
        SET[:1].save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["s.arrow"]


def test_saving_to_impossible_places(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="No such file or directory"):
        SET.save(tmp_path / "no" / "x.arrow")
    with pytest.raises(FormatError, match="it is a folder"):
        SET.save(tmp_path)


def test_saving_over_the_file_it_came_from(tmp_path: Path) -> None:
    path = tmp_path / "s.arrow"
    SET.save(path)
    lib = GraphSet.load(path)
    lib[1:].save(path)
    assert list(lib) == [A, B, C, A]
    assert list(GraphSet.load(path)) == [B, C, A]


def test_same_graphs_same_bytes(tmp_path: Path) -> None:
    GraphSet([A, B]).save(tmp_path / "1.arrow")
    GraphSet([A, B]).save(tmp_path / "2.arrow")
    assert (tmp_path / "1.arrow").read_bytes() == (tmp_path / "2.arrow").read_bytes()


def test_repr() -> None:
    assert repr(GraphSet([A])) == "GraphSet(1 graph, 2 nodes and 1 edges on average, 2 labels)"
    assert repr(GraphSet([])) == "GraphSet(0 graphs)"
    assert repr(SET.ids) == "Ids(['a', '1', '2', 'a'])"
