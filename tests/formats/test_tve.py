"""t/v/e text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from prune4sed import Graph, GraphSet, read_graphs, write_graphs
from prune4sed.errors import FormatError
from strategies import graph_lists


def read(text: str) -> GraphSet:
    return read_graphs(io.StringIO(text), "tve")


def test_as_gspan_writes_it() -> None:
    lib = read("t # 0\nv 0 2\nv 1 3\ne 0 1 7\n\nt # 1 * 12\nv 0 2\nt # -1\n")
    assert list(lib) == [Graph([2, 3], [(0, 1)], [7]), Graph([2])]
    assert list(lib.ids) == ["0", "1"]


def test_names_and_unlabelled_edges() -> None:
    lib = read("% comment\nt # benzene ring\nv 0 C\nv 1 2\ne 1 0\nt\nv 0 O\n")
    assert lib[0] == Graph(["C", "2"], [(0, 1)])
    assert (lib[0].id, lib[1].id) == ("benzene ring", None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("v 0 C\n", ":1: expected 't # id' before 'v 0 C'"),
        ("t # 0\nv 1 C\n", ":2: expected 'v 0 LABEL', found 'v 1 C'"),
        ("t # 0\nv 0\n", ":2: expected 'v 0 LABEL'"),
        ("t # 0\nv 0 C C\n", ":2: expected 'v 0 LABEL'"),
        ("t # 0\nv 0 C\nv 1 C\ne 0 x\n", ":4: expected 'e NODE NODE [LABEL]', found 'e 0 x'"),
        (
            "t # 0\nv 0 C\nv 1 C\nv 2 C\ne 0 1\ne 1 2 x\n",
            ":6: expected a label on every edge of a graph or on none",
        ),
        ("t # 0\nq\n", ":2: expected a line that starts with t, v or e, found 'q'"),
        ("t # 0\nv 0 C\n\nt # 1\nv 0 C\ne 0 1\n", ":6: edge 0 is (0, 1), but node 1 does not exist"),
        ("t # 0\nv 0 C\nv 1 C\n# so far so good\ne 0 1\ne 1 1\n", ":6: edge 1 (1, 1) is a self-loop"),
        ("t # 0\nv 0 C\nv 1 C\ne 0 1\n\ne 1 0\ne 0 1\n", ":6: edge 1 (1, 0) repeats edge 0"),
        (
            "t # 0\nv 0 C\nv 1 C\ne 0 1\nt # 1\nv 0 C\nv 1 C\ne 0 1 x\n",
            "graph 1 has some, but graph 0 has no edge labels",
        ),
    ],
)
def test_bad_lines(text: str, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert words in str(caught.value)


def test_skipping() -> None:
    lib = read_graphs(io.StringIO("t # 0\nv 1 C\nv 2 C\nt # 1\nv 0 C\n"), "tve", on_error="skip")
    assert (len(lib), len(lib.problems)) == (1, 1)


@settings(max_examples=50)
@given(graphs=graph_lists(min_size=1))
def test_round_trip(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("tve") / "x.tve"
    lib = GraphSet(graphs)
    assume("-1" not in lib.ids)  # the mark of the end in this format
    write_graphs(lib, path)
    again = read_graphs(path)
    assert again.ids == lib.ids
    for a, b in zip(again, graphs, strict=True):
        assert a.edges == b.edges
        # Labels that are all numbers come back as numbers: the text does not tell them apart.
        assert list(map(str, a.labels)) == list(map(str, b.labels))
        assert list(map(str, a.edge_labels or ())) == list(map(str, b.edge_labels or ()))


@pytest.mark.parametrize(
    "graph",
    [Graph(["a b"]), Graph([""]), Graph(["C"], id="two  spaces"), Graph(["C"], id=""), Graph(["C"], id="-1")],
)
def test_what_cannot_be_written(graph: Graph, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be written in t/v/e text"):
        write_graphs(graph, tmp_path / "x.tve")
    assert list(tmp_path.iterdir()) == []
