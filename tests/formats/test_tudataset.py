"""TUDataset folders and zips: the real AIDS set where there is a mirror, a made one everywhere."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings

from prune4sed import Graph, read_graphs, write_graphs
from prune4sed.errors import FormatError
from strategies import graph_lists

FILES = {
    "A": "1, 2\n2, 1\n2, 3\n3, 2\n5, 4\n4, 5\n",
    "graph_indicator": "1\n1\n1\n2\n2\n",
    "node_labels": "0\n3\n0\n1\n1\n",
    "edge_labels": "1\n1\n2\n2\n0\n0\n",
    "graph_labels": "1\n-1\n",
}


def make(folder: Path, **changes: str | None) -> Path:
    folder.mkdir(exist_ok=True)
    for part, text in {**FILES, **changes}.items():
        if text is not None:
            (folder / f"DS_{part}.txt").write_text(text)
    return folder


def test_folder(tmp_path: Path) -> None:
    lib = read_graphs(make(tmp_path / "DS"))
    assert list(lib) == [Graph([0, 3, 0], [(0, 1), (1, 2)], [1, 2]), Graph([1, 1], [(0, 1)], [0])]
    assert lib[1].edges == ((1, 0),)
    assert read_graphs(tmp_path / "DS", edge_labels=False)[1] == Graph([1, 1], [(0, 1)])


def test_without_labels(tmp_path: Path) -> None:
    lib = read_graphs(make(tmp_path / "DS", node_labels=None, edge_labels=None))
    assert list(lib) == [Graph([0, 0, 0], [(0, 1), (1, 2)]), Graph([0, 0], [(0, 1)])]
    with pytest.raises(FormatError, match="edge labels were asked for, but its edges have none"):
        read_graphs(tmp_path / "DS", edge_labels=True)


def test_nodes_in_any_order(tmp_path: Path) -> None:
    lib = read_graphs(
        make(tmp_path / "DS", graph_indicator="1\n2\n1\n2\n2\n", A="1,3\n2 4\n", edge_labels=None)
    )
    assert list(lib) == [Graph([0, 0], [(0, 1)]), Graph([3, 1, 1], [(0, 1)])]


@pytest.mark.parametrize(
    ("part", "text", "words"),
    [
        ("A", "1, 2\nx, 1\n", "DS_A.txt:2: expected two integers, found 'x  1'"),
        ("A", "1, 2, 3\n1\n", "DS_A.txt:1: expected two integers"),
        ("A", "1, 2\n2, 6\n", "DS_A.txt:2: expected two nodes from 1 to 5"),
        ("A", "1, 2\n0, 1\n", "DS_A.txt:2: expected two nodes from 1 to 5"),
        ("A", "1, 2\n3, 4\n", "DS_A.txt:2: this edge joins two different graphs"),
        ("A", "1, 2\n3, 3\n", "DS_A.txt:2: this edge is a self-loop"),
        (
            "edge_labels",
            "1\n0\n2\n2\n0\n0\n",
            "DS_edge_labels.txt:2: the other direction of this edge has another label",
        ),
        ("edge_labels", "1\n", "DS_edge_labels.txt: expected 6 lines, found 1"),
        ("node_labels", "1\n2\n", "DS_node_labels.txt: expected 5 lines, found 2"),
        (
            "graph_indicator",
            "1\n1\n1\n2\n99999999999\n",
            "DS_graph_indicator.txt:5: this graph number exceeds",
        ),
        ("graph_indicator", "0\n1\n1\n2\n2\n", "DS_graph_indicator.txt:1: expected graph numbers from 1"),
        ("graph_indicator", "", "there are no graphs in it"),
        ("A", "1, 99999999999999999999999\n", "DS_A.txt:1: expected two integers"),
    ],
)
def test_bad_files(tmp_path: Path, part: str, text: str, words: str) -> None:
    changes: dict[str, str | None] = {part: text}
    if part in ("A", "graph_indicator"):
        changes["edge_labels"] = None
    if text == "":
        changes["node_labels"] = None
    with pytest.raises(FormatError) as caught:
        read_graphs(make(tmp_path / "DS", **changes))
    assert words in str(caught.value)


def test_other_bad_sources(tmp_path: Path) -> None:
    (tmp_path / "not.zip").write_text("hello")
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with zipfile.ZipFile(tmp_path / "part.zip", "w") as archive:
        archive.writestr("DS/DS_A.txt", "1, 2\n")
    for name, words in [
        ("not.zip", "not a readable zip"),
        ("other.zip", "no files DS_A.txt in it"),
        ("part.zip", "there is no DS/DS_graph_indicator.txt in it"),
        ("missing.zip", "no such file"),
    ]:
        with pytest.raises(FormatError) as caught:
            read_graphs(tmp_path / name)
        assert words in str(caught.value)


@settings(max_examples=40)
@given(graphs=graph_lists(min_size=1, min_nodes=1, text=False))
def test_round_trip(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("tu") / "MINE.zip"
    write_graphs(graphs, path)
    assert list(read_graphs(path)) == graphs


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="hold integer labels, but node labels are strings"):
        write_graphs(Graph(["C"]), tmp_path / "x.zip")
    with pytest.raises(FormatError, match="graph 1 has no nodes"):
        write_graphs([Graph([1]), Graph([])], tmp_path / "x.zip")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif("PRUNE4SED_MIRROR" not in os.environ, reason="PRUNE4SED_MIRROR is not set")
def test_real_aids() -> None:
    path = Path(os.environ["PRUNE4SED_MIRROR"]) / "AIDS.zip"
    lib = read_graphs(path)
    # As published with the collection: 2,000 graphs, 15.69 nodes and 16.20 edges on average, 38 node labels.
    assert len(lib) == 2000
    assert round(float(lib.num_nodes.mean()), 2) == 15.69
    assert round(float(lib.num_edges.mean()), 2) == 16.20
    assert len(lib.node_vocabulary) == 38
    assert lib.edge_vocabulary == (0, 1, 2)
    with zipfile.ZipFile(path) as archive:
        lines = archive.read("AIDS/AIDS_A.txt").decode().splitlines()
        owner = list(map(int, archive.read("AIDS/AIDS_graph_indicator.txt").split()))
    ends = [tuple(map(int, line.split(","))) for line in lines]
    first = owner.index(1000)
    expected = {frozenset((u - 1 - first, v - 1 - first)) for u, v in ends if owner[u - 1] == 1000}
    assert {frozenset(edge) for edge in lib[999].edges} == expected
