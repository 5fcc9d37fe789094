"""JSON lines."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune4sed import Graph, GraphSet, read_graphs, write_graphs
from prune4sed.errors import FormatError
from strategies import NAMES, NUMBERS, graphs, same

ONE = {"id": "a", "labels": ["C", "O"], "edges": [[0, 1]], "edge_labels": [2]}


def read(text: str) -> GraphSet:
    return read_graphs(io.StringIO(text), "jsonl")


def test_lines() -> None:
    lib = read(json.dumps(ONE) + '\n\n{"labels": ["N"], "id": 7}\n')
    assert same(lib[0], Graph(["C", "O"], [(0, 1)], [2], "a"))
    assert same(lib[1], Graph(["N"], id="7"))


@pytest.mark.parametrize("text", [json.dumps([ONE]), json.dumps([ONE], indent=1), json.dumps(ONE, indent=2)])
def test_documents(text: str) -> None:
    assert same(read(text)[0], Graph(["C", "O"], [(0, 1)], [2], "a"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '{"labels": [1]}\n{"labels": [',
            '<input>:2: not JSON (Expecting value at column 13); expected {"labels"',
        ),
        ('{"nodes": [1]}', "<input>:1: this is no graph; expected"),
        ("5", "<input>:1: this is no graph"),
        ('{"labels": [true]}', "<input>:1: the label of node 0 is True"),
        ('{"labels": [1, 2], "edges": [[0, 2]]}', "<input>:1: edge 0 is (0, 2), but node 2 does not exist"),
        ('{"labels": 5}', "<input>:1: labels must be a sequence"),
        ('{"labels": [1], "id": [1]}', "<input>:1: id must be a string"),
        ('[{"labels": [1]}, 3]', "<input>: graph 1: this is no graph"),
        ("[\n{", "<input>:2: not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"labels":' + "[" * 100_000, "<input>:1: not JSON"),
    ],
)
def test_bad_lines(text: str, words: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(max_examples=50)
@given(lib=st.lists(graphs(NAMES, NUMBERS, st.none() | NAMES), min_size=1, max_size=4))
def test_round_trip(lib: list[Graph], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "x.jsonl"
    write_graphs(lib, path)
    assert all(same(a, b) for a, b in zip(read_graphs(path), lib, strict=True))
