"""Drawings of graphs and matches: every ring, line and word stands for what is in the data."""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("matplotlib")

import matplotlib
from matplotlib.colors import to_hex

from prune4sed.errors import FormatError, MissingExtraError, OptionError
from prune4sed.exact import EditCosts, SedResult
from prune4sed.exact.mip_f2 import mip_f2
from prune4sed.graph import Graph
from prune4sed.report.figures import save_figure
from prune4sed.report.graph_drawing import draw_graph, draw_match
from prune4sed.report.label_colours import EDITED, MATCHED, PALETTE
from prune4sed.report.marks import Marks
from prune4sed.report.match_facts import known_match, match_title, missing_edges

HEXAGON = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (0, 5)]
QUERY = Graph(["C", "C", "C", "C", "C", "O"], HEXAGON, id="ring")
TARGET = Graph(
    ["C", "C", "C", "C", "C", "N", "C", "O"], [*HEXAGON[:4], (4, 5), (5, 6), (6, 7)], id="chain of eight"
)
# Node 5 is relabelled from O to N, and edge 0-5 has no image.
MATCH = known_match(QUERY, TARGET, [0, 1, 2, 3, 4, 5], lower=2, upper=2)


def painted(axes: Any, name: str) -> Any:
    found = [c for c in axes.collections if c.get_gid() == name]
    assert len(found) == 1
    return found[0]


def dots(axes: Any, name: str) -> set[tuple[float, float]]:
    return {tuple(np.round(p, 9)) for p in painted(axes, name).get_offsets().tolist()}


def lines(axes: Any, name: str) -> int:
    return len(painted(axes, name).get_segments())


def test_rings_are_the_matched_nodes() -> None:
    query, target = draw_match(MATCH).axes
    for axes, size in ((query, 6), (target, 8)):
        assert len(dots(axes, "nodes")) == size
        assert len(dots(axes, "matched-nodes")) == 5
        assert len(dots(axes, "edited-nodes")) == 1
        assert dots(axes, "matched-nodes") | dots(axes, "edited-nodes") <= dots(axes, "nodes")
    assert to_hex(painted(target, "matched-nodes").get_edgecolor()[0]) == MATCHED.lower()
    assert to_hex(painted(target, "edited-nodes").get_edgecolor()[0]) == EDITED.lower()
    assert painted(target, "edited-nodes").get_linestyle() != painted(target, "matched-nodes").get_linestyle()


def test_lines_are_the_edges() -> None:
    query, target = draw_match(MATCH).axes
    kinds = ("edges", "matched-edges", "edited-edges", "missing-edges")
    assert [lines(query, kind) for kind in kinds] == [0, 5, 1, 0]
    assert [lines(target, kind) for kind in kinds] == [2, 5, 0, 1]
    assert missing_edges(MATCH) == [(0, 5)]
    plain, matched = (painted(target, kind).get_linewidths()[0] for kind in ("edges", "matched-edges"))
    assert matched > 2 * plain


def test_every_line_of_a_real_match_joins_its_nodes() -> None:
    rng = np.random.default_rng(5)
    edges = [(a, b) for a in range(9) for b in range(a) if rng.random() < 0.35]
    target = Graph(rng.integers(3, size=9).tolist(), edges)
    query = Graph([0, 1, 2, 0, 1], [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4), (1, 3)])
    result = mip_f2(query, target, EditCosts(), time_limit=30.0)
    there = {frozenset(edge) for edge in target.edges}
    kept = [e for e in query.edges if frozenset((result.mapping[e[0]], result.mapping[e[1]])) in there]
    left, right = draw_match(result).axes
    assert lines(left, "matched-edges") == lines(right, "matched-edges") == len(kept)
    assert lines(left, "edited-edges") == lines(right, "missing-edges") == len(query.edges) - len(kept)
    same = [u for u, v in enumerate(result.mapping) if v is not None and query.labels[u] == target.labels[v]]
    assert len(dots(right, "matched-nodes")) == len(same)
    for segment in painted(right, "matched-edges").get_segments():
        assert {tuple(np.round(p, 9)) for p in segment.tolist()} <= dots(right, "nodes")


def test_relabelled_edges_are_marked_in_both() -> None:
    q = Graph(["C", "C"], [(0, 1)], edge_labels=["single"])
    t = Graph(["C", "C"], [(0, 1)], edge_labels=["double"])
    for axes in draw_match(known_match(q, t, [0, 1], 1, 1)).axes:
        assert (lines(axes, "edited-edges"), lines(axes, "missing-edges")) == (1, 0)


def test_deleted_nodes_have_no_image() -> None:
    q, t = Graph(["C", "C", "C"], [(0, 1), (1, 2)]), Graph(["C"])
    query, target = draw_match(known_match(q, t, np.array([-1, 0, -1, -1]), 4, 4)).axes
    assert len(dots(query, "edited-nodes")) == 2
    assert (len(dots(target, "matched-nodes")), len(dots(target, "edited-nodes"))) == (1, 0)
    assert lines(target, "missing-edges") == 0


