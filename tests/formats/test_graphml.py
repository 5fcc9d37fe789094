"""GraphML, against networkx's own writer and reader."""

from __future__ import annotations

import io
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings

from prune4sed import Graph, GraphSet, read_graphs, write_graphs
from prune4sed.errors import FormatError, InputWarning
from strategies import graph_lists


def test_file_by_networkx(tmp_path: Path) -> None:
    G = nx.petersen_graph()
    nx.set_node_attributes(G, {n: f"n{n % 3}" for n in G}, "kind")
    nx.write_graphml(G, tmp_path / "x.graphml")
    g = read_graphs(tmp_path / "x.graphml", label="kind")[0]
    assert g == Graph.from_networkx(G, "kind")
    with pytest.warns(InputWarning, match=r"x.graphml: nodes have no attribute 'label', .* there are: kind$"):
        assert read_graphs(tmp_path / "x.graphml")[0].labels == (0,) * 10
    with pytest.raises(FormatError, match="no node of the networkx graph has an attribute 'knd'"):
        read_graphs(tmp_path / "x.graphml", label="knd")


def test_networkx_reads_ours(tmp_path: Path) -> None:
    write_graphs(Graph(["C", "O"], [(0, 1)], ["x"], "name"), tmp_path / "x.graphml")
    G = nx.read_graphml(tmp_path / "x.graphml")
    assert dict(G.nodes(data="label")) == {"0": "C", "1": "O"}
    assert [name for _, _, name in G.edges(data="label")] == ["x"]


@settings(max_examples=40)
@given(graphs=graph_lists(min_size=1))
def test_round_trip(graphs: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("graphml") / "x.graphml.gz"
    write_graphs(graphs, path)
    lib = read_graphs(path)
    assert list(lib) == graphs
    assert lib.ids == GraphSet(graphs).ids


def read(text: str) -> GraphSet:
    return read_graphs(io.StringIO(text), "graphml")


NS = 'xmlns="http://graphml.graphdrawing.org/xmlns"'


def document(inside: str, kind: str = "undirected") -> str:
    return f'<graphml {NS}><graph edgedefault="{kind}">{inside}</graph></graphml>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<graphml", ":1: not XML"),
        ("hello", ":1: not XML"),
        ("", ":1: not XML"),
        ("<html></html>", "there are no graphs in it"),
        (f"<graphml {NS}></graphml>", "there are no graphs in it"),
        ("<graphml><graph/></graphml>", "no GraphML namespace"),
        (document('<node id="a"/><node id="b"/><edge source="a" target="b"/>', "directed"), "directed"),
        (document('<node id="a"/><edge source="a" target="a"/>'), "self-loop"),
        (document('<node/><edge source="a"/>'), "an edge ends at node 'a', which is not declared"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "XML entities are not read"),
    ],
)
def test_bad_files(text: str, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot be written in GraphML"):
        write_graphs(Graph(["\x00"]), tmp_path / "x.graphml")
    assert list(tmp_path.iterdir()) == []