def test_fill_is_the_label() -> None:
    axes = draw_graph(Graph([2, 0, 2, 1], [(0, 1), (1, 2), (2, 3)])).axes[0]
    fills = sorted(to_hex(colour).upper() for colour in painted(axes, "nodes").get_facecolor())
    assert fills == sorted([PALETTE[2], PALETTE[0], PALETTE[2], PALETTE[1]])
    assert [text.get_text() for text in axes.texts] == ["2", "0", "2", "1"]


def test_labels_too_long_for_a_node_are_left_to_the_legend() -> None:
    figure = draw_graph(Graph(["kinase", "C"], [(0, 1)]))
    assert [text.get_text() for text in figure.axes[0].texts] == ["C"]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["C", "kinase"]


def test_words_of_a_match() -> None:
    figure = draw_match(MATCH)
    assert figure.get_suptitle().startswith("SED = 2 (certified): ")
    captions = [text.get_text() for text in figure.texts]
    assert "query: ring  (6 nodes, 6 edges)" in captions
    assert "target: chain of eight  (8 nodes, 7 edges)" in captions
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    assert legend == ["C", "N", "O", "matched", "edited", "missing edge"]
    # Nodes named by an edit carry the query's number, on both sides.
    for axes in figure.axes:
        assert sorted(text.get_text() for text in axes.texts if text.get_gid() == "note") == ["0", "5"]


def test_title_of_an_open_pair_and_of_many_edits() -> None:
    q, t = Graph(["C"] * 12, []), Graph(["N"] * 12, [])
    result = known_match(q, t, list(range(12)), lower=3, upper=12)
    assert match_title(result, letters=60) == "3 ≤ SED ≤ 12: relabel 12 nodes"
    assert match_title(result, letters=1000).count("relabel node") == 12


def test_a_legend_names_no_mark_that_is_not_there() -> None:
    same = known_match(QUERY, QUERY, range(6), 0, 0)
    assert [text.get_text() for text in draw_match(same).legends[0].get_texts()] == ["C", "O", "matched"]
    assert [text.get_text() for text in draw_graph(QUERY).legends[0].get_texts()] == ["C", "O"]


def test_the_query_lies_as_its_image_does() -> None:
    rng = np.random.default_rng(1)
    tree = Graph([0] * 9, [(0, 1), (1, 2), (2, 3), (3, 4), (2, 5), (5, 6), (5, 7), (1, 8)])
    order = rng.permutation(9)
    turned = Graph([0] * 9, [(int(order[a]), int(order[b])) for a, b in tree.edges])
    axes = draw_match(known_match(tree, turned, order.tolist(), 0, 0)).axes
    edges = [np.diff(painted(a, "matched-edges").get_segments(), axis=1).reshape(-1, 2) for a in axes]
    angles = [np.sort(np.abs(np.arctan2(*edge.T)) % np.pi) for edge in edges]
    assert np.abs(angles[0] - angles[1]).mean() < 0.35


def test_empty_and_large_graphs() -> None:
    empty = draw_match(SedResult(0.0, 0.0, (), 0, 0.0, Graph([]), TARGET, EditCosts()))
    assert len(dots(empty.axes[1], "matched-nodes")) == 0
    rng = np.random.default_rng(0)
    tree = Graph(rng.integers(4, size=250).tolist(), [(int(rng.integers(i)), i) for i in range(1, 250)])
    marks = Marks(nodes=dict.fromkeys(range(12), True))
    axes = draw_graph(tree, marks).axes[0]
    assert len(dots(axes, "nodes")) == 250
    assert len(dots(axes, "matched-nodes")) == 12
    # The marked nodes are painted last, so that none is hidden.
    assert {tuple(np.round(p, 9)) for p in painted(axes, "nodes").get_offsets()[-12:].tolist()} == dots(
        axes, "matched-nodes"
    )


def test_files_are_repeatable_and_keep_the_names(tmp_path: Path) -> None:
    first = save_figure(draw_match(MATCH), tmp_path / "a.svg").read_bytes()
    with matplotlib.rc_context({"font.size": 30, "svg.hashsalt": None, "savefig.dpi": 10}):
        again = save_figure(draw_match(MATCH), tmp_path / "b.svg").read_bytes()
    assert first == again
    names = {element.get("id") for element in ET.fromstring(first).iter()}
    assert {"matched-nodes", "edited-nodes", "matched-edges", "missing-edges"} <= names
    assert save_figure(draw_match(MATCH), tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match=r"ends in \.png"):
        save_figure(draw_graph(QUERY), tmp_path / "a.jpeg2")
    with pytest.raises(FormatError, match="cannot write"):
        save_figure(draw_graph(QUERY), tmp_path / "no folder" / "a.png")
    with pytest.raises(OptionError, match="both map to"):
        known_match(QUERY, TARGET, [0, 0, 1, 2, 3, 4], 0, 9)
    monkeypatch.setitem(sys.modules, "matplotlib.style", None)
    with pytest.raises(MissingExtraError, match=r"prune4sed\[plot\]"):
        draw_graph(QUERY)
